/**
 * @module
 * The odds of epochs against tables and against enumeration.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SALTS } from '../../../src/experiment/theory/epoch-conduct.ts';
import type { EpochForging } from '../../../src/experiment/theory/epoch-odds.ts';
import {
  epochTopProbability,
  REVEAL_CHOICES_MAX,
} from '../../../src/experiment/theory/epoch-odds.ts';
import { STOCK_TESTS_MAX } from '../../../src/experiment/theory/sorted-odds.ts';
import { topExactly, topRanks } from './exact/capture-odds.ts';
import { epochWins, epochWinsVariance, lastRevealerTop } from './exact/epoch-odds.ts';
import type { Fraction } from './exact/fraction.ts';
import { complement, fraction, ONE, plus, power, times, toNumber, ZERO } from './exact/fraction.ts';

const STOCK: Omit<EpochForging, 'salt'> = {
  honest: 16,
  difficultyBits: 8,
  stockKeys: 2 ** 14,
  windowTests: 2048,
};

describe('an adversary with 2^14 keys in stock and 2048 tests in the window, n = 16, c = 8', () => {
  it('loses nothing by a salt in the puzzle alone, up to the tests that it lacks', () => {
    const unsalted = epochTopProbability({ ...STOCK, windowTests: 0, salt: 'none' });

    const salted = epochTopProbability({ ...STOCK, salt: 'puzzle' });

    expect(unsalted.toFixed(6)).toBe('0.797972');
    expect(unsalted - salted).toBeGreaterThan(0);
    expect(unsalted - salted).toBeLessThan((1 - 2 ** -8) ** 2048);
  });

  it('loses nothing by a salt in the rank alone: its stock counts', () => {
    const salted = epochTopProbability({ ...STOCK, salt: 'rank' });

    expect(salted).toBe(epochTopProbability({ ...STOCK, salt: 'none' }));
  });

  it('has no more than one that starts at the beacon where both are salted', () => {
    const salted = epochTopProbability({ ...STOCK, salt: 'both' });

    expect(salted.toFixed(3)).toBe('0.324');
    for (const salt of SALTS) {
      expect(epochTopProbability({ ...STOCK, stockKeys: 0, salt })).toBe(salted);
    }
  });
});

describe('keys in stock that are tested from the top', () => {
  it('lead as every pattern of valid keys and every order says', () => {
    const small = fc.record({
      honest: fc.integer({ min: 1, max: 6 }),
      stockKeys: fc.integer({ min: 1, max: 8 }),
      windowTests: fc.integer({ min: 0, max: 8 }),
      difficultyBits: fc.integer({ min: 0, max: 5 }),
    });

    fc.assert(
      fc.property(small, (forging) => {
        const exact = toNumber(stockByPatterns(forging));

        expect(epochTopProbability({ ...forging, salt: 'puzzle' })).toBeCloseTo(exact, 14);
      }),
      { seed: 5, numRuns: 200 },
    );
  });

  it('lead like unsalted ones where all can be tested', () => {
    for (const difficultyBits of [0, 1, 4]) {
      const network = { honest: 3, difficultyBits };
      // One test fewer than keys, so that the sum over tests is what is compared.
      const all = epochTopProbability({
        ...network,
        stockKeys: 200,
        windowTests: 199,
        salt: 'puzzle',
      });

      const exact = toNumber(topExactly({ ...network, attempts: 200 }));

      expect(Math.abs(all - exact)).toBeLessThanOrEqual((1 - 2 ** -difficultyBits) ** 199 + 1e-13);
    }
  });

  it('are summed up to a limit, and past it only where tests cannot be lacking', () => {
    const forging = { honest: 16, stockKeys: 2 ** 40, salt: 'puzzle' } as const;
    const windowTests = STOCK_TESTS_MAX + 1;

    const easy = epochTopProbability({ ...forging, difficultyBits: 12, windowTests });

    expect(easy).toBeGreaterThan(0.99);
    expect(() => epochTopProbability({ ...forging, difficultyBits: 40, windowTests })).toThrow(
      RangeError,
    );
  });
});

describe('wins over several epochs', () => {
  const tenth = fraction(1, 10);

  it('n = 9, k = 1, ten epochs: none with .9 or .3487, all with .1 or 1e-10', () => {
    const share = topRanks({ honest: 9, forged: 1 }, 1);
    const [still, salted] = [false, true].map((rankSalted) => ({ share, epochs: 10, rankSalted }));

    expect(still && epochWins(still, 0)).toEqual(fraction(9, 10));
    expect(still && epochWins(still, 10)).toEqual(tenth);
    expect(salted && epochWins(salted, 0)).toEqual(power(fraction(9, 10), 10));
    expect(salted && toNumber(epochWins(salted, 0)).toFixed(4)).toBe('0.3487');
    expect(salted && epochWins(salted, 10)).toEqual(fraction(1, 10n ** 10n));
  });

  it('have one mean, and the variances Eq(1−q) and E²q(1−q)', () => {
    for (const rankSalted of [false, true]) {
      for (const epochs of [1, 2, 7]) {
        const series = { share: fraction(2, 7), epochs, rankSalted };
        let [all, mean, square] = [ZERO, ZERO, ZERO];
        for (let wins = 0; wins <= epochs; wins += 1) {
          const odds = epochWins(series, wins);
          all = plus(all, odds);
          mean = plus(mean, times(fraction(wins, 1), odds));
          square = plus(square, times(fraction(wins ** 2, 1), odds));
        }

        expect(all).toEqual(ONE);
        expect(mean).toEqual(fraction(2 * epochs, 7));
        expect(plus(epochWinsVariance(series), times(mean, mean))).toEqual(square);
      }
    }
  });

  it('are those of every sequence of draws', () => {
    const series = { share: fraction(1, 3), epochs: 6, rankSalted: true };
    const counts = Array.from({ length: 7 }, () => ZERO);
    for (let pattern = 0; pattern < 2 ** 6; pattern += 1) {
      const wins = [...pattern.toString(2)].filter((bit) => bit === '1').length;
      const weight = times(power(fraction(1, 3), wins), power(fraction(2, 3), 6 - wins));
      counts[wins] = plus(counts[wins] ?? ZERO, weight);
    }

    for (const [wins, odds] of counts.entries()) expect(epochWins(series, wins)).toEqual(odds);
  });

  it.each([-1, 11])('are never %d of ten', (wins) => {
    for (const rankSalted of [false, true]) {
      expect(epochWins({ share: tenth, epochs: 10, rankSalted }, wins)).toEqual(ZERO);
    }
  });
});

describe('the last revealer', () => {
  it.each([
    [10, [fraction(1, 10), fraction(19, 100), fraction(3439, 10000)], ['0.569533', '0.814698']],
    [5, [fraction(1, 5), fraction(9, 25), fraction(369, 625)], ['0.832228', '0.971853']],
  ])('with a share of 1/%d leads after 0 to 4 choices as often', (parts, exact, rounded) => {
    const odds = [0, 1, 2, 3, 4].map((choices) => lastRevealerTop(fraction(1, parts), choices));

    expect(odds.slice(0, 3)).toEqual(exact);
    expect(odds.slice(3).map((value) => toNumber(value).toFixed(6))).toEqual(rounded);
  });

  it('leads in all sets of beacons but those that suit it nowhere', () => {
    for (const choices of [0, 1, 2, 3]) {
      const share = fraction(2, 5);
      let lost = ONE;
      for (let beacon = 0; beacon < 2 ** choices; beacon += 1)
        lost = times(lost, complement(share));

      expect(lastRevealerTop(share, choices)).toEqual(complement(lost));
    }
  });

  it('has a limited number of choices', () => {
    expect(lastRevealerTop(ONE, REVEAL_CHOICES_MAX)).toEqual(ONE);
    for (const choices of [-1, 0.5, REVEAL_CHOICES_MAX + 1]) {
      expect(() => lastRevealerTop(ONE, choices)).toThrow(RangeError);
    }
  });
});

/** P(top) over which of the keys are valid, the highest first, and over how many honest IDs are above. */
function stockByPatterns(forging: Omit<EpochForging, 'salt'>): Fraction {
  const { honest, stockKeys, windowTests, difficultyBits } = forging;
  // Without enough stock the tests left over go to fresh keys, so there is nothing to choose from.
  if (windowTests >= stockKeys)
    return topExactly({ honest, difficultyBits, attempts: windowTests });
  const valid = fraction(1, 2 ** difficultyBits);
  let sum = ZERO;
  for (let pattern = 0; pattern < 2 ** windowTests; pattern += 1) {
    const keys = Array.from({ length: windowTests }, (_, bit) => (pattern >> bit) % 2 === 1);
    const weight = keys.map((good) => (good ? valid : complement(valid))).reduce(times, ONE);
    const best = keys.indexOf(true);
    // The key with that index of the stock leads if no honest ID is among the highest best + 1 of all.
    const leads = best < 0 ? ZERO : topRanks({ honest, forged: stockKeys }, best + 1);
    sum = plus(sum, times(weight, leads));
  }
  return sum;
}
