/**
 * @module
 * The binomial law in doubles against exact fractions, and the draw of K against the law, by Pearson's chi-square over cells
 * of about equal probability. The seeds are fixed, so a test that passes once passes always.
 */

import { describe, expect, it } from 'vitest';

import {
  binomialDrawer,
  binomialLowerTail,
  binomialProbability,
  binomialTail,
  drawBinomial,
  SUCCESSES_MAX,
} from '../../../src/experiment/theory/binomial-odds.ts';
import { normalQuantile } from '../../../src/experiment/theory/statistics.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { Fraction } from './exact/fraction.ts';
import { complement, fraction, plus, toNumber, ZERO } from './exact/fraction.ts';

const DRAWS = 20_000;
const CELLS = 40;

describe('the binomial law in doubles', () => {
  // Factorials below 17 are exact. From there on their series is used.
  const laws = [0, 1, 2, 16, 17, 18, 30].flatMap((trials) =>
    [0, 1, 13, 32, 51, 63, 64].map((parts) => ({ trials, parts })),
  );

  it.each(laws)('is the exact one, term by term: $trials trials at $parts/64', (given) => {
    const { trials, parts } = given;
    const law = { trials, probability: parts / 64 };
    for (const [successes, term] of termsExactly(given).entries()) {
      expectClose(binomialProbability(law, successes), term, `${successes}`);
    }
    expect(binomialProbability(law, trials + 1)).toBe(0);
    expect(binomialProbability(law, -1)).toBe(0);
  });

  it.each(laws)('is the exact one in its tails: $trials trials at $parts/64', (given) => {
    const { trials, parts } = given;
    const law = { trials, probability: parts / 64 };
    let [below, most] = [ZERO, ZERO];
    for (const [count, term] of termsExactly(given).entries()) {
      [below, most] = [most, plus(most, term)];
      expectClose(binomialTail(law, count), complement(below), `at least ${count}`);
      // Above the mean it is what is left of 1, which keeps no more digits.
      if (count < trials * law.probability) {
        expectClose(binomialLowerTail(law, count), most, `at most ${count}`);
      } else {
        expect(binomialLowerTail(law, count), `at most ${count}`).toBeCloseTo(toNumber(most), 12);
      }
    }
    expect(binomialTail(law, trials + 1)).toBe(0);
    expect(binomialLowerTail(law, trials + 1)).toBe(1);
  });

  it('keeps the digits of the rare, as the Poisson tail has them', () => {
    const law = { trials: 2 ** 60, probability: 2 ** -80 };
    const mean = 2 ** -20;

    expect(binomialTail(law, 1) / -Math.expm1(-mean)).toBeCloseTo(1, 12);
    expect(binomialTail(law, 3) / ((mean ** 3 / 6) * (1 - 0.75 * mean))).toBeCloseTo(1, 11);
  });

  it('keeps the ratio of neighbours where the mean is large', () => {
    const law = { trials: 2 ** 60, probability: 2 ** -20 };
    const successes = 2 ** 40 + 1_000_003;
    const odds = law.probability / (1 - law.probability);

    const [one, next] = [successes, successes + 1].map((at) => binomialProbability(law, at));

    const ratio = ((law.trials - successes) / (successes + 1)) * odds;
    expect((next ?? 0) / (one ?? 0) / ratio).toBeCloseTo(1, 12);
  });

  it('has whole tails where its terms are too small for a double', () => {
    expect(binomialTail({ trials: 2 ** 40, probability: 0.5 }, 1)).toBe(1);
    expect(binomialLowerTail({ trials: 2 ** 40, probability: 2 ** -30 }, 2 ** 20)).toBe(1);
  });

  it('has all of its mass below the largest count of a tail', () => {
    expect(binomialLowerTail({ trials: 10, probability: 0.5 }, SUCCESSES_MAX)).toBe(1);
    expect(binomialLowerTail({ trials: 2 ** 40, probability: 0 }, SUCCESSES_MAX)).toBe(1);
  });

  it.each([-1, 0.5, SUCCESSES_MAX + 1])('has no tail from %d on', (count) => {
    const law = { trials: 2 ** 40, probability: 0.5 };

    expect(() => binomialTail(law, count)).toThrow(/"least"/);
    expect(() => binomialLowerTail(law, count)).toThrow(/"most"/);
  });
});

/** P(K = 0), P(K = 1), … for a probability in 64ths. */
function termsExactly({ trials, parts }: { readonly trials: number; readonly parts: number }) {
  let combinations = 1n;
  return Array.from({ length: trials + 1 }, (_, successes) => {
    if (successes > 0)
      combinations = (combinations * BigInt(trials - successes + 1)) / BigInt(successes);
    const weight =
      BigInt(parts) ** BigInt(successes) * BigInt(64 - parts) ** BigInt(trials - successes);
    return fraction(combinations * weight, 64n ** BigInt(trials));
  });
}

function expectClose(double: number, exact: Fraction, label: string): void {
  const expected = toNumber(exact);
  expect(Math.abs(double - expected), label).toBeLessThanOrEqual(1e-11 * expected);
}

describe('drawn binomials', () => {
  it.each([
    [1, 1],
    [7, 2],
    [64, 4],
    [1000, 1],
    [1000, 8],
    [4096, 6],
    [2 ** 20, 10],
    [2 ** 30, 10],
    [2 ** 40, 20],
    [2 ** 40, 30],
    [2 ** 40, 40],
    [2 ** 60, 58],
  ])('of %d trials at 2^-%d follow the exact law', (trials, bits) => {
    const random = createRandom(parseSeed('20'), trials, bits);
    const draws = Array.from({ length: DRAWS }, () => drawBinomial(random, trials, 2 ** -bits));

    const cells = binomialCells(trials, 2 ** -bits);

    const { statistic, freedom } = chiSquare(cells, draws);
    expect(freedom).toBeGreaterThanOrEqual(1);
    expect(statistic).toBeLessThan(chiSquareQuantile(freedom, 0.9999));
  });

  it.each([
    [0, 0.25, 0],
    [2 ** 60, 1, 2 ** 60],
    [1, 1, 1],
  ])('of %d trials at %d are always %d', (trials, probability, always) => {
    const random = createRandom(parseSeed('1'));

    expect(drawBinomial(random, trials, probability)).toBe(always);
  });

  it('fall short of a wrong law, so that the test can fail', () => {
    const random = createRandom(parseSeed('20'));
    const draws = Array.from({ length: DRAWS }, () => drawBinomial(random, 64, 0.0655));

    const { statistic, freedom } = chiSquare(binomialCells(64, 2 ** -4), draws);

    expect(statistic).toBeGreaterThan(chiSquareQuantile(freedom, 0.9999));
  });
});

describe('many draws of one binomial law', () => {
  it.each([
    [0, 0.3],
    [64, 0],
    [64, 1],
    [64, 1 / 16],
    [64, 15 / 16],
    [33, 0.5],
    [32, 0.5],
    [10, 0.3],
    [5, 0.7],
    [2 ** 40, 2 ** -40],
    [2 ** 50, 2 ** -44],
    [1000, 0.4],
  ])('are those of single draws: %d trials at %d', (trials, probability) => {
    const draw = binomialDrawer({ trials, probability });
    const [one, other] = [createRandom(parseSeed('7')), createRandom(parseSeed('7'))];
    for (let index = 0; index < 300; index += 1) {
      expect(draw(one)).toBe(drawBinomial(other, trials, probability));
    }
    expect(one.unit()).toBe(other.unit());
  });
});

/** Values up to and including `last` (and above the cell before), with this probability. */
interface Cell {
  readonly last: number;
  readonly probability: number;
}

/**
 * Neighbouring values joined until each cell has about 1/CELLS. Weights are found from the mode
 * outwards by the ratio of neighbours and then normalised, which is exact where factorials overflow.
 */
function binomialCells(trials: number, p: number): readonly Cell[] {
  const mode = Math.floor((trials + 1) * p);
  const reach = Math.ceil(12 * Math.sqrt(trials * p) + 40);
  const first = Math.max(0, mode - reach);
  const last = Math.min(trials, mode + reach);
  const odds = p / (1 - p);
  const above = [1];
  for (let k = mode; k < last; k += 1) {
    above.push((above.at(-1) ?? 0) * ((trials - k) / (k + 1)) * odds);
  }
  const below: number[] = [];
  let weight = 1;
  for (let k = mode; k > first; k -= 1) {
    weight *= k / (trials - k + 1) / odds;
    below.push(weight);
  }
  const weights = [...below.reverse(), ...above];
  const total = weights.reduce((sum, each) => sum + each, 0);
  const cells: Cell[] = [];
  let probability = 0;
  for (const [index, each] of weights.entries()) {
    probability += each / total;
    if (probability < 1 / CELLS) continue;
    cells.push({ last: first + index, probability });
    probability = 0;
  }
  const tail = cells.pop() ?? { last: 0, probability: 0 };
  return [...cells, { last: trials, probability: tail.probability + probability }];
}

function chiSquare(cells: readonly Cell[], draws: readonly number[]) {
  const counts = cells.map(() => 0);
  for (const draw of draws) {
    const index = cells.findIndex((cell) => draw <= cell.last);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  let statistic = 0;
  for (const [index, { probability }] of cells.entries()) {
    const expected = probability * draws.length;
    statistic += ((counts[index] ?? 0) - expected) ** 2 / expected;
  }
  return { statistic, freedom: cells.length - 1 };
}

/** Wilson and Hilferty 1931: the cube root of chi-square over its freedom is nearly normal. */
function chiSquareQuantile(freedom: number, probability: number): number {
  const spread = 2 / (9 * freedom);
  return freedom * (1 - spread + normalQuantile(probability) * Math.sqrt(spread)) ** 3;
}
