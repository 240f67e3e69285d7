/**
 * @module
 * Seeds in requests and answers: decimal digits in a string, because most readers of JSON round integers
 * above 2^53.
 */

import { randomBytes } from 'node:crypto';
import { z } from '@hono/zod-openapi';

import type { Seed } from '../../src/random.ts';
import { parseSeed } from '../../src/random.ts';

export const seedSchema = z
  .string('must be a decimal string')
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be the decimal digits of an integer in 0..2^256-1')
  .meta({ description: 'A decimal string. The server chooses one by default.', example: '1' });

/** The seed of a request, or a random one: 64 bits, short enough to copy. */
export function seedOf(text: string | undefined): Seed {
  return parseSeed(text ?? randomBytes(8).readBigUInt64BE().toString());
}
