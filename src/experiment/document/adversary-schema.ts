/**
 * @module
 * The part of a threat model about one adversary: its budget, how it makes identities, its aim, and the parts
 * of its response that the document fixes.
 */

import { z } from 'zod';

import { PROTOCOL_NAMES } from '../../election/registry.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import { STRONGEST_STRATEGY } from '../../mining/strategies.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { quantity } from '../../quantities.ts';
import { MODEL_AIMS } from '../properties/property.ts';
import { KEY_PLAN_NAMES, KEY_PLANS } from '../theory/epoch-conduct.ts';
import { REVEAL_CHOICES_MAX } from '../theory/epoch-odds.ts';
import { BUDGET_COUNT_MAX, ORDINARY_MAX, RATE_MAX, STOCKPILED_MAX } from './limits.ts';
import { RESPONSE_PARTS } from './response-schema.ts';
import { integer, oneOf, seconds } from './wording.ts';

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

const RATE_ERROR = `must be candidates per second, a number above 0 up to ${RATE_MAX} such as 1e6 or 2^20, or measured`;
const rateSchema = quantity('number', { above: 0, max: RATE_MAX }, RATE_ERROR);

export const adversarySchema = z
  .strictObject({
    budget: budgetSchema.prefault({ attempts: 0 }),
    rate: z
      .union([rateSchema, z.literal('measured')], { error: RATE_ERROR })
      .optional()
      .describe(
        `Candidates per second if the puzzle of each is evaluated. Sampled work converts seconds into attempts by it. An adversary that needs one ID above the honest ones evaluates fewer puzzles, and makes more attempts in a second. Native code on one core: ${NATIVE_CORE.rate}.`,
      ),
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
    aim: oneOf(MODEL_AIMS)
      .optional()
      .describe(
        'What the adversary wants, for which its best response is chosen. The default follows from expect.property. lead: to be the leader. stop: that no leader lasts. split: two leaders at once. outlive-lease: to write after its lease. capture: as many identities as possible.',
      ),
    identities: integer(0, ORDINARY_MAX)
      .default(0)
      .describe(
        'Number of ordinary identities beside the forged ones. They are made like the honest ones and have the lowest ranks.',
      ),
    ...RESPONSE_PARTS,
    responses: z
      .partialRecord(
        oneOf(PROTOCOL_NAMES),
        z.strictObject(RESPONSE_PARTS).describe('Parts of the response for this protocol.'),
      )
      .optional()
      .describe('Parts of the response for one protocol, instead of those for all protocols.'),
    plan: oneOf(KEY_PLAN_NAMES)
      .optional()
      .describe(
        `With epochs: what it does with the keys that it has made. ${KEY_PLAN_NAMES.map((name) => `${name}: ${KEY_PLANS[name]}.`).join(' ')} The default is the best plan that is known.`,
      ),
    reveals: integer(0, REVEAL_CHOICES_MAX)
      .default(0)
      .describe(
        'Number of contributions to the beacon of each epoch that it may withhold after it has seen all others. Each is one bit of choice.',
      ),
  })
  .describe('One adversary.');
