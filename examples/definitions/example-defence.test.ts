/**
 * @module
 * The defence in elections. Run it with `usurp conform ./example-defence.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdElection } from 'usurp/testing';

import { EXAMPLE_DEFENCE } from './example-defence.ts';

const election = { protocol: 'bully-oneshot', nodes: 8, seed: '1', level: 'L0' } as const;
const defences = [EXAMPLE_DEFENCE.name];

test('leaves an honest election as it is', () => {
  const before = holdElection(election);
  const { leader, messages } = holdElection({ ...election, defences });

  assert.equal(leader, 8);
  assert.deepEqual(messages, before.messages);
});

test('limits what a flood costs', () => {
  const byzantine = [{ rank: 1, behaviours: ['flood'] }];

  const before = holdElection({ ...election, byzantine });
  const { agreed, messages } = holdElection({ ...election, byzantine, defences });

  assert.equal(agreed, true);
  assert.ok(Number(messages.total) < Number(before.messages.total), 'fewer messages than without');
});
