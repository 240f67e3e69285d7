/**
 * @module
 * The body of `POST /v1/checks`. Its members are the flags of `usurp check` with the same meaning and defaults. Only
 * the limits of the search are lower.
 */

import type { z } from '@hono/zod-openapi';
import type { Check } from '../../../src/experiment/checks/request.ts';
import {
  limitedCheckOf,
  requestOf,
  SUBMITTED_CHECK,
} from '../../../src/experiment/checks/request.ts';

/** A check that can be carried out, with its ring. */
export interface CheckOrder {
  readonly body: z.output<typeof checkRequestSchema>;
  readonly check: Check;
  readonly maxStates: number;
}

export const checkRequestSchema = SUBMITTED_CHECK.meta({ id: 'CheckRequest' });

/** Throws LabError `arguments` for members that do not fit together. */
export function parseCheckRequest(body: z.output<typeof checkRequestSchema>): CheckOrder {
  const order = limitedCheckOf(body);
  requestOf(order.check);
  return { ...order, body: { ...order.check, maxStates: order.maxStates } };
}
