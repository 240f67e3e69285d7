/**
 * @module
 * Members that requests and answers of several kinds have: ids, seeds, whole numbers, latencies.
 */

import { randomBytes } from 'node:crypto';
import { z } from '@hono/zod-openapi';

import { countExamples, quantity } from '../../src/quantities.ts';
import type { Seed } from '../../src/random.ts';
import { parseSeed } from '../../src/random.ts';

/** An id in a path. Other text is refused before anything is looked up. */
export const idSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9, _ and -')
  .describe('The id from the answer to the request that created the object.');

/** The path parameters of an object. */
export const idParams = z.strictObject({ id: idSchema });

/**
 * A new id: the letter of its kind and 80 random bits of the operating system in base 32 (RFC 4648, lower
 * case), because an id suffices to read or cancel its object.
 */
export function randomId(kind: string): string {
  const letters = Array.from(randomBytes(ID_LETTERS), (byte) => ALPHABET.charAt(byte & 31));
  return `${kind}_${letters.join('')}`;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LETTERS = 16;

/** When an object was created, as RFC 3339 in UTC. */
export const createdSchema = z.iso.datetime().describe('When it was created, in UTC (RFC 3339).');

export function timeText(wallMs: number): string {
  return new Date(wallMs).toISOString();
}

/** A key by which the newest objects come first, and those of the same moment in the order of their ids. */
export function newestFirst({
  id,
  createdMs,
}: {
  readonly id: string;
  readonly createdMs: number;
}): string {
  return `${String(Number.MAX_SAFE_INTEGER - createdMs).padStart(16, '0')} ${id}`;
}

/** Selects the objects of a caller in a list. */
export const ownerQuerySchema = z
  .string()
  .min(1)
  .max(100)
  .optional()
  .describe('Only those whose `owner` has this name.');

/** A seed as decimal digits, because most readers of JSON round integers above 2^53. */
export const seedSchema = z
  .string('must be a decimal string')
  .regex(/^(?:0|[1-9][0-9]{0,77})$/, 'must be the decimal digits of an integer in 0..2^256-1')
  .meta({ description: 'A decimal string. The server chooses one by default.', example: '1' });

/** The seed of a request, or a random one: 64 bits, short enough to copy. */
export function seedOf(text: string | undefined): Seed {
  return parseSeed(text ?? randomBytes(8).readBigUInt64BE().toString());
}

/** A whole number that a program sends, from `min` to `max`. Every other value is refused with `rule`. */
export function wholeNumber(min: number, max: number, rule: string) {
  return z.int(rule).min(min, rule).max(max, rule);
}

/** A count that a person chooses: a number, or a text such as 1e6 or 2^20. */
export function countSchema(min: number, max = Number.MAX_SAFE_INTEGER) {
  const error = `must be a whole number from ${min} to ${max}${countExamples(min, max)}`;
  return quantity('count', { min, max }, error);
}

/** One of some names. Every other value is refused with all names. */
export function oneOf<const Name extends string>(names: readonly Name[]) {
  return z.enum(names, `must be one of ${names.join(', ')}`);
}

const FLAG_RULE =
  'must be text: a value, or the digits of a number, as GET /v1/protocols lists them';

/** Flags in the body of a request. */
export const flagsSchema = z
  .record(z.string().max(64), z.string(FLAG_RULE).max(64))
  .default({})
  .meta({
    description: 'Variants and numbers of the protocol, as GET /v1/protocols lists them.',
    example: { rejoin: 'dedup' },
  });
