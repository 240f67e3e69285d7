/**
 * @module
 * The output of `mine`, and what its progress has besides counts.
 */

import { z } from 'zod';

import { claimJsonSchema } from '../../identity/claim.ts';
import { ledgerSchema } from '../../mining/ledger.ts';
import { STRATEGY_NAMES } from '../../mining/strategy.ts';
import { oddsSchema } from './odds.ts';

export const mineOutput = z
  .object({
    found: z.boolean(),
    goal: z.string().meta({ description: 'With top resolved.', example: 'any' }),
    ending: z
      .enum(['found', 'attempts', 'hashes', 'stock', 'time', 'cancelled'])
      .describe('What ended the search. stock: every key in stock was tested.'),
    claim: z.union([claimJsonSchema, z.null()]),
    claims: z
      .array(claimJsonSchema)
      .readonly()
      .optional()
      .describe('With the goals count and pair: every claim.'),
    measured: z.object({ c1: z.int(), c2: z.int() }).nullable(),
    ledger: ledgerSchema,
    expectedBits: z
      .number()
      .nullable()
      .describe(
        'log2 of the attempts of such a search on average; null if only its budget ends it.',
      ),
    strategy: z.enum(STRATEGY_NAMES),
    stockpile: z.int().optional().describe('Keys that were made before the budget counted.'),
    seed: z.string().nullable().describe('Null if it was drawn, because it reveals the keys.'),
    replay: z.string(),
  })
  .meta({ id: 'MineResult' });

/** What a search has found and spent, without its secrets. */
export type MineOutput = z.output<typeof mineOutput>;

export const mineProgress = z.object({
  phase: z.enum(['stock', 'keys', 'solutions']),
  tested: z.int().describe('Candidates tested in this phase.'),
  perSecond: z.number(),
  bestBits: z.int().nullable().describe('Null before the first candidate.'),
  keys: z
    .int()
    .describe(
      'Keys found so far that meet the goal and the static puzzle, with or without their solution.',
    ),
  highest: z
    .object({
      attempt: z.int().describe('Number of attempts before the one that found it.'),
      nodeId: z.string(),
    })
    .nullable()
    .describe('The one of these keys with the highest rank.'),
  ledger: ledgerSchema.describe('The ledger if the search ended now.'),
  odds: oddsSchema
    .nullable()
    .describe(
      'A search has no memory, so there is no remaining time. Null if only the budget ends it.',
    ),
});
