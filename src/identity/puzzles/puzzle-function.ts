/**
 * @module
 * The functions whose output's leading zero bits a puzzle counts: one hash, a hash iterated, scrypt
 * (RFC 7914) and Argon2id (RFC 9106), by @noble/hashes. Policies come from strangers, so parameters
 * are bounded: one evaluation stays below a second and below 64 MiB on a core of today. SHA-1 is here
 * because S/Kademlia was published with it (Baumgart and Mies 2007); it is broken.
 */

import { argon2id } from '@noble/hashes/argon2.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { utf8ToBytes } from '../../bytes.ts';

/** Every hash of node IDs and puzzles, the default first. */
export const HASH_NAMES = ['sha256', 'sha1'] as const;
export type HashName = (typeof HASH_NAMES)[number];

/** Every puzzle function, the default first. */
export const PUZZLE_FUNCTION_NAMES = ['hash', 'iterated', 'scrypt', 'argon2id'] as const;

export type PuzzleFunction =
  | { readonly function: 'hash' }
  /** The hash of the hash …, so many times. */
  | { readonly function: 'iterated'; readonly iterations: number }
  | { readonly function: 'scrypt'; readonly logN: number; readonly r: number; readonly p: number }
  | {
      readonly function: 'argon2id';
      readonly passes: number;
      readonly kib: number;
      readonly lanes: number;
    };

/** What decides the value of a puzzle; a policy has these members. */
export interface PuzzleRules {
  readonly hash: HashName;
  readonly puzzle: PuzzleFunction;
}

export const DEFAULT_PUZZLE_RULES: PuzzleRules = { hash: 'sha256', puzzle: { function: 'hash' } };

// Measured with noble on a quiet core: a million iterations take 0.7 s, 2^22 Salsa20/8 cores 0.4 s, 2^17
// Argon2 blocks 0.5 s.
const ITERATIONS_MAX = 1_000_000;
const SALSA_CORES_MAX = 2 ** 22;
const ARGON2_BLOCKS_MAX = 2 ** 17;
const MEMORY_KIB_MAX = 64 * 1024;
/** scrypt asks for N < 2^(16·r), and r may be 1. */
const LOG_N_MAX = 15;
const FACTOR_MAX = 64;
const LANES_MAX = 16;

/** The same salt for everybody: what must differ between two evaluations is in the input. */
const SALT = utf8ToBytes('usurp/puzzle/v1\0');
const OUTPUT_BYTES = 32;

const scryptSchema = z
  .strictObject({
    function: z.literal('scrypt'),
    logN: count(1, LOG_N_MAX, 'Binary logarithm of the CPU and memory cost N.'),
    r: count(1, FACTOR_MAX, 'Block size.'),
    p: count(1, FACTOR_MAX, 'Parallelisation, here one after the other.'),
  })
  .superRefine(({ logN, r, p }, context) => {
    const kib = (2 ** logN * r) / 8;
    if (kib > MEMORY_KIB_MAX) {
      const message = `asks for 128·2^logN·r bytes, ${kib} KiB: lower logN or r to ${MEMORY_KIB_MAX} KiB`;
      context.addIssue({ code: 'custom', message });
    }
    const cores = salsaCores({ logN, r, p });
    if (cores > SALSA_CORES_MAX) {
      const message = `asks for 4·2^logN·r·p = ${cores} Salsa20/8 cores: lower logN, r or p to ${SALSA_CORES_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

const argon2idSchema = z
  .strictObject({
    function: z.literal('argon2id'),
    passes: count(1, FACTOR_MAX, 'Passes over the memory.'),
    kib: count(8, MEMORY_KIB_MAX, 'Memory in KiB, at least 8 a lane.'),
    lanes: count(1, LANES_MAX, 'Lanes, here one after the other.'),
  })
  .superRefine(({ passes, kib, lanes }, context) => {
    if (kib < 8 * lanes) {
      const message = `must be at least 8 KiB a lane, ${8 * lanes}`;
      context.addIssue({ code: 'custom', path: ['kib'], message });
    }
    if (passes * kib > ARGON2_BLOCKS_MAX) {
      const message = `asks for passes·kib = ${passes * kib} blocks: lower passes or kib to ${ARGON2_BLOCKS_MAX}`;
      context.addIssue({ code: 'custom', message });
    }
  });

/** The JSON form of a puzzle function; refuses what would take longer than a second or 64 MiB. */
export const puzzleFunctionSchema = z.discriminatedUnion(
  'function',
  [
    z.strictObject({ function: z.literal('hash') }),
    z.strictObject({
      function: z.literal('iterated'),
      iterations: count(1, ITERATIONS_MAX, 'How often the hash is applied.'),
    }),
    scryptSchema,
    argon2idSchema,
  ],
  { error: `must be an object whose function is one of ${PUZZLE_FUNCTION_NAMES.join(', ')}` },
);

/** The digest of bytes by a hash of the closed list. */
export function digestOf(hash: HashName, bytes: Uint8Array): Uint8Array {
  switch (hash) {
    case 'sha256':
      return sha256(bytes);
    case 'sha1':
      return sha1(bytes);
    default:
      return unknownHash(hash);
  }
}

/** Bytes of a digest. */
export function digestBytesOf(hash: HashName): 20 | 32 {
  switch (hash) {
    case 'sha256':
      return 32;
    case 'sha1':
      return 20;
    default:
      return unknownHash(hash);
  }
}

/**
 * The output whose zero bits count: 32 bytes, 20 where the hash is SHA-1. scrypt and Argon2id take the
 * input as password and "usurp/puzzle/v1" 0x00 as salt.
 */
export function evaluatePuzzle({ hash, puzzle }: PuzzleRules, input: Uint8Array): Uint8Array {
  switch (puzzle.function) {
    case 'hash':
      return digestOf(hash, input);
    case 'iterated':
      return iterate(hash, input, puzzle.iterations);
    case 'scrypt': {
      const { logN, r, p } = puzzle;
      return scrypt(input, SALT, { N: 2 ** logN, r, p, dkLen: OUTPUT_BYTES });
    }
    case 'argon2id': {
      const { passes, kib, lanes } = puzzle;
      return argon2id(input, SALT, { t: passes, m: kib, p: lanes, dkLen: OUTPUT_BYTES });
    }
    default:
      return unknownFunction(puzzle);
  }
}

/** The most zero bits that an output can have. */
export function puzzleBitsMaxOf({ hash, puzzle }: PuzzleRules): number {
  const isHash = puzzle.function === 'hash' || puzzle.function === 'iterated';
  return 8 * (isHash ? digestBytesOf(hash) : OUTPUT_BYTES);
}

/**
 * What one evaluation costs in the primitive of its function: hashes; for scrypt Salsa20/8 cores, 2·r
 * for each of 2·N block mixes of each of p lanes (RFC 7914 sections 4 to 6; its PBKDF2 is left out);
 * for Argon2id blocks of 1 KiB, passes times the memory rounded down to 4 blocks a lane (RFC 9106
 * section 3.2).
 */
export function puzzleHashes(puzzle: PuzzleFunction): number {
  switch (puzzle.function) {
    case 'hash':
      return 1;
    case 'iterated':
      return puzzle.iterations;
    case 'scrypt':
      return salsaCores(puzzle);
    case 'argon2id': {
      const segments = 4 * puzzle.lanes;
      return puzzle.passes * segments * Math.floor(puzzle.kib / segments);
    }
    default:
      return unknownFunction(puzzle);
  }
}

/** How the value of an input is written in words: `SHA-256(nodeId)`. */
export function formatEvaluation({ hash, puzzle }: PuzzleRules, input: string): string {
  switch (puzzle.function) {
    case 'hash':
      return `${formatHash(hash)}(${input})`;
    case 'iterated':
      return `${formatHash(hash)}^${puzzle.iterations}(${input})`;
    case 'scrypt':
    case 'argon2id':
      return `${puzzle.function}(${input})`;
    default:
      return unknownFunction(puzzle);
  }
}

/** The name of a hash as its standard writes it. */
export function formatHash(hash: HashName): string {
  switch (hash) {
    case 'sha256':
      return 'SHA-256';
    case 'sha1':
      return 'SHA-1';
    default:
      return unknownHash(hash);
  }
}

function iterate(hash: HashName, input: Uint8Array, iterations: number): Uint8Array {
  let output = input;
  for (let round = 0; round < iterations; round += 1) output = digestOf(hash, output);
  return output;
}

function salsaCores(puzzle: { readonly logN: number; readonly r: number; readonly p: number }) {
  return 4 * 2 ** puzzle.logN * puzzle.r * puzzle.p;
}

function count(min: number, max: number, description: string) {
  const error = `must be a whole number in ${min}..${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ description });
}

function unknownHash(name: never): never {
  throw new TypeError(`"hash" expected one of ${HASH_NAMES.join(', ')}, got ${String(name)}`);
}

function unknownFunction(puzzle: never): never {
  const names = PUZZLE_FUNCTION_NAMES.join(', ');
  throw new TypeError(`"puzzle" expected one of ${names}, got ${JSON.stringify(puzzle)}`);
}
