/**
 * @module
 * The cheapest attack over HTTP, as `usurp check --goal … --cost` finds it: what is asked, and the schema of the answer.
 */

import { z } from '@hono/zod-openapi';
import { hexToBytes } from '../../../src/bytes.ts';
import { ENDPOINTS_MAX, NO_FAULTS } from '../../../src/checking/instance.ts';
import { GOAL_NAMES } from '../../../src/checking/properties/goals.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { LabError } from '../../../src/errors.ts';
import type { CostlyAttack } from '../../../src/experiment/checks/cheapest-attack.ts';
import { placedRequest } from '../../../src/experiment/checks/cheapest-attack.ts';
import type { PricedPlacement } from '../../../src/experiment/checks/placements.ts';
import { honestNetwork } from '../../../src/experiment/checks/placements.ts';
import type { SUBMITTED_CHECK } from '../../../src/experiment/checks/request.ts';
import { policySchema } from '../../../src/identity/policy.ts';
import { requestedPolicySchema } from '../../claims/requested-policy.ts';
import { faultAt, pointingAt } from '../../contract/faults.ts';

/** Hexadecimal digits of the longest node ID. */
const ID_DIGITS_MAX = 128;

export const costSchema = z
  .strictObject({
    honest: z
      .array(
        z
          .string()
          .max(ID_DIGITS_MAX)
          .regex(/^(?:[0-9a-f]{2})+$/, 'must be lower-case hex'),
      )
      .min(1)
      .max(ENDPOINTS_MAX - 1)
      .describe('The honest nodes, as node IDs.'),
    policy: requestedPolicySchema.describe(
      'The policy under which identities join, or the name of one of GET /v1/policies.',
    ),
    colluders: z
      .int()
      .min(1)
      .max(ENDPOINTS_MAX - 1)
      .default(1)
      .describe('Most identities of the adversary.'),
    behaviours: z
      .array(z.string().max(64))
      .max(8)
      .default([])
      .describe('What each identity of the adversary does, the innermost first.'),
  })
  .meta({ id: 'CheckCost' });

export type Cost = z.output<typeof costSchema>;
type Submitted = Omit<z.output<typeof SUBMITTED_CHECK>, 'maxStates'>;

/** What has another meaning in each placement, or is of one search. */
const OF_ONE_CHECK = [
  ...['nodes', 'ring', 'initiators', 'crashedBefore', 'absent', 'phantoms', 'byzantine'],
  ...['cut', 'properties', 'walks', 'order'],
];

/** The defaults of the flags of `usurp check`, so that the answer states them. */
const DEFAULTS = {
  flags: {},
  starts: 'together',
  timing: 'asynchronous',
  order: 'breadth',
  reduction: 'on',
  symmetry: 'on',
} as const;

/** The attack whose cost is asked. Throws LabError for members that do not fit together. */
export function costlyAttackOf(submitted: Submitted, cost: Cost): CostlyAttack {
  const foreign = Object.keys(submitted).find((name) => OF_ONE_CHECK.includes(name));
  if (foreign !== undefined) {
    const detail = 'has another meaning in each placement of the identities: leave it out';
    throw faultAt('arguments', `/${foreign}`, detail);
  }
  const { goal } = submitted;
  if (goal === undefined) {
    const detail = `cost needs a goal: what the adversary wants, of ${GOAL_NAMES.join(', ')}`;
    throw faultAt('arguments', '/goal', detail);
  }
  const { honest, policy, colluders, behaviours } = cost;
  if (honest.length + colluders > ENDPOINTS_MAX) {
    const detail = `with ${honest.length} honest nodes at most ${ENDPOINTS_MAX - honest.length}`;
    throw faultAt('arguments', '/cost/colluders', detail);
  }
  const network = pointingAt('/cost/honest', () => honestNetwork(honest.map(hexToBytes), policy));
  const { timeout: _, ...none } = NO_FAULTS;
  const bounds = { ...none, ...submitted.bounds };
  const check = { ...DEFAULTS, ...submitted, bounds };
  const attack = { check, goal, behaviours, colluders, network };
  // What does not fit together depends on the number of identities only.
  for (let count = 0; count <= colluders; count += 1) {
    const below = Array.from({ length: count }, () => honest.length);
    assertPlaced(attack, { below, attempts: 0, hashes: 0 });
  }
  return attack;
}

/** Throws LabError about a member of the body if the check of a placement is not possible. */
function assertPlaced(attack: CostlyAttack, placement: PricedPlacement): void {
  try {
    placedRequest(attack, placement);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const [fault] = error.faults;
    const pointer = fault === undefined ? '' : (OF_PLACEMENTS[fault.pointer] ?? fault.pointer);
    throw faultAt(error.code, pointer, fault?.detail ?? error.message);
  }
}

/** The members of the body that become members of the check of a placement. */
const OF_PLACEMENTS: Readonly<Record<string, string>> = {
  '/ring': '/cost/colluders',
  '/byzantine': '/cost/behaviours',
  '/phantoms': '/cost/behaviours',
};

const costNumbers = {
  attempts: z.number().nullable().describe('Expected keys. Null if no number of them is enough.'),
  hashes: z.number().nullable().describe('Expected hash evaluations. Null like attempts.'),
};

const placement = {
  where: z.string().meta({ example: 'above all' }),
  ranks: z.array(z.int()).readonly().describe("The ranks of the adversary's identities."),
};

/** The answer as `usurp check --goal … --cost --json` prints it. `actions` is a list of actions with their effects. */
export function cheapestSchema<Action extends z.ZodType>(actionSchema: Action) {
  return z
    .object({
      result: z
        .enum(['reached', 'unreached', 'unknown'])
        .describe(
          'reached: some placement works. unreached: none does within the bounds. unknown: some were not decided.',
        ),
      protocol: z.enum(PROTOCOL_NAMES),
      goal: z.enum(GOAL_NAMES),
      property: z.string(),
      level: z.enum(LEVELS),
      behaviours: z.array(z.string()).readonly(),
      colluders: z.int(),
      check: z.looseObject({}).describe('The other members of all checks.'),
      honest: z.array(z.string()).readonly().describe('The honest node IDs by rank, rank 1 first.'),
      policy: policySchema,
      placements: z
        .array(
          z.object({
            ...{ ...placement, ...costNumbers },
            outcome: z
              .enum(['reached', 'exhausted', 'capped', 'contains', 'open'])
              .describe('contains: a part of it works. open: its check did not begin.'),
            states: z.int(),
            actions: z.int().nullable().describe('Actions that reach the goal; null without.'),
            isShortest: z.boolean().optional().describe('Whether no shorter list reaches it.'),
            detail: z.string().optional().describe('With capped: the limit.'),
          }),
        )
        .readonly()
        .describe('All placements, the cheapest first.'),
      cheapest: z
        .object({
          ...placement,
          breach: z.string(),
          address: z.array(z.int()).readonly().describe('Indexes of the possible actions.'),
          actions: z.array(actionSchema).readonly(),
        })
        .nullable()
        .describe('The cheapest placement that reaches the goal; null if none does.'),
      least: z.object(costNumbers).describe('What every adversary that succeeds spends at least.'),
      enough: z
        .object(costNumbers)
        .nullable()
        .describe('What is enough for an adversary that stops at the first placement that works.'),
      sentences: z.array(z.string()).readonly(),
    })
    .meta({ id: 'CheapestAttack' });
}
