/**
 * @module
 * The work of honest nodes and of the adversary up to each epoch, against expectations that walk through the states of
 * one honest node: 60 drawn documents with nodes that leave and join, drawn and mined.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import type { EpochTally } from '../../../src/experiment/runs/tally.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../models.ts';
import type { Count } from './frequency.ts';
import { expectCounts } from './frequency.ts';
import { documentOf, drawer } from './instances.ts';
import { lawOf } from './orders.ts';

const INSTANCES = 60;
const RUNS = { sampled: Number(process.env.ORACLE_RUNS ?? 100), mined: 4 };

interface Plan {
  readonly honest: number;
  readonly bits: number;
  readonly epochs: number;
  readonly churn: number;
  readonly newcomers: number;
  readonly lifetime: number | null;
  readonly most: number | null;
  readonly salt: 'none' | 'puzzle' | 'rank' | 'both';
  readonly stock: number;
  readonly tests: number;
  readonly keys: 'fresh' | 'retest' | 'informed';
}

/** The probability of a state, and two moments of a random sum, each counted only where the state is reached. */
type Moments = readonly [share: number, first: number, second: number];

/** The moments after an independent amount is added. */
function plus([m0, m1, m2]: Moments, [x0, x1, x2]: Moments): Moments {
  return [m0 * x0, m1 * x0 + m0 * x1, m2 * x0 + 2 * m1 * x1 + m0 * x2];
}

function total(all: readonly Moments[]): Moments {
  return all.reduce(([a, b, c], [x, y, z]) => [a + x, b + y, c + z], [0, 0, 0]);
}

/** The attempts of a node that mines: up to the first success, or all that it may make. */
function attemptLaws({ bits, most }: Plan): { readonly found: Moments; readonly failed: Moments } {
  const p = 2 ** -bits;
  const last = most ?? 2000;
  const found = Array.from({ length: last }, (_, index): Moments => {
    const share = p * (1 - p) ** index;
    return [share, share * (index + 1), share * (index + 1) ** 2];
  });
  const fails = most === null ? 0 : (1 - p) ** most;
  return { found: total(found), failed: [fails, fails * last, fails * last ** 2] };
}

interface Law {
  readonly mean: number;
  readonly variance: number;
}

/** The attempts of one honest node in its first epochs together, for each number of them. */
function lawsOfNode(plan: Plan): readonly Law[] {
  const { epochs, churn, lifetime, salt } = plan;
  const { found, failed } = attemptLaws(plan);
  const isSalted = salt === 'puzzle' || salt === 'both';
  // ages[a]: a claim has counted for a epochs; ages[0]: there is none.
  let ages: Moments[] = [[1, 0, 0]];
  return Array.from({ length: epochs }, (_, epoch) => {
    const leaving = epoch === 0 ? 0 : churn;
    const stayed = ages.map((each) => plus(each, [1 - leaving, 0, 0]));
    const without = [stayed[0] ?? NONE, ...ages.map((each) => plus(each, [leaving, 0, 0]))];
    const expired = lifetime === null ? NONE : (stayed[lifetime] ?? NONE);
    const mining = total(isSalted ? [...without, expired] : without);
    const next = [plus(mining, failed), total([plus(mining, found), isSalted ? NONE : expired])];
    for (const [age, each] of stayed.entries()) {
      if (age > 0 && age !== lifetime) next[age + 1] = each;
    }
    ages = Array.from(next, (each) => each ?? NONE);
    const [, mean, square] = total(ages);
    return { mean, variance: square - mean ** 2 };
  });
}

const NONE: Moments = [0, 0, 0];

/** The attempts of all honest nodes up to each epoch. A newcomer begins as a node of the first epoch. */
function honestSums(plan: Plan): readonly Law[] {
  const own = lawsOfNode(plan);
  return own.map((_, epoch) => {
    const of = (member: keyof Law) =>
      own.slice(0, epoch + 1).reduce((sum, law, age) => {
        return sum + law[member] * (age === epoch ? plan.honest : plan.newcomers);
      }, 0);
    return { mean: of('mean'), variance: of('variance') };
  });
}

const nodesAt = ({ honest, newcomers }: Plan, epoch: number) => honest + epoch * newcomers;

/** P(no key is both valid and above all honest ones), if there are this many keys. */
const missed = (plan: Plan, keys: number, epoch: number) => {
  const nodes = nodesAt(plan, epoch);
  return lawOf(keys, 2 ** -plan.bits).reduce(
    (sum, share, k) => sum + (share * nodes) / (nodes + k),
    0,
  );
};

/** Attempts up to each epoch. An informed one without a salt stops as soon as it has a key above. */
function adversarySums(plan: Plan): readonly Law[] {
  const { epochs, stock, tests, salt, keys, churn, newcomers } = plan;
  let sure = stock;
  // The adversary may leave out some windows. `windows` is their number. `mean` and `square` are the first two
  // moments of the number of them in which it works all the same.
  let [windows, mean, square] = [0, 0, 0];
  return Array.from({ length: epochs }, (_, epoch) => {
    const isKnown = (churn === 0 && newcomers === 0) || epoch === epochs - 1;
    if (salt === 'none' && keys === 'informed' && isKnown) {
      const share = missed(plan, stock + epoch * tests, epoch);
      mean += share;
      square += (2 * windows + 1) * share;
      windows += 1;
    } else sure += tests;
    return { mean: sure + tests * mean, variance: tests ** 2 * (square - mean ** 2) };
  });
}

function drawn(index: number): Plan {
  const draw = drawer(7919 * (index + 1));
  const salt = (['none', 'puzzle', 'rank', 'both'] as const)[draw(4)] ?? 'none';
  const keys = (['fresh', 'retest', 'informed'] as const)[draw(3)] ?? 'fresh';
  const plan: Plan = {
    ...{ honest: 1 + draw(5), bits: draw(5), epochs: 1 + draw(5), churn: draw(3) / 2 },
    ...{ newcomers: draw(3), lifetime: draw(2) === 0 ? null : 1 + draw(3), salt, keys },
    ...{ most: keys === 'informed' || draw(2) === 0 ? null : 1 + draw(20) },
    ...{ stock: draw(6), tests: draw(8) },
  };
  // A document is refused for a member that has no effect.
  const isUnread = keys === 'fresh' && (salt === 'puzzle' || salt === 'both');
  return {
    ...{ ...plan, stock: isUnread ? 0 : plan.stock },
    ...(plan.epochs === 1 ? { churn: 0, newcomers: 0 } : {}),
  };
}

function tallyOf(plan: Plan, work: 'sampled' | 'mined', index: number): readonly EpochTally[] {
  const { lifetime, most, stock } = plan;
  const model = documentOf({
    ...{ work, network: { honest: plan.honest, identity: { c1: plan.bits } } },
    epochs: {
      ...{ count: plan.epochs, salt: plan.salt, churn: plan.churn, newcomers: plan.newcomers },
      ...(lifetime === null ? {} : { lifetime }),
      ...(most === null ? {} : { honestAttempts: most }),
    },
    adversaries: [
      {
        ...{ budget: { attempts: plan.tests }, plan: plan.keys },
        ...(stock === 0 ? {} : { stockpile: stock }),
      },
    ],
    expect: { property: 'adversary-leads' },
  });
  const range = { from: 0, count: RUNS[work] };
  return executeRuns(model, parseSeed(String(index)), range, STILL).epochs ?? [];
}

describe.each(['sampled', 'mined'] as const)('%s work up to each epoch', (work) => {
  const plans = Array.from({ length: INSTANCES }, (_, index) => drawn(index));
  const tallies = plans.map((plan, index) => tallyOf(plan, work, index));
  const runs = RUNS[work];

  it.each(['honest', 'adversary'] as const)('agrees with the expectation: %s', (side) => {
    let [excess, variance] = [0, 0];
    for (const [index, plan] of plans.entries()) {
      const exact = (side === 'honest' ? honestSums : adversarySums)(plan);
      const [before, ...epochs] = tallies[index] ?? [];
      let sum = before?.spent[side].attempts ?? 0;
      for (const [epoch, { spent }] of epochs.entries()) {
        sum += spent[side].attempts;
        const law = exact[epoch] ?? { mean: Number.NaN, variance: 0 };
        const distance = sum / runs - law.mean;
        expect(Math.abs(distance), JSON.stringify({ plan, epoch, sum })).toBeLessThan(
          1e-9 + 7 * Math.sqrt(Math.max(0, law.variance) / runs),
        );
        if (epoch < plan.epochs - 1) continue;
        excess += distance;
        variance += law.variance / runs;
      }
    }
    expect(Math.abs(excess) / Math.sqrt(variance)).toBeLessThan(4.5);
  });

  it('gives the adversary its chance in each epoch, if every epoch is alone', () => {
    const counts: Count[] = [];
    for (const [index, plan] of plans.entries()) {
      const isAlone = plan.lifetime === 1 && plan.salt === 'both' && plan.most === null;
      if (!isAlone || plan.keys !== 'fresh') continue;
      for (const [epoch, { wins }] of (tallies[index] ?? []).slice(1).entries()) {
        counts.push({ runs, wins, exact: 1 - missed(plan, plan.tests, epoch) });
      }
    }
    expect(counts.length).toBeGreaterThan(0);
    expectCounts(counts);
  });
});
