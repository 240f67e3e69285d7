/**
 * @module
 * The report of the runs of a threat model, as a schema.
 */

import { z } from 'zod';
import { ledgerSchema } from '../../mining/ledger.ts';
import { SAVED_RUN_FORMAT } from '../../simulation/report/saved-run.ts';
import { honestCostSchema } from '../cost/honest-cost.ts';
import { responseSchema } from '../response/report.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import { planOddsSchema } from './plan-odds.ts';
import { measuredSchema, verdictSchema } from './verdict.ts';
import { spendRatesSchema, workRowSchema } from './work-rows.ts';

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

const protocolsSchema = z
  .array(z.string())
  .readonly()
  .describe('Empty if no election was held. Several protocols can share their outcomes.');

const resultSchema = z.object({
  protocols: protocolsSchema,
  verdict: verdictSchema,
  measured: measuredSchema,
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
    response: z
      .array(
        responseSchema.extend({
          plans: z
            .array(planOddsSchema)
            .readonly()
            .optional()
            .describe('What each plan reaches, with epochs.'),
        }),
      )
      .readonly()
      .describe('How each adversary responds.'),
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

export type RunReport = z.output<typeof runOutput>;

/** The answer for a group of protocols. Runs without elections have one group without a protocol. */
export type GroupResult = RunReport['results'][number];
