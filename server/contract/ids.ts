/**
 * @module
 * Names of things the server keeps, and seeds nobody gave. Both come from the operating system: an id
 * is all that is needed to read or cancel what it names, so it must not be guessed.
 */

import { randomBytes } from 'node:crypto';

import { z } from '@hono/zod-openapi';
import type { Seed } from '../../src/random.ts';
import { parseSeed } from '../../src/random.ts';

/** Every id in a path; longer or other text is refused before anything is looked up. */
export const idSchema = z
  .string()
  .regex(/^[a-z0-9_-]{1,64}$/, 'must be 1 to 64 of a-z, 0-9, _ and -')
  .meta({ description: 'The id that the answer to the creating request named.' });

/** Jobs by the letter of their ids: forgeries, runs, sweeps, calibrations. */
export type JobKind = 'f' | 'r' | 's' | 'c';

/** A new id: the kind's letter and 80 random bits in base 32 (RFC 4648's alphabet, lower case). */
export function randomId(kind: 'e' | JobKind): string {
  const letters = Array.from(randomBytes(ID_LETTERS), (byte) => ALPHABET.charAt(byte & 31));
  return `${kind}_${letters.join('')}`;
}

/** A seed for who did not give one: 64 random bits, short enough to copy. */
export function randomSeed(): Seed {
  return parseSeed(randomBytes(8).readBigUInt64BE().toString());
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const ID_LETTERS = 16;
