/**
 * @module
 * The body of `POST /v1/attacks`, and how it becomes an attack. Its members are the flags of `usurp attack`
 * with the same meaning, defaults and limits.
 */

import { z } from '@hono/zod-openapi';
import { AIMS } from '../../../src/adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import type { Attack } from '../../../src/experiment/attack/attack.ts';
import {
  ATTACKED_BITS_MAX,
  ATTACKED_NODES,
  planAttack,
} from '../../../src/experiment/attack/attack.ts';
import { FORGE_KINDS } from '../../../src/experiment/attack/population.ts';
import { CHOSEN_DEFENCE_NAMES } from '../../../src/experiment/document/defence-names.ts';
import { quantity } from '../../../src/quantities.ts';
import { faultAt } from '../../contract/faults.ts';
import { countSchema, oneOf, seedOf, seedSchema } from '../../contract/members.ts';

/** CPU time of an adversary: a job runs for an hour at most. */
const CPU_SECONDS_MAX = 100_000;

/** An attack as it crosses to its thread: behaviours by name, because they contain functions. */
export type AttackRequest = Omit<Attack, 'behaviours'> & {
  readonly body: z.output<typeof attackRequestSchema>;
  readonly behaviours: readonly string[];
};

const budgetSchema = z
  .strictObject({
    attempts: countSchema(1).optional().describe('Candidates tested.'),
    cpuSeconds: quantity(
      'time',
      { min: 0.001, max: CPU_SECONDS_MAX },
      `must be a time from 0.001 to ${CPU_SECONDS_MAX} seconds such as 5s`,
    ).optional(),
  })
  .meta({ id: 'AttackBudget', example: { attempts: 100_000 } });

export const attackRequestSchema = z
  .strictObject({
    protocol: oneOf(PROTOCOL_NAMES).meta({ example: 'cr-join' }),
    behaviours: z
      .array(oneOf(BEHAVIOUR_NAMES))
      .max(BEHAVIOUR_NAMES.length)
      .default([])
      .meta({
        description:
          'Behaviours of the adversary; GET /v1/behaviours lists them. May be empty if it forges.',
        example: ['phantom-id'],
      }),
    level: oneOf(LEVELS)
      .default('L0')
      .describe(
        'Authentication of messages: L0 none, L1 the true sender, L2 signatures, L3 fresh signatures.',
      ),
    aim: oneOf(AIMS)
      .optional()
      .describe('The only harm that counts as success. By default any harm does.'),
    defences: z
      .array(oneOf(CHOSEN_DEFENCE_NAMES))
      .max(CHOSEN_DEFENCE_NAMES.length)
      .default([])
      .meta({ description: 'Active defences, by name.', example: ['hop-limit'] }),
    nodes: countSchema(ATTACKED_NODES.min, ATTACKED_NODES.max)
      .default(5)
      .describe('Number of nodes, including the adversary.'),
    c1: countSchema(0, ATTACKED_BITS_MAX)
      .default(8)
      .describe('Static puzzle: number of zero bits of SHA-256(nodeId).'),
    forge: oneOf(FORGE_KINDS)
      .optional()
      .describe(
        'Identities that the adversary mines. By default top if its behaviour needs it, else none.',
      ),
    colluders: countSchema(1, ATTACKED_NODES.max - 1)
      .optional()
      .describe(
        'Identities of the adversary, which share one budget and cooperate. By default as many as its behaviours need.',
      ),
    budget: budgetSchema
      .optional()
      .describe('What the adversary may spend on forging, by one of both members.'),
    seed: seedSchema.optional(),
  })
  .meta({ id: 'AttackRequest' });

/** Throws LabError `schema` or `arguments` for an attack that is not possible. */
export function parseAttackRequest(body: z.output<typeof attackRequestSchema>): AttackRequest {
  const { aim = null, forge = null, budget = {}, seed, ...asked } = body;
  if (budget.attempts !== undefined && budget.cpuSeconds !== undefined) {
    throw faultAt('schema', '/budget', 'must have attempts or cpuSeconds, not both');
  }
  const attack = planAttack({ ...asked, aim, forge, budget, seed: seedOf(seed) });
  const { forge: forged, colluders } = attack;
  const whole = { ...body, forge: forged, colluders, seed: attack.seed };
  return { ...attack, body: whole, behaviours: attack.behaviours.map(({ name }) => name) };
}
