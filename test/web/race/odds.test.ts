/**
 * @module
 * The expectations of a race for the top ID: those of the closed forms, with exact values of small cases.
 */

import { describe, expect, it } from 'vitest';

import { oddsAgainst, positionOf, raceOdds, workBits } from '../../../server/web/race/odds.ts';

describe('the expectation of a race', () => {
  it.each([
    { nodes: 1, attempts: 64, wins: 0.115338467 },
    { nodes: 4, attempts: 64, wins: 0.048018113 },
    { nodes: 9, attempts: 256, wins: 0.09164016 },
    { nodes: 16, attempts: 16 * 256, wins: 0.49209821 },
    { nodes: 64, attempts: 64 * 256, wins: 0.498046906 },
  ])('is E[K/(n+K)] for $nodes nodes and $attempts attempts', ({ nodes, attempts, wins }) => {
    const odds = raceOdds({ nodes, attempts, bits: 8 });

    expect(odds.beforehand).toBeCloseTo(wins, 8);
    expect(odds.keys).toBeCloseTo(attempts / 256, 12);
  });

  it('is an exact fraction for two nodes, three attempts and one bit', () => {
    expect(raceOdds({ nodes: 2, attempts: 3, bits: 1 }).beforehand).toBeCloseTo(31 / 80, 12);
  });

  it('against a known top ID is a geometric law', () => {
    const anyId = oddsAgainst(0, 8);
    const highest = oddsAgainst(0.75, 8);

    expect(anyId.expected).toBe(256);
    expect(anyId.within(256)).toBeCloseTo(0.63284025, 8);
    expect(highest.expected).toBe(1024);
    expect(highest.within(0)).toBe(0);
    expect(highest.within(1)).toBeCloseTo(1 / 1024, 12);
  });
});

describe('the position of an ID', () => {
  it('is its value as a fraction of all IDs', () => {
    const rule = { type: 'node-id' } as const;

    expect(positionOf('00'.repeat(32), rule)).toBe(0);
    expect(positionOf(`80${'00'.repeat(31)}`, rule)).toBe(0.5);
    expect(positionOf('ff'.repeat(32), rule)).toBeCloseTo(1, 12);
    expect(positionOf('c0000000', rule)).toBe(0.75);
  });

  it('is reversed where the smallest ID leads', () => {
    expect(positionOf('00'.repeat(32), { type: 'smallest' })).toBeCloseTo(1, 12);
  });
});

describe('the bits that cost work', () => {
  it.each([
    { c1: 36, idRule: 'storj', isChecked: true, bits: 28 },
    { c1: 6, idRule: 'storj', isChecked: true, bits: 0 },
    { c1: 12, idRule: 'hash', isChecked: true, bits: 12 },
    { c1: 12, idRule: 'hash', isChecked: false, bits: 0 },
  ])('are $bits of $c1 under the rule $idRule', ({ c1, idRule, isChecked, bits }) => {
    expect(workBits(c1, { idRule, checks: { static: isChecked } })).toBe(bits);
  });
});
