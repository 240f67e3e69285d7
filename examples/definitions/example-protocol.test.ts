/**
 * @module
 * Elections of the protocol in the simulator. `usurp conform ./example-protocol.ts` runs this file after
 * the contract suite.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdElection } from 'usurp/testing';

import { EXAMPLE_PROTOCOL } from './example-protocol.ts';

const { name: protocol } = EXAMPLE_PROTOCOL;

test('elects the highest of five nodes', () => {
  const { leader, agreed } = holdElection({ protocol, nodes: 5, seed: '1' });

  assert.equal(leader, 5);
  assert.equal(agreed, true);
});

test('finishes on every ring of eight nodes that twenty seeds shuffle', () => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { verdict } = holdElection({ protocol, nodes: 8, seed: String(seed) });

    assert.equal(verdict.value, 'true', `seed ${seed}: ${verdict.reason}`);
  }
});

test('does not finish on a ring with a gap', () => {
  const faults = [{ type: 'crash', rank: 3, at: 1 }] as const;

  const { agreed } = holdElection({ protocol, nodes: 5, seed: '1', faults });

  assert.equal(agreed, false);
});
