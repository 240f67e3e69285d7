/**
 * @module
 * The part of a threat model about one adversary: its budget, how it makes identities, its goal, and its
 * behaviour in elections.
 */

import { z } from 'zod';

import { BEHAVIOUR_NAMES } from '../../adversary/behaviours/registry.ts';
import { parseWish, WISH_FORMS } from '../../adversary/goals.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { quantity } from '../../quantities.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import { BUDGET_COUNT_MAX, ORDINARY_MAX, RATE_MAX, STOCKPILED_MAX } from './limits.ts';
import { integer, oneOf, seconds, someOf } from './wording.ts';

const budgetSchema = z
  .strictObject({
    attempts: integer(0, BUDGET_COUNT_MAX).optional().describe('Candidates tested.'),
    hashes: integer(0, BUDGET_COUNT_MAX).optional().describe('Hash evaluations.'),
    cpuSeconds: seconds().optional().describe('CPU seconds of all mining threads.'),
    wallSeconds: seconds().optional().describe('Wall-clock seconds.'),
  })
  .refine((budget) => Object.values(budget).some((bound) => bound !== undefined), {
    error: 'must have at least one bound: attempts, hashes, cpuSeconds or wallSeconds',
  })
  .meta({
    description:
      'Budget of the adversary for a run, or for the window of each epoch. The first bound that is reached ends the search. The default is 0 attempts.',
    minProperties: 1,
  });

const WISH_ERROR = `must be ${WISH_FORMS}`;
const RATE_ERROR = `must be candidates per second, a number above 0 up to ${RATE_MAX} such as 1e6 or 2^20, or measured`;
const rateSchema = quantity('number', { above: 0, max: RATE_MAX }, RATE_ERROR);

export const adversarySchema = z
  .strictObject({
    budget: budgetSchema.prefault({ attempts: 0 }),
    rate: z
      .union([rateSchema, z.literal('measured')], { error: RATE_ERROR })
      .optional()
      .describe('Candidates per second. Sampled work converts seconds into attempts by it.'),
    strategy: oneOf(STRATEGY_NAMES)
      .default(STRONGEST_STRATEGY)
      .describe(
        'How candidates are made. The default is the strongest strategy that a strict policy allows.',
      ),
    dynamicStrategy: oneOf(DYNAMIC_STRATEGY_NAMES)
      .optional()
      .describe(
        'How the dynamic puzzle is solved. The default is amortised-xor for the form xor, and dynamic for concat.',
      ),
    stockpile: integer(1, STOCKPILED_MAX)
      .optional()
      .describe(
        'Number of keys that are made before the budget begins to count: for the strategy stockpile, and before the first epoch.',
      ),
    goal: z
      .string({ error: WISH_ERROR })
      .refine((text) => parseWish(text) !== null, { error: WISH_ERROR })
      .default('top')
      .meta({
        description:
          'top: above every honest node ID. near:<id>: closer to it than every honest one. count:<k>: k identities. Also any, above:<id>, between:<id>:<id>.',
        examples: ['top', 'count:16'],
      }),
    identities: integer(0, ORDINARY_MAX)
      .default(0)
      .describe(
        'Number of ordinary identities beside the forged ones. They are made like the honest ones and have the lowest ranks.',
      ),
    behaviours: someOf(BEHAVIOUR_NAMES).default([]).meta({
      description:
        'What it does in elections instead of following the protocol. The first is nearest to the protocol. Elections are staged so that each can take effect, for example with a leader that crashes.',
      uniqueItems: true,
    }),
    reveals: integer(0, REVEAL_CHOICES_MAX)
      .default(0)
      .describe(
        'Number of contributions to the beacon of each epoch that it may withhold after it has seen all others. Each is one bit of choice.',
      ),
  })
  .describe('One adversary.');
