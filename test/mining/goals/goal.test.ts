/**
 * @module
 * What a search is after: which IDs meet a goal, how likely that is, and how it is written.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexToBytes } from '../../../src/bytes.ts';
import type { Goal } from '../../../src/mining/goal.ts';
import {
  formatGoal,
  goalIdBytes,
  goalProbability,
  identitiesWanted,
  isClosestGoal,
  meetsGoal,
  xorDistance,
} from '../../../src/mining/goal.ts';
import { HIGHEST_ID } from '../tasks.ts';

const LOWEST = '00'.repeat(32);
const HIGHEST = 'ff'.repeat(32);
const MIDDLE = `80${'00'.repeat(31)}`;
const BELOW_MIDDLE = `7f${'ff'.repeat(31)}`;
const AFTER_MIDDLE = `80${'00'.repeat(30)}01`;

const RING = 1n << 256n;
/** IDs as integers: anywhere, and close to each other. */
const ID = fc.oneof(
  fc.bigInt({ min: 0n, max: RING - 1n }),
  fc.bigInt({ min: 0n, max: 3n }),
  fc.bigInt({ min: RING - 3n, max: RING - 1n }),
);

describe('above', () => {
  it.each([
    ['an equal ID', MIDDLE, MIDDLE, false],
    ['one less', MIDDLE, BELOW_MIDDLE, false],
    ['one more', BELOW_MIDDLE, MIDDLE, true],
    ['a difference in the last bit', `${'00'.repeat(31)}fe`, `${'00'.repeat(31)}ff`, true],
    [
      'a high first byte against a high last one',
      `00${'ff'.repeat(31)}`,
      `01${'00'.repeat(31)}`,
      true,
    ],
    ['the highest ID above the highest', HIGHEST, HIGHEST, false],
    ['the lowest above the lowest', LOWEST, LOWEST, false],
    ['the highest above the lowest', LOWEST, HIGHEST, true],
  ])('%s', (_name, bound, nodeId, met) => {
    const goal = { type: 'above', nodeId: hexToBytes(bound) } as const;

    expect(meetsGoal(goal, hexToBytes(nodeId))).toBe(met);
  });
});

describe('any', () => {
  it.each([LOWEST, MIDDLE, HIGHEST])('is met by %s', (nodeId) => {
    expect(meetsGoal({ type: 'any' }, hexToBytes(nodeId))).toBe(true);
  });
});

describe('between', () => {
  it.each([
    ['the lower bound itself', LOWEST, MIDDLE, LOWEST, false],
    ['one more than it', LOWEST, MIDDLE, `${'00'.repeat(31)}01`, true],
    ['one less than the upper', LOWEST, MIDDLE, BELOW_MIDDLE, true],
    ['the upper bound itself', LOWEST, MIDDLE, MIDDLE, false],
    ['beyond the upper', LOWEST, MIDDLE, HIGHEST, false],
    ['adjacent bounds: the lower', BELOW_MIDDLE, MIDDLE, BELOW_MIDDLE, false],
    ['adjacent bounds: the upper', BELOW_MIDDLE, MIDDLE, MIDDLE, false],
    ['over the top: the highest', MIDDLE, BELOW_MIDDLE, HIGHEST, true],
    ['over the top: the lowest', MIDDLE, BELOW_MIDDLE, LOWEST, true],
    ['over the top: the lower bound', MIDDLE, BELOW_MIDDLE, MIDDLE, false],
    ['over the top: the upper bound', MIDDLE, BELOW_MIDDLE, BELOW_MIDDLE, false],
    ['over the top: what lies in the gap', AFTER_MIDDLE, BELOW_MIDDLE, MIDDLE, false],
    ['the highest to the lowest has none: the highest', HIGHEST, LOWEST, HIGHEST, false],
    ['the highest to the lowest has none: a middle one', HIGHEST, LOWEST, MIDDLE, false],
    ['equal bounds: the bound', MIDDLE, MIDDLE, MIDDLE, false],
    ['equal bounds: one below', MIDDLE, MIDDLE, BELOW_MIDDLE, true],
    ['equal bounds: one above', MIDDLE, MIDDLE, AFTER_MIDDLE, true],
  ])('%s', (_name, low, high, nodeId, met) => {
    expect(meetsGoal(betweenOf(low, high), hexToBytes(nodeId))).toBe(met);
  });
});

describe('near', () => {
  it.each([
    ['at the distance', `${'00'.repeat(31)}04`, false],
    ['one closer', `${'00'.repeat(31)}03`, true],
    ['at distance zero', LOWEST, true],
    ['one farther', `${'00'.repeat(31)}05`, false],
  ])('%s', (_name, distance, met) => {
    const goal = nearOf(HIGHEST, `${'00'.repeat(31)}04`);

    expect(meetsGoal(goal, xorDistance(HIGHEST_ID, hexToBytes(distance)))).toBe(met);
  });

  it('without a bound is met by every ID', () => {
    expect(meetsGoal(nearOf(LOWEST, null), HIGHEST_ID)).toBe(true);
  });

  it('is the closest goal without a bound alone', () => {
    const goals: Goal[] = [nearOf(LOWEST, null), nearOf(LOWEST, HIGHEST), { type: 'any' }];

    expect(goals.map(isClosestGoal)).toEqual([true, false, false]);
  });
});

describe('a count', () => {
  it('is met by every ID, and wants its number', () => {
    const goal = { type: 'count', identities: 7 } as const;

    expect(meetsGoal(goal, HIGHEST_ID)).toBe(true);
    expect(identitiesWanted(goal)).toBe(7);
  });

  it.each([{ type: 'any' }, nearOf(LOWEST, null)] as const)('of one is wanted by $type', (goal) => {
    expect(identitiesWanted(goal)).toBe(1);
  });
});

describe('integers agree on', () => {
  it('what lies above, between and near', () => {
    fc.assert(
      fc.property(ID, ID, ID, (a, b, c) => {
        const [first, second, id] = [a, b, c].map(idOf);
        if (first === undefined || second === undefined || id === undefined) return;
        const gap = a === b ? RING : (b - a + RING) % RING;
        const climb = (c - a + RING) % RING;

        expect(meetsGoal({ type: 'above', nodeId: first }, id)).toBe(c > a);
        expect(meetsGoal({ type: 'between', low: first, high: second }, id)).toBe(
          climb > 0n && climb < gap,
        );
        expect(meetsGoal({ type: 'near', nodeId: first, closerThan: second }, id)).toBe(
          (c ^ a) < b,
        );
      }),
      { seed: 1, numRuns: 2000 },
    );
  });
});

describe('the probability of a goal', () => {
  it.each([
    ['the lowest ID leaves all others', LOWEST, 1],
    ['the middle leaves half', BELOW_MIDDLE, 0.5],
    ['a quarter', `bf${'ff'.repeat(31)}`, 0.25],
    ['the last but one leaves one ID', `${'ff'.repeat(31)}fe`, 2 ** -256],
    ['the highest leaves none', HIGHEST, 0],
  ])('%s', (_name, bound, probability) => {
    expect(goalProbability({ type: 'above', nodeId: hexToBytes(bound) })).toBe(probability);
  });

  it.each([
    ['adjacent bounds leave none', MIDDLE, AFTER_MIDDLE, 0],
    ['one ID between', BELOW_MIDDLE, AFTER_MIDDLE, 2 ** -256],
    ['half the ring', LOWEST, MIDDLE, 0.5],
    ['a quarter over the top', `e0${'00'.repeat(31)}`, `20${'00'.repeat(31)}`, 0.25],
    ['the highest up to the second', HIGHEST, `${'00'.repeat(31)}01`, 2 ** -256],
    ['equal bounds leave all others', MIDDLE, MIDDLE, 1],
  ])('between: %s', (_name, low, high, probability) => {
    expect(goalProbability(betweenOf(low, high))).toBe(probability);
  });

  it.each([
    ['no distance is below zero', LOWEST, 0],
    ['the ID itself', `${'00'.repeat(31)}01`, 2 ** -256],
    ['a sixteenth', `10${'00'.repeat(31)}`, 1 / 16],
    ['all but the opposite', HIGHEST, 1],
  ])('near: %s', (_name, closerThan, probability) => {
    expect(goalProbability(nearOf(MIDDLE, closerThan))).toBe(probability);
  });

  it.each([
    ['any', { type: 'any' }],
    ['a count', { type: 'count', identities: 9 }],
    ['the closest', nearOf(MIDDLE, null)],
  ] as const)('is certainty for %s', (_name, goal) => {
    expect(goalProbability(goal)).toBe(1);
  });

  it('is that of all the IDs of two bytes', () => {
    const goals = [
      { type: 'above', nodeId: hexToBytes('fff0') },
      betweenOf('ff00', '0100'),
      betweenOf('1234', '1234'),
      nearOf('1234', '0100'),
    ] as const;

    for (const goal of goals) {
      let winners = 0;
      for (let id = 0; id < 65_536; id += 1) {
        if (meetsGoal(goal, Uint8Array.of(id >> 8, id & 255))) winners += 1;
      }
      expect(winners / 65_536, formatGoal(goal)).toBe(goalProbability(goal));
    }
  });
});

describe('a goal as text', () => {
  it.each([
    [{ type: 'any' }, 'any'],
    [{ type: 'count', identities: 12 }, 'count:12'],
    [{ type: 'above', nodeId: HIGHEST_ID }, `above:${HIGHEST}`],
    [betweenOf(MIDDLE, LOWEST), `between:${MIDDLE}:${LOWEST}`],
    [nearOf(MIDDLE, null), `near:${MIDDLE}`],
  ] as const)('%#', (goal, text) => {
    expect(formatGoal(goal)).toBe(text);
  });
});

describe('the bytes of the IDs of a goal', () => {
  it.each([
    [{ type: 'any' }, null],
    [{ type: 'count', identities: 2 }, null],
    [{ type: 'above', nodeId: HIGHEST_ID }, 32],
    [betweenOf('0001', '0002'), 2],
    [nearOf('000102', null), 3],
  ] as const)('%#', (goal, bytes) => {
    expect(goalIdBytes(goal)).toBe(bytes);
  });

  it('are one number: a distance to another length is refused', () => {
    expect(() => xorDistance(new Uint8Array(2), new Uint8Array(3))).toThrow(
      new RangeError('"right" expected 2 bytes, got 3'),
    );
  });
});

function betweenOf(low: string, high: string) {
  return { type: 'between', low: hexToBytes(low), high: hexToBytes(high) } as const;
}

function nearOf(nodeId: string, closerThan: string | null) {
  const distance = closerThan === null ? null : hexToBytes(closerThan);
  return { type: 'near', nodeId: hexToBytes(nodeId), closerThan: distance } as const;
}

function idOf(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'));
}
