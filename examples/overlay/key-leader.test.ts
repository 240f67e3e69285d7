/**
 * @module
 * The leader of a key in the simulator. `usurp conform examples/overlay/key-leader.ts` runs this file after the contract
 * suite.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdElection } from 'usurp/testing';

import { KEY_LEADER } from './key-leader.ts';

const { name: protocol } = KEY_LEADER;

/** Questions of the lookups of n nodes: a node with I closer ones asks one that has ⌈I/2⌉ - 1, until it knows the closest. */
function questions(nodes: number): number {
  const from = (closer: number): number =>
    closer === 0 ? 0 : 1 + (closer <= 2 ? 0 : from(Math.ceil(closer / 2) - 1));
  return Array.from({ length: nodes }, (_, closer) => from(closer)).reduce(
    (sum, each) => sum + each,
  );
}

for (const nodes of [1, 2, 3, 5, 8, 16, 33, 64, 100]) {
  test(`elects the closest of ${nodes} nodes with as many questions as counted`, () => {
    const { leader, agreed, messages } = holdElection({ protocol, nodes, seed: '1' });

    assert.equal(leader, nodes);
    assert.equal(agreed, true);
    assert.equal(messages.FIND ?? 0, questions(nodes));
    assert.equal(messages.NODES ?? 0, questions(nodes));
    assert.ok(questions(nodes) <= nodes * Math.ceil(Math.log2(nodes)));
  });
}

test('elects the closest live node while fewer neighbours fail than a node knows', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { leader, agreed } = holdElection({
      ...{ protocol, nodes: 12, seed: String(seed) },
      crashedBefore: [12, 11],
      flags: { siblings: '3' },
    });

    assert.equal(leader, 10);
    assert.equal(agreed, true);
  }
});
