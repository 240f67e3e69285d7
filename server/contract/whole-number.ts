/**
 * @module
 * Whole numbers within bounds, refused with one sentence whatever is wrong with them.
 */

import { z } from '@hono/zod-openapi';

/** A whole number from `min` to `max`; `rule` says so. */
export function wholeNumber(min: number, max: number, rule: string) {
  return z.int(rule).min(min, rule).max(max, rule);
}
