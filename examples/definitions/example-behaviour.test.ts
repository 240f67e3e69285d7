/**
 * @module
 * The behaviour in elections. Run it with `usurp conform ./example-behaviour.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdElection } from 'usurp/testing';

import { EXAMPLE_BEHAVIOUR } from './example-behaviour.ts';

const election = { protocol: 'cr-join', nodes: 5, seed: '1', level: 'L0' } as const;
const byzantine = [{ rank: 2, behaviours: [EXAMPLE_BEHAVIOUR.name] }];

test('an honest ring elects a leader', () => {
  assert.equal(holdElection(election).agreed, true);
});

test('one Byzantine node stops the ring', () => {
  assert.equal(holdElection({ ...election, byzantine }).agreed, false);
});
