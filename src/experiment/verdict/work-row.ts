/**
 * @module
 * The work of honest nodes beside that of the adversary, by epoch, as reports, tables and charts have it.
 */

import { z } from 'zod';

const sides = <T extends z.ZodType>(of: T) => z.object({ honest: of, adversary: of });
const intervalSchema = z.array(z.number()).length(2).readonly();
const workSchema = sides(
  z.object({
    ...{ attempts: z.number(), hashes: z.number(), groupOperations: z.number() },
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
      'Share of the runs that would have the property if they ended with this epoch; null before the first.',
    ),
  chanceInterval: intervalSchema.nullable(),
});

export type WorkRow = z.output<typeof workRowSchema>;

/** Mean work of a run. */
export type Expense = z.output<typeof workSchema>['honest'];

/** The lower and the upper end. */
export type Interval = z.output<typeof intervalSchema>;

/** Work in an epoch, on average over all epochs. */
export const spendRatesSchema = z
  .object({
    honest: z.number().describe('A: attempts of all honest nodes.'),
    adversary: z.number().describe('T: attempts of the adversary.'),
    joins: z
      .number()
      .describe(
        'J: attempts that an identity costs in the first epoch, times the identities that honest nodes earned.',
      ),
    ergo: z.number().describe('√(TJ) + J: to within a constant factor, A of the defence Ergo.'),
  })
  .describe('Mean work in an epoch. Only with epochs.');

export type SpendRates = z.output<typeof spendRatesSchema>;
