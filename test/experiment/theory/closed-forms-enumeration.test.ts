/**
 * @module
 * Closed forms that stand in no table by themselves, against everything that can happen where little can:
 * all hashes of few bits, all orders, all sequences of attempts.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topRanksProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { attemptOdds, foundProbability } from '../../../src/mining/odds.ts';
import { shareOfOrders } from './enumeration.ts';
import { workDeviation } from './exact/advantage.ts';
import { identitiesForTop, successorsProbability, topProbabilityPoisson } from './exact/bounds.ts';
import { identitiesForTopMean, uniqueMostZeros, workShare } from './exact/capture-odds.ts';
import { lastRevealerTop } from './exact/epoch-odds.ts';
import type { Fraction } from './exact/fraction.ts';
import { complement, fraction, ONE, plus, times, toNumber, ZERO } from './exact/fraction.ts';

const IDENTITIES = fc.record({
  honest: fc.integer({ min: 1, max: 5 }),
  forged: fc.integer({ min: 0, max: 5 }),
});

describe('closed forms and enumeration', () => {
  it('agree on ranks and successors in doubles', () => {
    fc.assert(
      fc.property(IDENTITIES, fc.integer({ min: 0, max: 5 }), ({ honest, forged }, count) => {
        const shareIn = (others: number) =>
          toNumber(
            shareOfOrders(
              { honest: others, forged },
              (order) =>
                order.length >= count && order.slice(0, count).every((role) => role === 'forged'),
            ),
          );

        expect(topRanksProbability({ honest, forged }, count)).toBeCloseTo(shareIn(honest), 14);
        expect(successorsProbability({ honest, forged }, count)).toBeCloseTo(
          shareIn(honest - 1),
          14,
        );
      }),
      { seed: 12, numRuns: 80 },
    );
  });

  it('agree on the work that leads where the smallest hash wins', () => {
    fc.assert(
      fc.property(IDENTITIES, ({ honest, forged }) => {
        const share = shareOfOrders({ honest, forged }, (order) => order[0] === 'forged');

        expect(workShare({ adversary: forged, honest })).toEqual(share);
      }),
      { seed: 13, numRuns: 40 },
    );
  });

  it('agree on the truncated mean and the quantiles of the IDs that it takes to lead', () => {
    const cases = fc.record({
      honest: fc.integer({ min: 1, max: 4 }),
      most: fc.integer({ min: 0, max: 5 }),
    });

    fc.assert(
      fc.property(cases, ({ honest, most }) => {
        let mean = ZERO;
        for (let forged = 0; forged < most; forged += 1) {
          mean = plus(
            mean,
            shareOfOrders({ honest, forged }, (order) => order[0] === 'honest'),
          );
        }
        const median = identitiesForTop(honest, 0.5);

        expect(identitiesForTopMean(honest, most)).toBeCloseTo(toNumber(mean), 13);
        const led = shareOfOrders({ honest, forged: median }, (order) => order[0] === 'forged');
        expect(toNumber(led)).toBeGreaterThanOrEqual(0.5);
      }),
      { seed: 14, numRuns: 40 },
    );
  });

  it('agree on the single leader by leading zeros, except those that few bits cannot distinguish', () => {
    const cases = fc.record({
      rivals: fc.integer({ min: 1, max: 4 }),
      bits: fc.integer({ min: 1, max: 4 }),
    });

    fc.assert(
      fc.property(cases, ({ rivals, bits }) => {
        const gap = Math.abs(uniqueMostZeros(rivals) - enumeratedMostZeros(rivals, bits));

        // Two hashes that are all zeros count as equal, though further bits would distinguish them.
        expect(gap).toBeLessThanOrEqual((rivals * (rivals - 1)) / 2 / 4 ** bits + 1e-12);
      }),
      { seed: 15, numRuns: 30 },
    );
  });

  it('agree on the attempts until the first success', () => {
    const cases = fc.record({
      bits: fc.integer({ min: 0, max: 4 }),
      attempts: fc.integer({ min: 0, max: 10 }),
    });

    fc.assert(
      fc.property(cases, ({ bits, attempts }) => {
        const valid = fraction(1, 2 ** bits);
        let found = ZERO;
        let none = ONE;
        for (let attempt = 0; attempt < attempts; attempt += 1) {
          found = plus(found, times(none, valid));
          none = times(none, complement(valid));
        }

        expect(foundProbability(2 ** -bits, attempts)).toBeCloseTo(toNumber(found), 14);
        expect(attemptOdds(2 ** -bits).expected).toBe(2 ** bits);
      }),
      { seed: 16, numRuns: 60 },
    );
  });

  it('agree on the spread of a puzzle in parts, by adding up its parts', () => {
    for (const parts of [1, 2, 4]) {
      const law = sumOfParts(parts, parts / 2 ** 5);
      const mean = law.reduce((sum, weight, attempts) => sum + attempts * weight, 0);
      const square = law.reduce((sum, weight, attempts) => sum + attempts ** 2 * weight, 0);

      const deviation = workDeviation({ difficultyBits: 5, parts });

      expect(mean).toBeCloseTo(2 ** 5, 6);
      expect(Math.sqrt(square - mean ** 2) / mean).toBeCloseTo(deviation, 6);
    }
  });

  it('agree on the Poisson limit, summed over K', () => {
    const cases = fc.record({
      honest: fc.integer({ min: 1, max: 64 }),
      mean: fc.double({ min: 0.01, max: 30, noNaN: true }),
    });

    fc.assert(
      fc.property(cases, ({ honest, mean }) => {
        let [weight, sum] = [Math.exp(-mean), 0];
        for (let forged = 1; forged < 200; forged += 1) {
          weight *= mean / forged;
          sum += (weight * forged) / (honest + forged);
        }

        expect(topProbabilityPoisson({ honest, mean })).toBeCloseTo(sum, 13);
      }),
      { seed: 17, numRuns: 100 },
    );
  });

  it('agree on the last revealer, over all that its beacons can be', () => {
    const cases = fc.record({
      parts: fc.integer({ min: 1, max: 9 }),
      choices: fc.integer({ min: 0, max: 3 }),
    });

    fc.assert(
      fc.property(cases, ({ parts, choices }) => {
        expect(lastRevealerTop(fraction(1, parts), choices)).toEqual(
          enumeratedReveals(fraction(1, parts), 2 ** choices),
        );
      }),
      { seed: 18, numRuns: 30 },
    );
  });
});

/** How many of all choices of `rivals` hashes have one with more leading zeros than each other. */
function enumeratedMostZeros(rivals: number, bits: number): number {
  const all = 2 ** (rivals * bits);
  let unique = 0;
  for (let choice = 0; choice < all; choice += 1) {
    const zeros = Array.from({ length: rivals }, (_, digit) => {
      const hash = Math.floor(choice / 2 ** (digit * bits)) % 2 ** bits;
      return hash === 0 ? bits : bits - 1 - Math.floor(Math.log2(hash));
    });
    const most = Math.max(...zeros);
    if (zeros.filter((count) => count === most).length === 1) unique += 1;
  }
  return unique / all;
}

/** The law of a sum of geometric counts, truncated where it is negligible. */
function sumOfParts(parts: number, probability: number): readonly number[] {
  let law: readonly number[] = [1];
  for (let part = 0; part < parts; part += 1) {
    const sum: number[] = Array.from({ length: 1200 }, () => 0);
    for (const [before, weight] of law.entries()) {
      for (let attempt = 1; before + attempt < sum.length; attempt += 1) {
        const more = weight * probability * (1 - probability) ** (attempt - 1);
        sum[before + attempt] = (sum[before + attempt] ?? 0) + more;
      }
    }
    law = sum;
  }
  return law;
}

/** P(at least one beacon is suitable), over every pattern of suitable beacons. */
function enumeratedReveals(share: Fraction, beacons: number): Fraction {
  let sum = ZERO;
  for (let pattern = 1; pattern < 2 ** beacons; pattern += 1) {
    let weight = ONE;
    for (let beacon = 0; beacon < beacons; beacon += 1) {
      weight = times(weight, (pattern >> beacon) % 2 === 1 ? share : complement(share));
    }
    sum = plus(sum, weight);
  }
  return sum;
}
