/**
 * @module
 * How a seed travels: as decimal digits in a string, since most readers of JSON round integers above
 * 2^53.
 */

import { z } from '@hono/zod-openapi';

export const seedSchema = z
  .string('must be a decimal string')
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be the decimal digits of an integer in 0..2^256-1')
  .meta({ description: 'A decimal string; left out, one is chosen and told.', example: '1' });
