/**
 * @module
 * Ids of the objects that the server keeps. They come from the operating system's random numbers, because
 * an id suffices to read or cancel its object.
 */

import { randomBytes } from 'node:crypto';

import { z } from '@hono/zod-openapi';

/** An id in a path. Other text is refused before anything is looked up. */
export const idSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9, _ and -')
  .meta({ description: 'The id from the answer to the request that created the object.' });

/** First letters of the ids of jobs: forgeries, runs, sweeps, calibrations. */
export type JobKind = 'f' | 'r' | 's' | 'c';

/** A new id: the letter of its kind and 80 random bits in base 32 (RFC 4648, lower case). */
export function randomId(kind: 'e' | JobKind): string {
  const letters = Array.from(randomBytes(ID_LETTERS), (byte) => ALPHABET.charAt(byte & 31));
  return `${kind}_${letters.join('')}`;
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LETTERS = 16;
