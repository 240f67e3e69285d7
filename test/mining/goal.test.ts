/**
 * @module
 * What a search is after: which IDs meet a goal, how likely that is, and how it is written.
 */

import { describe, expect, it } from 'vitest';
import { hexToBytes } from '../../src/bytes.ts';
import { formatGoal, goalProbability, meetsGoal } from '../../src/mining/goal.ts';
import { HIGHEST_ID } from './tasks.ts';

const LOWEST = '00'.repeat(32);
const HIGHEST = 'ff'.repeat(32);
const MIDDLE = `80${'00'.repeat(31)}`;
const BELOW_MIDDLE = `7f${'ff'.repeat(31)}`;

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

  it('is certainty for any', () => {
    expect(goalProbability({ type: 'any' })).toBe(1);
  });
});

describe('a goal as text', () => {
  it('is any, or above with the ID in hex', () => {
    const texts = [formatGoal({ type: 'any' }), formatGoal({ type: 'above', nodeId: HIGHEST_ID })];

    expect(texts).toEqual(['any', `above:${HIGHEST}`]);
  });
});
