/**
 * @module
 * The detector in elections. Run it with `usurp conform ./example-detector.ts`.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { holdElection } from 'usurp/testing';

import { EXAMPLE_DETECTOR } from './example-detector.ts';

const detector = EXAMPLE_DETECTOR.name;
const election = { protocol: 'bully-oneshot', nodes: 5, seed: '1', detector } as const;

test('causes no election while every node is up', () => {
  const { leader, messages } = holdElection(election);

  assert.equal(leader, 5);
  assert.ok(Number(messages.FD_ANSWER) > 0, 'nodes answer');
});

test('reports the crash of the leader, so that another node is elected', () => {
  const faults = [{ type: 'crash', rank: 5, at: 100 }] as const;

  const { leader, agreed } = holdElection({ ...election, faults });

  assert.equal(leader, 4);
  assert.equal(agreed, true);
});
