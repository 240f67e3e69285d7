/**
 * @module
 * The part of a threat model that is about one adversary: what it may spend, how it makes identities,
 * what it wants of them, and how it behaves in elections.
 */

import { z } from 'zod';

import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { parseWish, WISH_FORMS } from '../../adversary/goals.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import { BUDGET_COUNT_MAX, ORDINARY_MAX, RATE_MAX, STOCKPILED_MAX } from './limits.ts';
import { integer, oneOf, seconds, someOf } from './wording.ts';

const budgetSchema = z
  .strictObject({
    attempts: integer(0, BUDGET_COUNT_MAX).optional().meta({ description: 'Candidates tested.' }),
    hashes: integer(0, BUDGET_COUNT_MAX).optional().meta({ description: 'Hash evaluations.' }),
    cpuSeconds: seconds().optional().meta({ description: 'CPU time of all mining threads.' }),
    wallSeconds: seconds().optional().meta({ description: 'Time on the wall.' }),
  })
  .refine((budget) => Object.values(budget).some((bound) => bound !== undefined), {
    error: 'must have at least one bound: attempts, hashes, cpuSeconds or wallSeconds',
  })
  .meta({
    description:
      'What the adversary may spend in a run, or in the window of each epoch; whichever bound comes first ends it. Nothing by default.',
    minProperties: 1,
  });

const WISH_ERROR = `must be ${WISH_FORMS}`;
const RATE_ERROR = `must be candidates per second, a number above 0 up to ${RATE_MAX}, or measured`;
const rateSchema = z
  .number({ error: RATE_ERROR })
  .gt(0, { error: RATE_ERROR })
  .max(RATE_MAX, { error: RATE_ERROR });

export const adversarySchema = z
  .strictObject({
    budget: budgetSchema.prefault({ attempts: 0 }),
    rate: z
      .union([rateSchema, z.literal('measured')], { error: RATE_ERROR })
      .optional()
      .meta({ description: 'Candidates per second: turns seconds into attempts in sampled work.' }),
    strategy: oneOf(STRATEGY_NAMES).default(STRONGEST_STRATEGY).meta({
      description: 'How candidates are made; the strongest that a strict policy allows by default.',
    }),
    dynamicStrategy: oneOf(DYNAMIC_STRATEGY_NAMES).optional().meta({
      description:
        'How the dynamic puzzle is solved; amortised-xor by default where its form is xor, else dynamic.',
    }),
    stockpile: integer(1, STOCKPILED_MAX).optional().meta({
      description:
        'Keys made before the budget begins to count: for the strategy stockpile, and before the first epoch.',
    }),
    goal: z
      .string({ error: WISH_ERROR })
      .refine((text) => parseWish(text) !== null, { error: WISH_ERROR })
      .default('top')
      .meta({
        description:
          'top: above every honest node ID. near:<id>: closer to it than every honest one. count:<k>: so many identities. Also any, above:<id>, between:<id>:<id>.',
        examples: ['top', 'count:16'],
      }),
    identities: integer(0, ORDINARY_MAX).default(0).meta({
      description:
        'Ordinary identities that it holds beside what it forges, made like the honest ones; of all that were made so they have the lowest ranks.',
    }),
    behaviours: someOf(BEHAVIOUR_NAMES).default([]).meta({
      description:
        'What it does in elections instead of following the protocol; the first is nearest to the protocol. Each gets its chance: an election under way, a leader that dies.',
      uniqueItems: true,
    }),
    reveals: integer(0, REVEAL_CHOICES_MAX).default(0).meta({
      description:
        'Contributions to the beacon of each epoch that it may withhold after it has seen all others: so many bits of choice.',
    }),
  })
  .meta({ description: 'One adversary.' });
