/**
 * @module
 * The plans of adversaries over epochs against a dynamic program over all orders of work. A plan that is called
 * `argued` has the value of the best order in 60 drawn instances of each property, salt and kind of budget; the
 * edges have 20.
 * Closed forms and simulated runs are compared with the same program, or with epochs that are played key by key.
 */

import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { threatModelSchema } from '../../../src/experiment/document/threat-model.ts';
import { choosePlan } from '../../../src/experiment/response/epoch-plans.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import type { KeyPlan } from '../../../src/experiment/theory/epoch-conduct.ts';
import { informedLead } from '../../../src/experiment/theory/epoch-odds.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { IS_WHOLE } from '../../sample.ts';
import { onlyOf, STILL, topId } from '../models.ts';
import type { Count } from '../oracles/frequency.ts';
import { expectCounts } from '../oracles/frequency.ts';
import { playExplicitly } from './explicit.ts';
import type { Instance } from './solver.ts';
import { orderValue, POLICIES } from './solver.ts';

const PROPERTIES = [
  'adversary-leads',
  'adversary-leads-once',
  'top-captured',
  'majority-captured',
] as const;
const SALTS = ['none', 'puzzle', 'rank', 'both'] as const;
const KINDS = ['attempts', 'hashes'] as const;
const CELLS = PROPERTIES.flatMap((property) =>
  SALTS.flatMap((salt) => KINDS.map((kind) => [property, salt, kind] as const)),
);
const INSTANCES = IS_WHOLE ? 60 : 20;
const SEED = parseSeed('40');

/**
 * The most that the best order of work gained over a plan that is only the best known, rounded up to thousandths. Fewer instances
 * gain at most as much.
 * Lifetimes of several epochs, and questions about each epoch, are the cases.
 */
const MARGINS: Readonly<Record<string, number>> = {
  'adversary-leads puzzle attempts': 0.042,
  'adversary-leads puzzle hashes': 0.063,
  'adversary-leads both hashes': 0.017,
  'adversary-leads-once puzzle attempts': 0.051,
  'adversary-leads-once puzzle hashes': 0.038,
  'adversary-leads-once both attempts': 0.006,
  'top-captured puzzle attempts': 0.034,
  'top-captured puzzle hashes': 0.04,
  'top-captured both hashes': 0.005,
  'majority-captured both hashes': 0.036,
};

describe('the plan for keys', () => {
  it.each(CELLS)('of %s, salt %s, in %s: no order is better, or by this', (...cell) => {
    const [property, salt, kind] = cell;
    let margin = 0;
    let argued = 0;
    for (let index = 0; index < INSTANCES; index += 1) {
      const instance = drawn(index, { property, salt, kind });
      const model = modelOf(instance);
      const { plan, origin } = choosePlan(model, adversaryOf(model));
      const best = orderValue(instance, null);
      const own = orderValue(instance, policyOf(plan));
      expect(own).toBeLessThanOrEqual(best + 1e-12);
      if (origin === 'argued') {
        argued += 1;
        expect(own, JSON.stringify(instance)).toBeCloseTo(best, 12);
      } else margin = Math.max(margin, best - own);
    }

    expect(argued).toBeGreaterThan(0);
    const gained = Math.max(0, Math.ceil(margin * 1000 - 1e-9)) / 1000;
    const most = MARGINS[cell.join(' ')] ?? 0;
    if (IS_WHOLE) expect(gained).toBe(most);
    else expect(gained).toBeLessThanOrEqual(most);
  });

  it.each(CELLS.filter(([property, salt]) => isByCount(property, salt)))(
    'of %s, salt %s, in %s has the value of the program in closed form and in runs',
    (property, salt, kind) => {
      let known = 0;
      const counts: Count[] = [];
      for (let index = 0; index < INSTANCES; index += 1) {
        const instance = drawn(index, { property, salt, kind });
        const open = modelOf(instance);
        const { plan } = choosePlan(open, adversaryOf(open));
        const model = planned(open, plan);
        const own = orderValue(instance, policyOf(plan));
        const { probability } = theoryOf(model, EMPTY_TALLY, null);
        if (probability !== null) {
          known += 1;
          expect(probability, JSON.stringify(instance)).toBeCloseTo(own, 9);
        }
        counts.push({
          runs: RUNS,
          wins: winsIn(model, RUNS, parseSeed(String(index))),
          exact: own,
        });
      }

      expectCounts(counts);
      if (property !== 'adversary-leads-once') expect(known).toBeGreaterThan(0);
    },
  );
});

/**
 * Number of runs of an instance. The runs of a whole cell show an error of 5 %. With the 200 runs of the slow suite they show
 * an error of 2 %.
 */
const RUNS = IS_WHOLE ? 200 : 40;

describe('keys above the honest IDs', () => {
  it.each(KINDS)('in %s lead in closed form as often as in the program', (kind) => {
    for (let index = 0; index < INSTANCES; index += 1) {
      const cell = { property: 'adversary-leads', salt: 'puzzle', kind } as const;
      const instance = { ...drawn(index, cell), lifetime: 1, saved: false };
      const { honest, ids, stock, epochs, budget, p: validProbability } = instance;
      const kept = stock + (epochs - 1) * budget;
      const prices = { key: 1, puzzle: kind === 'hashes' ? 1 : 0, kept: 1 };
      const forging = { stock: kept, units: budget, prices, validProbability };
      const odds = Array.from({ length: ids }, (_, top) => {
        const chance = ((top + 1) / ids) ** honest - (top / ids) ** honest;
        return chance * informedLead(forging, (ids - 1 - top) / ids);
      });

      const sum = odds.reduce((total, each) => total + each, 0);
      expect(sum, JSON.stringify(instance)).toBeCloseTo(
        orderValue(instance, POLICIES.informed),
        12,
      );
    }
  });

  it.each([
    // The sum over 3 000 values of q by another program. The others are E[K/(n+K)] and key by key.
    ['puzzle', 'informed', { attempts: 700 }, 0, '0.3975'],
    ['puzzle', 'retest', { attempts: 700 }, 0, '0.3437'],
    ['puzzle', 'fresh', { attempts: 700 }, 0, '0.1471'],
    ['both', 'fresh', { hashes: 1400 }, 5000, '0.1471'],
    ['both', 'retest', { hashes: 1400 }, 5000, '0.2578'],
  ] as const)(
    'n = 15, c1 = 8, salt %s, %s, %o, stock %d: %s',
    (salt, plan, budget, stockpile, text) => {
      const setting = { honest: 15, c1: 8, epochs: 4, lifetime: 1, salt, budget, stockpile };
      const model = planned(document(setting), plan);

      expect(theoryOf(model, EMPTY_TALLY, null).probability?.toFixed(4)).toBe(text);
    },
  );
});

describe('drawn keys', () => {
  it.each(
    (['retest', 'informed'] as const).flatMap((plan) =>
      KINDS.flatMap((kind) =>
        [1, 2, 5].flatMap((lifetime) =>
          [false, true].map((each) => [plan, kind, lifetime, each] as const),
        ),
      ),
    ),
  )('%s, in %s, lifetime %d, each epoch %s: as if played key by key', (...cell) => {
    const [plan, kind, lifetime, each] = cell;
    const setting = { honest: 4, epochs: 5, lifetime, kind, budget: 12, stock: 9, plan, each };
    const random = createRandom(SEED, 'explicit', ...cell.map(String));
    // An error of 9 % of the runs shows, and of 6 % in the slow suite.
    const runs = IS_WHOLE ? 1500 : 600;
    let wins = 0;
    for (let run = 0; run < runs; run += 1) {
      const led = playExplicitly({ ...setting, p: 1 / 8 }, random);
      if (each ? led.includes(true) : led.at(-1) === true) wins += 1;
    }
    const model = planned(
      document({
        ...{ honest: 4, c1: 3, epochs: 5, lifetime, salt: 'puzzle', stockpile: 9 },
        budget: { [kind]: 12 },
        property: each ? 'adversary-leads-once' : 'adversary-leads',
      }),
      plan,
    );

    // Two samples: the interval of one at a level that allows for the other.
    const [low, high] = exactInterval({ wins, runs, confidence: 0.99999 });
    const frequency = winsIn(model, 5 * runs) / (5 * runs);
    expect(frequency).toBeGreaterThanOrEqual(low);
    expect(frequency).toBeLessThanOrEqual(high);
  });
});

/** The other plans are about properties that the program does not know, and test keys as in retest. */
function policyOf(plan: KeyPlan) {
  return plan === 'fresh' || plan === 'informed' ? POLICIES[plan] : POLICIES.retest;
}

function isByCount(property: Instance['property'], salt: Instance['salt']): boolean {
  return property === 'majority-captured' || salt === 'rank' || salt === 'both';
}

function winsIn(model: ThreatModel, runs: number, seed = SEED): number {
  const { wins } = executeRuns(model, seed, { from: 0, count: runs }, STILL);
  return wins[0] ?? 0;
}

function adversaryOf(model: ThreatModel) {
  return onlyOf(Object.values(model.adversaries));
}

function planned(model: ThreatModel, plan: KeyPlan): ThreatModel {
  return { ...model, adversaries: { main: { ...adversaryOf(model), plan } } };
}

interface Described {
  readonly honest: number;
  readonly c1: number;
  readonly epochs: number;
  readonly lifetime: number | null;
  readonly salt: Instance['salt'];
  readonly budget: Readonly<Record<string, number>>;
  readonly stockpile: number;
  readonly saved?: boolean;
  readonly property?: Instance['property'];
  readonly count?: number;
}

function document(of: Described): ThreatModel {
  const { honest, c1, epochs, lifetime, salt, budget, stockpile, saved = false } = of;
  const { property = 'adversary-leads', count = 1 } = of;
  const words = { title: 't', assumes: 'a', can: 'a', cannot: 'a', wants: 'a', outcome: 'a' };
  return threatModelSchema.parse({
    ...{ id: 'drawn', ...words, work: 'sampled', network: { honest, identity: { c1 } } },
    epochs: {
      ...{ count: epochs, salt, unspent: saved ? 'saved' : 'lost' },
      ...(lifetime === null ? {} : { lifetime }),
    },
    adversaries: { main: { budget, ...(stockpile === 0 ? {} : { stockpile }) } },
    expect: { property, count, comparison: 'at-most', probability: 0.5 },
  });
}

function modelOf({ p, kind, budget, stock, ...instance }: Instance): ThreatModel {
  const [c1, stockpile] = [-Math.log2(p), stock];
  return document({ ...instance, c1, budget: { [kind]: budget }, stockpile });
}

function drawn(index: number, cell: Pick<Instance, 'property' | 'salt' | 'kind'>): Instance {
  const random = createRandom(SEED, ...Object.values(cell), index);
  const of = <T extends NonNullable<unknown> | null>(first: T, ...others: readonly T[]): T =>
    [first, ...others][random.below(1 + others.length)] ?? first;
  const epochs = of(1, 2, 3);
  return {
    ...cell,
    honest: of(1, 2, 3),
    p: of(1 / 2, 1 / 4),
    ids: cell.salt === 'rank' || cell.salt === 'both' ? 1 : epochs === 3 ? 2 : 3,
    epochs,
    lifetime: of<number | null>(1, 1, 2, null),
    stock: of(0, 1, 2),
    budget: epochs === 3 ? of(1, 2) : of(1, 2, 3),
    saved: of(false, false, true),
    count: 2,
    knows: true,
  };
}

/**
 * P(the adversary leads the last of four epochs) as 300 runs of a separate program gave it, which tests in each window the
 * keys above the present honest IDs. 15 honest nodes, 8 bits; each bound is three standard errors below.
 */
const UNDER_CHURN = [
  ['none', 0.001, { iterations: 1000, hashes: 1e5 }, 0.757 - 0.075],
  ['none', 0.05, { iterations: 1000, hashes: 1e5 }, 0.73 - 0.08],
  ['none', 0.001, { iterations: 50, hashes: 5000 }, 0.58 - 0.085],
  ['none', 0.05, { iterations: 1, hashes: 1400 }, 0.57 - 0.085],
  ['puzzle', 0.05, { iterations: 1, hashes: 1400 }, 0.777 - 0.075],
] as const;

describe('if honest nodes leave and join', () => {
  it.each(UNDER_CHURN)('salt %s, churn %d, %o: the plan reaches %d', (...row) => {
    const [salt, churn, { iterations, hashes }, least] = row;
    const model = topId(
      ...['work=sampled', 'network.honest=15', 'network.identity.c1=8'],
      `network.identity.puzzle={function: iterated, iterations: ${iterations}}`,
      `epochs={count: 4, salt: ${salt}, churn: ${churn}}`,
      `adversaries.main.budget={hashes: ${hashes}}`,
    );
    const runs = 600;

    const { wins } = executeRuns(model, SEED, { from: 0, count: runs }, STILL);

    expect((wins[0] ?? 0) / runs).toBeGreaterThan(least - 3 * Math.sqrt(0.25 / runs));
    expect(choosePlan(model, adversaryOf(model))).toMatchObject({ origin: 'best-found' });
  });
});
