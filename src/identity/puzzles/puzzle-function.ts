/**
 * @module
 * The functions whose output a puzzle measures: a hash, an iterated hash, scrypt (RFC 7914) and Argon2id
 * (RFC 9106), all by @noble/hashes. Policies come from strangers, so their parameters are bounded: one
 * evaluation takes less than a second and 64 MiB. SHA-1 is broken. It is here because S/Kademlia was
 * published with it (Baumgart and Mies 2007).
 */

import { argon2id } from '@noble/hashes/argon2.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { z } from 'zod';
import { utf8ToBytes } from '../../bytes.ts';

const HASHES = {
  sha256: { title: 'SHA-256', bytes: 32, digest: sha256 },
  sha1: { title: 'SHA-1', bytes: 20, digest: sha1 },
} as const;
export type HashName = keyof typeof HASHES;
/** The default first. The keys of an object are strings to the compiler: hence the `as`. */
export const HASH_NAMES = Object.keys(HASHES) as readonly HashName[];

/** The members of a policy that decide the output. */
export interface PuzzleRules {
  readonly hash: HashName;
  readonly puzzle: PuzzleFunction;
}

/** One function: its parameters with their bounds, what it computes, and what that costs. */
interface FunctionDefinition<Parameters> {
  /** Members after `function` are the parameters, in the order of the text form. */
  readonly schema: z.ZodObject & z.ZodType<Parameters>;
  /** Whether it uses the hash of the policy, which then decides the length of the output. */
  readonly usesHash: boolean;
  readonly evaluate: (hash: HashName, input: Uint8Array, parameters: Parameters) => Uint8Array;
  /** Cost of one evaluation, in evaluations of the primitive. */
  readonly hashes: (parameters: Parameters) => number;
  /** For the two that use the hash: what follows its name. */
  readonly suffix: (parameters: Parameters) => string;
}

// Measured with noble on a quiet core: 10^6 iterations take 0.7 s, 2^22 Salsa20/8 cores 0.4 s, 2^17 Argon2
// blocks 0.5 s.
const ITERATIONS_MAX = 1_000_000;
const SALSA_CORES_MAX = 2 ** 22;
const ARGON2_BLOCKS_MAX = 2 ** 17;
const MEMORY_KIB_MAX = 64 * 1024;
/** scrypt requires N < 2^(16·r), and r may be 1. */
const LOG_N_MAX = 15;
const FACTOR_MAX = 64;
const LANES_MAX = 16;

/** All evaluations share one salt. What must differ between two of them is in the input. */
const SALT = utf8ToBytes('usurp/puzzle/v1\0');
const OUTPUT_BYTES = 32;

const hashFunction = defineFunction({
  schema: z.strictObject({ function: z.literal('hash') }),
  usesHash: true,
  evaluate: (hash, input) => digestOf(hash, input),
  hashes: () => 1,
  suffix: () => '',
});

const iteratedFunction = defineFunction({
  schema: z.strictObject({
    function: z.literal('iterated'),
    iterations: count(1, ITERATIONS_MAX, 'How often the hash is applied.'),
  }),
  usesHash: true,
  evaluate(hash, input, { iterations }) {
    let output = input;
    for (let round = 0; round < iterations; round += 1) output = digestOf(hash, output);
    return output;
  },
  hashes: ({ iterations }) => iterations,
  suffix: ({ iterations }) => `^${iterations}`,
});

const scryptFunction = defineFunction({
  schema: z
    .strictObject({
      function: z.literal('scrypt'),
      logN: count(1, LOG_N_MAX, 'Binary logarithm of the CPU and memory cost N.'),
      r: count(1, FACTOR_MAX, 'Block size.'),
      p: count(1, FACTOR_MAX, 'Parallelisation. Here the lanes run one after the other.'),
    })
    .superRefine((parameters, context) => {
      const kib = (2 ** parameters.logN * parameters.r) / 8;
      if (kib > MEMORY_KIB_MAX) {
        const message = `asks for 128·2^logN·r bytes, ${kib} KiB: lower logN or r to ${MEMORY_KIB_MAX} KiB`;
        context.addIssue({ code: 'custom', message });
      }
      const cores = salsaCores(parameters);
      if (cores > SALSA_CORES_MAX) {
        const message = `asks for 4·2^logN·r·p = ${cores} Salsa20/8 cores: lower logN, r or p to ${SALSA_CORES_MAX}`;
        context.addIssue({ code: 'custom', message });
      }
    }),
  usesHash: false,
  evaluate: (_hash, input, { logN, r, p }) =>
    scrypt(input, SALT, { N: 2 ** logN, r, p, dkLen: OUTPUT_BYTES }),
  hashes: salsaCores,
  suffix: () => '',
});

const argon2idFunction = defineFunction({
  schema: z
    .strictObject({
      function: z.literal('argon2id'),
      passes: count(1, FACTOR_MAX, 'Passes over the memory.'),
      kib: count(8, MEMORY_KIB_MAX, 'Memory in KiB, at least 8 for each lane.'),
      lanes: count(1, LANES_MAX, 'Lanes. Here they run one after the other.'),
    })
    .superRefine(({ passes, kib, lanes }, context) => {
      if (kib < 8 * lanes) {
        const message = `must be at least 8 KiB for each lane, ${8 * lanes}`;
        context.addIssue({ code: 'custom', path: ['kib'], message });
      }
      if (passes * kib > ARGON2_BLOCKS_MAX) {
        const message = `asks for passes·kib = ${passes * kib} blocks: lower passes or kib to ${ARGON2_BLOCKS_MAX}`;
        context.addIssue({ code: 'custom', message });
      }
    }),
  usesHash: false,
  evaluate: (_hash, input, { passes, kib, lanes }) =>
    argon2id(input, SALT, { t: passes, m: kib, p: lanes, dkLen: OUTPUT_BYTES }),
  /** Blocks of 1 KiB. The memory is rounded down to 4 blocks for each lane (RFC 9106 section 3.2). */
  hashes: ({ passes, kib, lanes }) => passes * 4 * lanes * Math.floor(kib / (4 * lanes)),
  suffix: () => '',
});

/** The default first. */
const FUNCTIONS = {
  hash: hashFunction,
  iterated: iteratedFunction,
  scrypt: scryptFunction,
  argon2id: argon2idFunction,
} as const;

export type PuzzleFunction = Readonly<
  z.output<(typeof FUNCTIONS)[keyof typeof FUNCTIONS]['schema']>
>;

export const DEFAULT_PUZZLE_RULES: PuzzleRules = { hash: 'sha256', puzzle: { function: 'hash' } };

/** The JSON form of a puzzle function. It refuses one that takes more than a second or 64 MiB. */
export const puzzleFunctionSchema = z.discriminatedUnion(
  'function',
  [hashFunction.schema, iteratedFunction.schema, scryptFunction.schema, argon2idFunction.schema],
  { error: `must be an object whose function is one of ${Object.keys(FUNCTIONS).join(', ')}` },
);

export function digestOf(hash: HashName, bytes: Uint8Array): Uint8Array {
  return HASHES[hash].digest(bytes);
}

export function digestBytesOf(hash: HashName): 20 | 32 {
  return HASHES[hash].bytes;
}

/** The name of a hash as its standard writes it. */
export function formatHash(hash: HashName): string {
  return HASHES[hash].title;
}

/**
 * The output whose zero bits count: 32 bytes, 20 where the hash is SHA-1. scrypt and Argon2id take the
 * input as password and "usurp/puzzle/v1" 0x00 as salt.
 */
export function evaluatePuzzle({ hash, puzzle }: PuzzleRules, input: Uint8Array): Uint8Array {
  return definitionOf(puzzle).evaluate(hash, input, puzzle);
}

/** The most zero bits that an output can have. */
export function puzzleBitsMaxOf({ hash, puzzle }: PuzzleRules): number {
  return 8 * (definitionOf(puzzle).usesHash ? digestBytesOf(hash) : OUTPUT_BYTES);
}

/**
 * The cost of one evaluation in the primitive of the function: hashes, Salsa20/8 cores for scrypt, blocks of
 * 1 KiB for Argon2id.
 */
export function puzzleHashes(puzzle: PuzzleFunction): number {
  return definitionOf(puzzle).hashes(puzzle);
}

/** A formula for the value of an input, such as `SHA-256(nodeId)`. */
export function formatEvaluation({ hash, puzzle }: PuzzleRules, input: string): string {
  const { usesHash, suffix } = definitionOf(puzzle);
  return `${usesHash ? formatHash(hash) : puzzle.function}${suffix(puzzle)}(${input})`;
}

function definitionOf(puzzle: PuzzleFunction) {
  // A definition takes the parameters of its own name, which the compiler cannot follow.
  return FUNCTIONS[puzzle.function] as unknown as FunctionDefinition<PuzzleFunction>;
}

function defineFunction<S extends z.ZodObject>(
  definition: Omit<FunctionDefinition<z.output<S>>, 'schema'> & { readonly schema: S },
) {
  return definition;
}

/**
 * 2·r for each of 2·N block mixes of each of p lanes (RFC 7914 sections 4 to 6, without its PBKDF2).
 */
function salsaCores({
  logN,
  r,
  p,
}: {
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}) {
  return 4 * 2 ** logN * r * p;
}

function count(min: number, max: number, description: string) {
  const error = `must be a whole number in ${min}..${max}`;
  return z.int({ error }).min(min, { error }).max(max, { error }).meta({ description });
}
