/**
 * @module
 * This folder contains the operation `run`: a threat model is run, and its verdict is printed. This file has the schema
 * of its output.
 */

import { z } from 'zod';
import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { MODEL_AIMS } from '../../experiment/properties/property.ts';
import { ORIGINS } from '../../experiment/response/settle.ts';
import { OBSERVATION_NAMES } from '../../experiment/runs/observations.ts';
import { KEY_PLAN_NAMES } from '../../experiment/theory/epoch-conduct.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { honestCostMembers } from '../honest-cost.ts';
import { ledgerSchema } from '../ledger.ts';

/** A saved election in a request or in an output. Its other members are checked when it is held again. */
export const savedSchema = z
  .looseObject({
    format: z.literal(SAVED_RUN_FORMAT, `must be ${SAVED_RUN_FORMAT}`),
  })
  .meta({
    id: 'SavedElection',
    description:
      'A saved run in place of all other members but `run`: a file of `usurp elect --save`, or `saved` of an election in the result of a single run. Its seed and its ranks are in it.',
  });

const verdictSchema = z.object({
  value: z.enum(['true', 'false', 'unknown']),
  sentence: z.string(),
  reason: z.string(),
  confidence: z
    .number()
    .nullable()
    .describe('Of the interval that decides. Null if every run is the same.'),
});

const protocolsSchema = z
  .array(z.string())
  .readonly()
  .describe('Empty if no election was held. Several protocols can share their outcomes.');

const resultSchema = z.object({
  protocols: protocolsSchema,
  verdict: verdictSchema,
  measured: z.object({
    runs: z.int(),
    wins: z.int(),
    frequency: z.number(),
    interval: z
      .tuple([z.number(), z.number()])
      .readonly()
      .nullable()
      .describe('Null if every run is the same, so that one was made.'),
  }),
  theory: z.object({ probability: z.number().nullable(), formula: z.string() }),
  observations: z
    .partialRecord(z.enum(OBSERVATION_NAMES), z.number())
    .optional()
    .describe('Further observations of a single run.'),
  elections: z
    .array(
      z.object({
        protocol: z.string(),
        until: z
          .union([z.int(), z.literal('idle')])
          .describe('The tick to which the run advanced it, or `idle`.'),
        saved: savedSchema.describe('What holds it again, as `saved` of POST /v1/elections.'),
      }),
    )
    .readonly()
    .optional()
    .describe('The elections of a single run.'),
});

const responseSchema = z.object({
  adversary: z.string(),
  protocols: z.array(z.enum(PROTOCOL_NAMES)).readonly().describe('Empty if no election is held.'),
  aim: z.enum(MODEL_AIMS),
  count: z
    .string()
    .describe('Identities that it forges and registers: none, one, all or a number.'),
  where: z.string(),
  when: z.string(),
  behaviours: z.array(z.enum(BEHAVIOUR_NAMES)).readonly(),
  found: z
    .enum(ORIGINS)
    .describe(
      'fixed: by the document. argued: it follows from the rules. exhaustive: the best of all in pilot runs. best-found: the best of those that were tried.',
    ),
  reason: z.string(),
  notSearched: z.array(z.string()).readonly(),
  plan: z.enum(KEY_PLAN_NAMES).optional().describe('What it does with its keys, with epochs.'),
  plans: z
    .array(
      z.object({
        plan: z.enum(KEY_PLAN_NAMES),
        probability: z
          .number()
          .describe('Probability by the closed form, or frequency in the runs.'),
        runs: z.int().nullable().describe('Null if the closed form is known.'),
        interval: z.tuple([z.number(), z.number()]).readonly().nullable(),
      }),
    )
    .readonly()
    .optional()
    .describe('What each plan reaches, with epochs.'),
});

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

const workRowSchema = z.object({
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

const spendRatesSchema = z
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

const honestCostSchema = z
  .object(honestCostMembers)
  .meta({ id: 'HonestCost', description: 'What honest nodes pay to join and to remain.' });

/** The report of the runs of a threat model. */
export const runOutput = z
  .object({
    threatModel: z.string(),
    verdict: verdictSchema
      .extend({ protocols: protocolsSchema })
      .describe(
        'The worst of the results, and the protocols that decide it. With k protocols that have an interval, false takes one at 1 − α/k.',
      ),
    results: z.array(resultSchema).readonly().describe('One for each protocol.'),
    response: z.array(responseSchema).readonly().describe('How each adversary responds.'),
    elections: z.object({ held: z.int(), messages: z.int() }),
    ledger: z
      .object({ honest: ledgerSchema, adversaries: z.record(z.string(), ledgerSchema) })
      .nullable()
      .describe('What was spent; null if the work is sampled.'),
    workByEpoch: z
      .array(workRowSchema)
      .readonly()
      .optional()
      .describe(
        'Mean work of a run in each epoch, and in all epochs up to it: of all honest nodes together, and of the adversary. Only with epochs.',
      ),
    spendRates: spendRatesSchema.optional(),
    honestCost: honestCostSchema,
    replay: z.string().describe('Command that computes the same report.'),
  })
  .meta({ id: 'RunReport' });
