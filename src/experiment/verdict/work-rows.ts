/**
 * @module
 * What honest nodes and the adversary have spent up to each epoch, side by side, and the share of the runs with the
 * property after it. Defences by work are compared by the spend rate of the honest nodes as a function of that of the
 * adversary and of the joins (Gupta, Saia and Young, Bankrupting Sybil Despite Churn, 2021).
 */

import { z } from 'zod';
import { realBits } from '../../mining/policy-cost.ts';
import { HONEST_STRATEGY, STRATEGIES } from '../../mining/strategies.ts';
import { joinCost } from '../cost/honest-cost.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { keyTime, rateOf } from '../runs/budget.ts';
import { epochPlanOf } from '../runs/epochs-run.ts';
import type { EpochTally } from '../runs/tally.ts';
import type { Sides, Spent } from '../theory/epoch-conduct.ts';
import { addWork, bySide, NO_WORK } from '../theory/epoch-conduct.ts';
import { exactInterval, meanInterval } from '../theory/statistics.ts';

/** A row for each epoch. `rateMeasured` is null if no rate is known. */
export function workRows(
  model: ThreatModel,
  epochs: readonly EpochTally[],
  { runs, rateMeasured }: { readonly runs: number; readonly rateMeasured: SearchRates },
): readonly WorkRow[] {
  const { confidence } = model.expect;
  const expenses = expensesOf(model, rateMeasured);
  const mean = (spent: Sides<Spent>) => bySide(spent, expenses, (of, expense) => expense(of, runs));
  let sum: Sides<Spent> = { honest: NO_WORK, adversary: NO_WORK };
  const rows = epochs.map(({ spent, joins, squares, wins }, epoch): WorkRow => {
    sum = bySide(sum, spent, addWork);
    const { honest, adversary } = sum;
    return {
      epoch,
      joins: { honest: joins.honest / runs, adversary: joins.adversary / runs },
      inEpoch: mean(spent),
      sum: mean(sum),
      interval: bySide(sum, squares, ({ attempts }, square) =>
        meanInterval({ runs, sum: attempts, squares: square, confidence }),
      ),
      ratio: honest.attempts === 0 ? null : adversary.attempts / honest.attempts,
      chance: epoch === 0 ? null : wins / runs,
      chanceInterval: epoch === 0 ? null : exactInterval({ wins, runs, confidence }),
    };
  });
  return rows.filter(({ epoch, sum: { adversary } }) => epoch > 0 || adversary.attempts > 0);
}

/** The function that gives each side the mean expense of an amount of work in all runs. */
function expensesOf(model: ThreatModel, rateMeasured: SearchRates) {
  const { scheme, ...policy } = model.network.identity;
  const [adversary] = adversariesOf(model).map(([, each]) => each);
  const { perId, perPuzzle } = epochPlanOf(model, rateMeasured).conduct.hashes;
  const isKnown =
    adversary?.rate !== undefined && (typeof adversary.rate === 'number' || rateMeasured !== null);
  const rates = {
    honest: joinCost(model, rateMeasured).rate?.candidatesPerSecond ?? null,
    adversary: isKnown ? rateOf(model, adversary, rateMeasured) : null,
  };
  const node: Pick<Adversary, 'strategy' | 'rate' | 'keyRate'> = { strategy: HONEST_STRATEGY };
  return bySide(rates, { honest: node, adversary: adversary ?? node }, (rate, spender) => {
    const { strategy } = spender;
    const { groupOperations } = STRATEGIES[strategy].cost(policy, scheme);
    const key = keyTime(spender, { hashes: perId, groupOperations }, perPuzzle);
    return ({ attempts, hashes, keys, cpuSeconds }: Spent, runs: number): Expense => {
      const time = hashes + keys * (key - perId);
      // A rate counts new keys whose puzzle is evaluated.
      const drawn = rate === null ? null : time / (key + perPuzzle) / rate / runs;
      return {
        attempts: attempts / runs,
        hashes: hashes / runs,
        groupOperations: (keys * groupOperations) / runs,
        cpuSeconds: model.work === 'mined' ? cpuSeconds / runs : drawn,
      };
    };
  });
}

/** The spend rates over all epochs, of which there is at least one. */
export function spendRates({ network }: ThreatModel, rows: readonly WorkRow[]): SpendRates {
  const last = rows.at(-1);
  if (last === undefined) throw new TypeError('"rows" expected at least one, got none');
  const { epoch, sum } = last;
  const [honest, adversary] = [sum.honest.attempts / epoch, sum.adversary.attempts / epoch];
  const joined = rows.reduce((total, row) => total + row.joins.honest, 0);
  const joins = (joined / epoch) * 2 ** realBits(network.identity).c1;
  return { honest, adversary, joins, ergo: Math.sqrt(adversary * joins) + joins };
}

const sides = <T extends z.ZodType>(of: T) => z.object({ honest: of, adversary: of });
const intervalSchema = z.array(z.number()).length(2).readonly();
const workSchema = sides(
  z.object({
    attempts: z.number(),
    hashes: z.number(),
    groupOperations: z.number(),
    cpuSeconds: z
      .number()
      .nullable()
      .describe('Measured if identities are mined, else at the rate; null if no rate is known.'),
  }),
);

/** Means over all runs, with intervals at the confidence of the document. */
export const workRowSchema = z.object({
  epoch: z.int().describe('From 1; 0 is what was done before the first epoch.'),
  joins: sides(z.number()).describe('Identities that were earned in the epoch.'),
  inEpoch: workSchema,
  sum: workSchema.describe('In all epochs up to this one.'),
  interval: sides(intervalSchema.nullable()).describe(
    'Intervals of the attempts in sum; null for a single run.',
  ),
  ratio: z
    .number()
    .nullable()
    .describe('Attempts of the adversary for each one of the honest nodes, up to this epoch.'),
  chance: z
    .number()
    .nullable()
    .describe(
      'Share of the runs in which the property holds after this epoch, although the adversary plans for the last one; null before the first.',
    ),
  chanceInterval: intervalSchema.nullable(),
});

export type WorkRow = z.output<typeof workRowSchema>;

/** Mean work of a run. */
type Expense = z.output<typeof workSchema>['honest'];

/** The lower and the upper end. */
export type Interval = z.output<typeof intervalSchema>;

/** Work in an epoch, on average over all epochs. */
export const spendRatesSchema = z
  .object({
    honest: z.number().describe('A: attempts of all honest nodes.'),
    adversary: z.number().describe('T: attempts of the adversary, with any stock.'),
    joins: z
      .number()
      .describe(
        'J: attempts that an identity costs in the first epoch, times the identities that honest nodes earned.',
      ),
    ergo: z.number().describe('√(TJ) + J: to within a constant factor, A of the defence Ergo.'),
  })
  .describe('Work on average over the epochs. Only with epochs.');

export type SpendRates = z.output<typeof spendRatesSchema>;
