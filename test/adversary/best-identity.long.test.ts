/**
 * @module
 * The search for the best identity of a budget: it stays within the budget, solves only keys that are worth it, and
 * beats rivals about as often as is possible at all, which a closed form bounds.
 */

import { describe, expect, it } from 'vitest';
import type { Rivalry } from '../../src/adversary/best-identity.ts';
import { expectedGain, hashesForSolution, mineBest } from '../../src/adversary/best-identity.ts';
import { bytesToHex } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import { staticBits } from '../../src/identity/ids/node-id.ts';
import type { Budget } from '../../src/mining/ledger.ts';
import type { MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { searcherOf } from '../../src/mining/strategies.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { clocksTicking, STOPPED_CLOCKS, taskWith } from '../mining/tasks.ts';

const kernels = kernelSource();
const SEEDS = Number(process.env.BEST_SEEDS ?? 40);

/** The share of IDs above this one. */
function shareAbove(nodeId: Uint8Array): number {
  return 1 - Number(`0x${bytesToHex(nodeId).slice(0, 13)}`) / 2 ** 52;
}

const RIVALRY: Rivalry = { rivals: 20, shareAbove };

/** The probability to beat all rivals with the best of these identities. */
function winsOf(
  identities: readonly { readonly claim: { readonly nodeId: Uint8Array } }[],
): number {
  const shares = identities.map(({ claim }) => shareAbove(claim.nodeId));
  return shares.length === 0 ? 0 : (1 - Math.min(...shares)) ** RIVALRY.rivals;
}

function taskOf(seed: number, budget: Budget, changes: Partial<MiningTask> = {}): MiningTask {
  const policy = { c1: 2, c2: 8 };
  return taskWith({ strategy: 'siblings', policy, seed: String(seed), budget, ...changes });
}

describe('the probability to beat 20 rivals', () => {
  it.each([512, 2048])('with %d hashes is near the bound of every order of the work', (hashes) => {
    const wins = seedsUpTo(SEEDS).map((seed) =>
      winsOf(mineBest(taskOf(seed, { hashes }), RIVALRY, STOPPED_CLOCKS, kernels).identities),
    );

    const [bound, chance] = [boundOf(hashes), 3 * (0.45 / Math.sqrt(SEEDS))];
    expect(meanOf(wins)).toBeLessThan(bound + chance);
    expect(meanOf(wins)).toBeGreaterThan(bound - 0.02 - chance);
  });

  it('is several times that of a search that solves each key', () => {
    const budget = { hashes: 512 };
    const goal = { type: 'count', identities: 10_000 } as const;
    const seeds = seedsUpTo(SEEDS / 4);
    const [best, each] = [
      (seed: number) => mineBest(taskOf(seed, budget), RIVALRY, STOPPED_CLOCKS, kernels),
      (seed: number) => mine(taskOf(seed, budget, { goal }), STOPPED_CLOCKS, kernels),
    ].map((search) => meanOf(seeds.map((seed) => winsOf(search(seed).identities))));

    expect(best).toBeGreaterThan(2 * (each ?? 1));
  });
});

describe('the search for the best', () => {
  const concat = taskOf(3, {});
  const xor = taskWith({
    ...{ strategy: 'siblings', dynamicStrategy: 'amortised-xor' },
    policy: { c1: 2, c2: 8, dynamic: 'xor' },
  });
  const stock = { ...concat, strategy: 'stockpile', stockpile: 4000 } as const;

  it.each([
    ['keys and X', concat],
    ['one Y for all', xor],
    ['keys in stock', stock],
  ])('spends no more hashes than it has, on an identity that is admitted: %s', (_name, task) => {
    let found = 0;
    for (let hashes = 300; hashes <= 5100; hashes += 400) {
      const result = mineBest({ ...task, budget: { hashes } }, RIVALRY, STOPPED_CLOCKS, kernels);

      const { ledger, identities } = result;
      expect(ledger.hashes).toBeLessThanOrEqual(hashes);
      expect(ledger.overshoot).toBeGreaterThanOrEqual(0);
      expect(identities.every(({ claim }) => admit(claim, task.policy).admitted)).toBe(true);
      found += identities.length;
    }
    expect(found).toBeGreaterThan(5);
  });

  it('takes the best of all keys if the budget counts attempts alone', () => {
    const budget = { attempts: 400 };
    const { identities, ledger } = mineBest(
      { ...concat, budget },
      RIVALRY,
      STOPPED_CLOCKS,
      kernels,
    );

    const searcher = searcherOf(concat);
    const ids = Array.from({ length: 400 }, (_, attempt) => searcher.candidate(attempt).nodeId);
    const valid = ids.filter((id) => staticBits(id, concat.policy) >= 2).map(bytesToHex);
    expect(identities.map(({ claim }) => bytesToHex(claim.nodeId))).toEqual(
      valid.toSorted().slice(-1),
    );
    expect(ledger.attempts).toBe(400);
  });

  it('of a stock solves the first valid key, which is its best', () => {
    const task = { ...stock, goal: { type: 'any' }, budget: { hashes: 5000 } } as const;

    const { identities } = mineBest(task, RIVALRY, STOPPED_CLOCKS, kernels);

    expect(identities).toEqual(mine(task, STOPPED_CLOCKS, kernels).identities);
  });

  it('keeps time for the solution if the budget is in seconds', () => {
    const clocks = clocksTicking({ cpu: 0.001, wall: 0.001 });

    const { identities, ledger } = mineBest(
      { ...concat, budget: { cpuSeconds: 2 } },
      RIVALRY,
      clocks,
      kernels,
    );

    expect(identities).toHaveLength(1);
    expect(ledger.cpuSeconds).toBeLessThan(2.1);
  });
});

describe('the moment to begin with the solution', () => {
  it.each([
    [0.5, 20],
    [0.01, 20],
    [1e-7, 20],
    [1e-6, 3],
  ])('weighs the gain of a key above the share %d of %d rivals', (share, rivals) => {
    const STEPS = 100_000;
    let sum = 0;
    for (let step = 0; step < STEPS; step += 1) {
      const above = (share * (step + 0.5)) / STEPS;
      // (1 − t)ⁿ − (1 − d)ⁿ without cancellation.
      const ratio = rivals * (Math.log1p(-above) - Math.log1p(-share));
      sum += (1 - share) ** rivals * Math.expm1(ratio);
    }
    const exact = (share * sum) / STEPS;

    expect(expectedGain(share, rivals) / exact).toBeCloseTo(1, 3);
  });

  it('is where a hash adds as much as it costs', () => {
    const [worth, gain, solving] = [0.4, 1e-5, 4096];
    const hashes = hashesForSolution(worth, { gain, solving });

    const chance = (left: number) => -Math.expm1(-left / solving);
    const lost = (chance(hashes + 1) - chance(hashes)) * worth;
    const won = chance(hashes) * gain;
    expect(lost / won).toBeCloseTo(1, 2);
  });

  it('is the end if a solution costs nothing, and at once if no key is better', () => {
    expect(hashesForSolution(0.4, { gain: 1e-5, solving: 0 })).toBe(0);
    expect(hashesForSolution(0.4, { gain: 0, solving: 256 })).toBe(Number.POSITIVE_INFINITY);
  });
});

function seedsUpTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, seed) => seed);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * No order of the work does better: X of the first key that is solved is found at attempt G of a geometric law, whichever
 * key it serves, and what is left finds keys, the best of which would be the solved one.
 */
function boundOf(hashes: number): number {
  const [solved, valid] = [2 ** -8, 2 ** -2];
  let bound = 0;
  for (let tries = 1; tries <= hashes; tries += 1) {
    const chance = solved * (1 - solved) ** (tries - 1);
    const keys = Math.floor((hashes - tries) / 2);
    bound += chance * topOdds(keys * valid);
  }
  return bound;
}

/** E[K/(n + K)] for a Poisson number of keys with this mean, as the integral of mean·tⁿ·e^(−mean(1 − t)). */
function topOdds(mean: number): number {
  const STEPS = 2000;
  let sum = 0;
  for (let step = 0; step < STEPS; step += 1) {
    const root = (step + 0.5) / STEPS;
    const below = 1 - root ** 2;
    sum += mean * below ** RIVALRY.rivals * Math.exp(-mean * root ** 2) * 2 * root;
  }
  return sum / STEPS;
}
