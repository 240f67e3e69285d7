/**
 * @module
 * The body of `POST /v1/checks`. Its members are the flags of `usurp check` with the same meaning and defaults. Only
 * the limits of the search are lower.
 */

import { z } from '@hono/zod-openapi';
import { LabError } from '../../../src/errors.ts';
import type { CostlyAttack } from '../../../src/experiment/checks/cheapest-attack.ts';
import type { Check } from '../../../src/experiment/checks/request.ts';
import {
  limitedCheckOf,
  requestOf,
  ringOf,
  SUBMITTED_CHECK,
} from '../../../src/experiment/checks/request.ts';
import { whyNoRings } from '../../../src/experiment/checks/rings.ts';
import { faultAt } from '../../contract/faults.ts';
import { costlyAttackOf, costSchema } from './cost.ts';

/** A check that can be carried out, with its ring. */
export interface CheckOrder {
  readonly body: z.output<typeof checkRequestSchema>;
  readonly check: Check;
  readonly maxStates: number;
  /** Whether every ring of its nodes is checked, each with these limits. */
  readonly isEveryRing: boolean;
  /** The attack whose cheapest placement is sought; null if the check is of one. */
  readonly attack: CostlyAttack | null;
}

export const checkRequestSchema = SUBMITTED_CHECK.extend({
  rings: z
    .literal('all')
    .optional()
    .describe(
      'One check for each ring of `nodes` nodes. The limits apply to each ring separately.',
    ),
  cost: costSchema
    .optional()
    .describe(
      'Finds the cheapest placement of forged identities that reaches `goal`, with one check for each placement, each with these limits.',
    ),
}).meta({ id: 'CheckRequest' });

/** Throws LabError `arguments` for members that do not fit together. */
export function parseCheckRequest(body: z.output<typeof checkRequestSchema>): CheckOrder {
  const { rings, cost, ...submitted } = body;
  if (cost !== undefined) {
    if (rings !== undefined) throw faultAt('arguments', '/rings', 'give rings or cost, not both');
    const { maxStates, ...members } = submitted;
    const attack = costlyAttackOf(members, cost);
    const check = { ...attack.check, ring: ringOf(cost.honest.length) };
    return { body, check, maxStates, isEveryRing: false, attack };
  }
  const order = limitedCheckOf(submitted);
  const request = requestOf(order.check);
  const { maxStates } = order;
  if (rings === undefined) {
    return { ...order, isEveryRing: false, attack: null, body: { ...order.check, maxStates } };
  }
  const reason =
    body.ring !== undefined
      ? 'give ring or rings, not both'
      : body.walks !== undefined
        ? 'random walks need one ring: give ring'
        : whyNoRings(request);
  if (reason !== null)
    throw new LabError('arguments', reason, [{ pointer: '/rings', detail: reason }]);
  const { ring, ...members } = order.check;
  const whole = { ...members, nodes: ring.length, rings, maxStates };
  return { ...order, isEveryRing: true, attack: null, body: whole };
}
