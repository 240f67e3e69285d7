/**
 * @module
 * Epochs against an oracle that counts, for each salt and lifetime with an independent answer: drawn documents for each.
 * The adversary keeps every key that it has made. With a salted puzzle alone, its plan is to test them from the highest down.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns, settled } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { DRAWN_DOCUMENTS } from '../../sample.ts';
import { STILL } from '../models.ts';
import type { Count } from './frequency.ts';
import { expectCounts } from './frequency.ts';
import type { Draw } from './instances.ts';
import { budgeted, documentOf, drawer } from './instances.ts';
import { lawOf } from './orders.ts';

const RUNS = { sampled: Number(process.env.ORACLE_RUNS ?? 20), mined: 1 };
/** Identities that are drawn, and identities that are made. */
const WORKS = ['sampled', 'mined'] as const;

interface Plan {
  readonly honest: number;
  readonly chance: number;
  readonly epochs: number;
  readonly stock: number;
  readonly tests: number;
  /** Beacons among which the adversary chooses. */
  readonly beacons: number;
}

const leadsLast = ({ honest, beacons }: Plan, claims: number) =>
  1 - (honest / (honest + claims)) ** beacons;

/**
 * The claims of all windows count, each window adds those of its tests, and the first one those of the stock, if it is
 * worth anything. `missed` is the probability that no epoch so far was led, given the claims.
 */
function drawnRanks(plan: Plan, stock: number, once: boolean): number {
  const extend = (epoch: number, claims: number): number => {
    if (epoch === plan.epochs) return once ? 0 : leadsLast(plan, claims);
    const law = lawOf(plan.tests + (epoch === 0 ? stock : 0), plan.chance);
    return law.reduce((sum, weight, found) => {
      const led = once ? leadsLast(plan, claims + found) : 0;
      return sum + weight * (led + (1 - led) * extend(epoch + 1, claims + found));
    }, 0);
  };
  return extend(0, 0);
}

/** Each epoch has claims of its own window alone. */
function ownWindows(plan: Plan, once: boolean): number {
  const single = drawnRanks({ ...plan, epochs: 1 }, 0, false);
  return once ? 1 - (1 - single) ** plan.epochs : single;
}

/** The kept keys are tested from the highest down in the last window. Then new keys are made. */
function retested({ honest, chance, epochs, stock, tests }: Plan): number {
  const kept = stock + (epochs - 1) * tests;
  const pool = Math.max(kept, tests);
  const walk = (keys: number, left: number): number => {
    if (left === 0 || keys === 0) return 0;
    return (keys / (keys + honest)) * (chance + (1 - chance) * walk(keys - 1, left - 1));
  };
  return walk(pool, tests);
}

/** The highest of all keys is tested in some window. IDs stay, and so do the honest ones. */
function keptIds({ honest, chance, epochs, stock, tests }: Plan): number {
  return lawOf(stock + epochs * tests, chance).reduce(
    (sum, weight, claims) => sum + (weight * claims) / (honest + claims),
    0,
  );
}

const CELLS: readonly (readonly [string, string, number | null, (plan: Plan) => number])[] = [
  ['adversary-leads', 'none', null, keptIds],
  ['adversary-leads', 'none', 1, keptIds],
  ['adversary-leads-once', 'none', null, keptIds],
  ['adversary-leads-once', 'none', 2, keptIds],
  ['adversary-leads', 'rank', null, (plan) => drawnRanks(plan, plan.stock, false)],
  ['adversary-leads', 'rank', 1, (plan) => drawnRanks(plan, plan.stock, false)],
  ['adversary-leads-once', 'rank', null, (plan) => drawnRanks(plan, plan.stock, true)],
  ['adversary-leads-once', 'rank', 1, (plan) => drawnRanks(plan, plan.stock, true)],
  ['adversary-leads', 'both', null, (plan) => drawnRanks(plan, 0, false)],
  ['adversary-leads', 'both', 1, (plan) => ownWindows(plan, false)],
  ['adversary-leads-once', 'both', null, (plan) => drawnRanks(plan, 0, true)],
  ['adversary-leads-once', 'both', 1, (plan) => ownWindows(plan, true)],
  ['adversary-leads', 'puzzle', 1, retested],
];

function drawn(draw: Draw, salt: string): Plan {
  const isDrawn = salt === 'rank' || salt === 'both';
  return {
    ...{ honest: 1 + draw(4), chance: 2 ** -draw(4), epochs: 1 + draw(4) },
    ...{ stock: draw(5), tests: draw(6), beacons: isDrawn ? 2 ** draw(3) : 1 },
  };
}

describe.each(CELLS)('%s with salt %s and lifetime %s', (property, salt, lifetime, oracle) => {
  // A test of a kept key, and a new key below the honest IDs, take less time than a new key and its test:
  // ../epochs/plans.test.ts has those budgets.
  const budgets = salt === 'rank' ? (['attempts', 'seconds'] as const) : (['attempts'] as const);
  const rows = WORKS.flatMap((work) => budgets.map((budget) => [budget, work] as const));
  it.each(rows)('and a budget in %s, %s', (budget, work) => {
    const draw = drawer(property.length + 31 * salt.length + 961 * (lifetime ?? 0) + budget.length);
    const counts: Count[] = [];
    for (let index = 0; index < DRAWN_DOCUMENTS; index += 1) {
      const plan = drawn(draw, salt);
      const stockpile = {
        ...(plan.stock === 0 ? {} : { stockpile: plan.stock }),
        ...(salt === 'puzzle' ? { plan: 'retest' } : {}),
      };
      const model = documentOf({
        ...{ work, network: { honest: plan.honest, identity: { c1: -Math.log2(plan.chance) } } },
        epochs: { count: plan.epochs, salt, ...(lifetime === null ? {} : { lifetime }) },
        adversaries: [
          { ...budgeted(budget, plan.tests, 1), ...stockpile, reveals: Math.log2(plan.beacons) },
        ],
        expect: { property },
      });
      const exact = oracle(plan);
      const { probability } = theoryOf(model, EMPTY_TALLY, null);
      if (probability !== null) expect(probability, JSON.stringify(plan)).toBeCloseTo(exact, 9);
      const seed = parseSeed(String(index));
      const { wins } = executeRuns(model, seed, { from: 0, count: RUNS[work] }, STILL);
      counts.push({ runs: RUNS[work], wins: wins[0] ?? 0, exact });
    }
    expectCounts(counts);
  });
});

/**
 * Budgets in hashes, and claims of one epoch. A key costs one hash, its test another one. The early windows make keys
 * alone, which the last one tests. If their ranks are not drawn, no key below the honest IDs is tested.
 */
const HASHED = {
  both({ honest, chance }: Plan, kept: number, hashes: number): number {
    const old = Math.min(kept, hashes);
    const law = lawOf(old + Math.floor((hashes - old) / 2), chance);
    return law.reduce((sum, weight, claims) => sum + (weight * claims) / (honest + claims), 0);
  },
  puzzle({ honest, chance }: Plan, kept: number, hashes: number): number {
    const lost = (share: number, old: number, left: number): number => {
      if (left <= 0) return 1;
      if (old > 0) return (1 - chance) * lost(share, old - 1, left - 1);
      const low = (1 - share) * lost(share, 0, left - 1);
      return low + share * (left < 2 ? 1 : (1 - chance) * lost(share, 0, left - 2));
    };
    const wonAt = (share: number) => {
      const above = lawOf(kept, share);
      const all = above.reduce((sum, weight, old) => sum + weight * lost(share, old, hashes), 0);
      return honest * (1 - share) ** (honest - 1) * (1 - all);
    };
    // Simpson's rule over the share of IDs above the honest ones.
    let sum = 0;
    for (let panel = 0; panel < 64; panel += 1) {
      const [from, to] = [panel / 64, (panel + 1) / 64];
      sum += (wonAt(from) + 4 * wonAt((from + to) / 2) + wonAt(to)) / (6 * 64);
    }
    return sum;
  },
};

describe.each(['both', 'puzzle'] as const)('hashes with salt %s and lifetime 1', (salt) => {
  it.each(WORKS)('pay for the tests of kept keys, in the best plan: %s', (work) => {
    const draw = drawer(salt.length);
    const counts: Count[] = [];
    for (let index = 0; index < DRAWN_DOCUMENTS; index += 1) {
      const plan = { ...drawn(draw, ''), chance: 2 ** -(1 + draw(3)), epochs: 1 + draw(3) };
      const hashes = 1 + draw(6);
      const stockpile = plan.stock === 0 ? {} : { stockpile: plan.stock };
      const model = documentOf({
        ...{ work, network: { honest: plan.honest, identity: { c1: -Math.log2(plan.chance) } } },
        epochs: { count: plan.epochs, salt, lifetime: 1 },
        adversaries: [{ budget: { hashes }, ...stockpile }],
        expect: { property: 'adversary-leads' },
      });
      const exact = HASHED[salt](plan, plan.stock + (plan.epochs - 1) * hashes, hashes);
      const { probability } = theoryOf(settled(model, null).model, EMPTY_TALLY, null);
      expect(probability, JSON.stringify({ plan, hashes })).toBeCloseTo(exact, 6);
      const seed = parseSeed(String(index));
      const { wins } = executeRuns(model, seed, { from: 0, count: RUNS[work] }, STILL);
      counts.push({ runs: RUNS[work], wins: wins[0] ?? 0, exact });
    }
    expectCounts(counts);
  });
});
