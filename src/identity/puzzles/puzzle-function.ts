/**
 * @module
 * The functions whose output a puzzle measures: a hash, an iterated hash, scrypt (RFC 7914) and Argon2id
 * (RFC 9106), all by @noble/hashes. SHA-1 is broken. It is here because S/Kademlia was published with it
 * (Baumgart and Mies 2007).
 */

import { argon2id } from '@noble/hashes/argon2.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { scrypt } from '@noble/hashes/scrypt.js';
import { sha256 } from '@noble/hashes/sha2.js';
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

/** A function with its parameters, as puzzle-function-schema.ts describes them. */
export type PuzzleFunction =
  | { readonly function: 'hash' }
  | { readonly function: 'iterated'; readonly iterations: number }
  | {
      readonly function: 'scrypt';
      readonly logN: number;
      readonly r: number;
      readonly p: number;
    }
  | {
      readonly function: 'argon2id';
      readonly passes: number;
      readonly kib: number;
      readonly lanes: number;
    };

/** What a function computes, and what that costs. */
interface FunctionDefinition<Parameters> {
  /** Whether it uses the hash of the policy, which then decides the length of the output. */
  readonly usesHash: boolean;
  readonly evaluate: (hash: HashName, input: Uint8Array, parameters: Parameters) => Uint8Array;
  /** Cost of one evaluation, in evaluations of the primitive. */
  readonly hashes: (parameters: Parameters) => number;
  /** Memory of one evaluation in KiB. 0 if it is negligible. */
  readonly kib: (parameters: Parameters) => number;
  /** Time of one primitive with noble on a quiet core. */
  readonly nanoseconds: number;
  /** What follows the name of the hash in a formula. */
  readonly suffix?: (parameters: Parameters) => string;
}

/** All evaluations share one salt. What must differ between two of them is in the input. */
export const SALT = utf8ToBytes('usurp/puzzle/v1\0');
const OUTPUT_BYTES = 32;

/** The default first. */
const FUNCTIONS: {
  readonly [Name in PuzzleFunction['function']]: FunctionDefinition<
    Extract<PuzzleFunction, { readonly function: Name }>
  >;
} = {
  hash: {
    usesHash: true,
    evaluate: (hash, input) => digestOf(hash, input),
    hashes: () => 1,
    kib: () => 0,
    nanoseconds: 1000,
  },
  iterated: {
    usesHash: true,
    evaluate(hash, input, { iterations }) {
      let output = input;
      for (let round = 0; round < iterations; round += 1) output = digestOf(hash, output);
      return output;
    },
    hashes: ({ iterations }) => iterations,
    kib: () => 0,
    nanoseconds: 850,
    suffix: ({ iterations }) => `^${iterations}`,
  },
  scrypt: {
    usesHash: false,
    evaluate: (_hash, input, { logN, r, p }) =>
      scrypt(input, SALT, { N: 2 ** logN, r, p, dkLen: OUTPUT_BYTES }),
    /** 2·r for each of 2·N block mixes of each of p lanes (RFC 7914 sections 4 to 6, without its PBKDF2). */
    hashes: ({ logN, r, p }) => 4 * 2 ** logN * r * p,
    kib: ({ logN, r }) => (2 ** logN * r) / 8,
    nanoseconds: 130,
  },
  argon2id: {
    usesHash: false,
    evaluate: (_hash, input, { passes, kib, lanes }) =>
      argon2id(input, SALT, { t: passes, m: kib, p: lanes, dkLen: OUTPUT_BYTES }),
    /** Blocks of 1 KiB. The memory is rounded down to 4 blocks for each lane (RFC 9106 section 3.2). */
    hashes: ({ passes, kib, lanes }) => passes * 4 * lanes * Math.floor(kib / (4 * lanes)),
    kib: ({ kib }) => kib,
    nanoseconds: 4800,
  },
};

export const DEFAULT_PUZZLE_RULES: PuzzleRules = { hash: 'sha256', puzzle: { function: 'hash' } };

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

/** Whether one evaluation may take longer than all other checks of a claim together. */
export function isSlow(puzzle: PuzzleFunction): boolean {
  return puzzle.function !== 'hash';
}

/** What one evaluation takes a verifier: milliseconds with noble on a quiet core, and memory. */
export function evaluationCost(puzzle: PuzzleFunction): {
  readonly ms: number;
  readonly kib: number;
} {
  const { hashes, kib, nanoseconds } = definitionOf(puzzle);
  return { ms: (hashes(puzzle) * nanoseconds) / 1e6, kib: kib(puzzle) };
}

/** The cost of an evaluation as text, such as `5 ms and 1 MiB`. */
export function formatEvaluationCost(puzzle: PuzzleFunction): string {
  const { ms, kib } = evaluationCost(puzzle);
  const memory = kib >= 1024 ? `${Number((kib / 1024).toPrecision(2))} MiB` : `${kib} KiB`;
  const time = `${Number(ms.toPrecision(ms < 100 ? 1 : 2))} ms`;
  return kib === 0 ? time : `${time} and ${memory}`;
}

/** A formula for the value of an input, such as `SHA-256(nodeId)`. */
export function formatEvaluation({ hash, puzzle }: PuzzleRules, input: string): string {
  const { usesHash, suffix } = definitionOf(puzzle);
  return `${usesHash ? formatHash(hash) : puzzle.function}${suffix?.(puzzle) ?? ''}(${input})`;
}

function definitionOf(puzzle: PuzzleFunction) {
  // A definition takes the parameters of its own name, which the compiler cannot follow.
  return FUNCTIONS[puzzle.function] as FunctionDefinition<PuzzleFunction>;
}
