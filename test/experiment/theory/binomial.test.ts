/**
 * @module
 * The draw of K against the exact binomial law, by Pearson's chi-square over cells of about equal
 * probability. The seeds are fixed, so a test that passes once passes always.
 */

import { describe, expect, it } from 'vitest';

import { drawBinomial } from '../../../src/experiment/theory/binomial-odds.ts';
import { normalQuantile } from '../../../src/experiment/theory/statistics.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';

const DRAWS = 20_000;
const CELLS = 40;

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
