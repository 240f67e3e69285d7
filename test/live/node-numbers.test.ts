/**
 * @module
 * The numbers that nodes have in a check of their logs alone.
 */

import { expect, it } from 'vitest';

import type { Rank } from '../../src/election/machine.ts';
import { nodeNumbers } from '../../src/live/check/log-check.ts';
import type { LiveEvent, LiveRecord } from '../../src/live/node-record.ts';

const ranks = ['a1', 'b2', 'c3', 'd4', 'e5', 'ff'] as string[] as Rank[]; // Ranks in hex.

/** Nodes 2 and 4 by rank are founders, the last is a phantom. */
const nodes = ranks.map((rank, index) => ({
  ...{ rank, position: index + 1, isFounder: index === 1 || index === 3, isPhantom: index === 5 },
}));

const record = (t: number, event: LiveEvent): LiveRecord => ({ t, event, effects: [], clock: {} });
const joinOf = (t: number, position: number): LiveRecord =>
  record(t, { type: 'join', node: ranks[position - 1] ?? ('' as string as Rank) });

const log = (position: number, records: readonly LiveRecord[], isByzantine = false) => {
  return { position, records, isByzantine };
};
const founder2 = log(2, [record(1, { type: 'start' }), joinOf(50, 5), joinOf(60, 1)]);
const founder4 = log(4, [record(2, { type: 'start' }), joinOf(40, 5), joinOf(70, 1)]);
const joiner1 = log(1, [record(61, { type: 'start' })]);
const joiner3 = log(3, [record(45, { type: 'start' })]);

it('are those of the founders by rank, then of the others as members admitted them', () => {
  const whole = nodeNumbers(nodes, [founder2, founder4, joiner1, joiner3]);
  // The first node of all by rank has returned with a new log.
  const returned = nodeNumbers(nodes, [
    founder2,
    joiner3,
    log(5, [record(900, { type: 'start' })]),
  ]);

  expect(whole).toEqual([5, 1, 4, 2, 3, null]);
  expect(returned).toEqual([5, 1, 3, 2, 4, null]);
});

it('do not follow what a Byzantine node notes, and are by rank if no log has a time', () => {
  const lying = log(4, [joinOf(0, 1)], true);

  expect(nodeNumbers(nodes, [founder2, lying])).toEqual([4, 1, 5, 2, 3, null]);
  expect(nodeNumbers(nodes, [])).toEqual([3, 1, 4, 2, 5, null]);
});
