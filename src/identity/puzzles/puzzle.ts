/**
 * @module
 * This folder defines the puzzles that cost work, and measures their solutions in zero bits. This file contains
 * the definition of a puzzle, the challenge, and the static puzzle of S/Kademlia with its salted form. In
 * formulas, h is the puzzle function of a policy, SHA-256 by default.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { concatBytes, leadingZeroBits, u64be, utf8ToBytes } from '../../bytes.ts';
import type { PuzzleRules } from './puzzle-function.ts';
import { DEFAULT_PUZZLE_RULES, evaluatePuzzle, formatEvaluation } from './puzzle-function.ts';

/** The largest difficulty of a puzzle over SHA-256, in bits. */
export const PUZZLE_BITS_MAX = 256;

const CHALLENGE_DOMAIN = utf8ToBytes('usurp/challenge/v1\0');

export interface ChallengeInput {
  /** An integer in 0..2^53−1. */
  readonly epoch: number;
  /** Name of the network, so that a solution for one network does not count in another. */
  readonly context: string;
}

/** The members of a policy that decide the static puzzle. */
export interface StaticRules extends PuzzleRules, ChallengeInput {
  /** Binds the puzzle to the challenge, so that a solution for one epoch does not count in the next. */
  readonly salted: boolean;
}

/** The facts of every puzzle. */
interface PuzzleFacts {
  readonly name: string;
  /** What counts, as a formula. */
  readonly formula: string;
  /** Paper and section, or the code of a network. */
  readonly source: string;
  /** Evaluations of the policy's puzzle function in one attempt. 0 if nothing is hashed. */
  readonly evaluations: 0 | 1;
  /** Bits of the difficulty that cost no work. Infinity if none of them does. */
  readonly freeBits: number;
  /** Whether one search solves it for any number of node IDs. */
  readonly isAmortisable: boolean;
}

/** A puzzle that the node ID itself solves or does not. */
export interface StaticPuzzle extends PuzzleFacts {
  readonly kind: 'static';
  /** What is hashed before the node ID. */
  readonly idPrefix: (rules: StaticRules) => Uint8Array;
  /** Which zero bits count: of the hash, or of the node ID if nothing is hashed. */
  readonly counts: 'leading' | 'trailing';
  /** Difficulty that a node ID meets, 0..256 bits. */
  readonly bits: (nodeId: Uint8Array, rules: StaticRules) => number;
  /** What is measured, as the beginning of a sentence that ends with a number of zero bits. */
  readonly measures: (rules: StaticRules) => string;
}

/** What a solution of a dynamic puzzle is checked against. */
export interface PuzzleInput {
  /** The 32 bytes of `challengeOf`. */
  readonly challenge: Uint8Array;
  readonly nodeId: Uint8Array;
  /** X. */
  readonly solution: Uint8Array;
}

/** A puzzle that a node solves for its node ID by a search for X. */
export interface DynamicPuzzle extends PuzzleFacts {
  readonly kind: 'dynamic';
  /** Length of X in bytes. */
  readonly solutionBytes: (nodeIdBytes: number) => number;
  /** The X with a number. Numbers are tried from 0 on. */
  readonly solution: (nodeId: Uint8Array, number: number) => Uint8Array;
  /** What is hashed, or measured itself if nothing is hashed. */
  readonly message: (input: PuzzleInput) => Uint8Array;
  /** The largest difficulty that it can have. */
  readonly bitsMax: (outputBits: number, nodeIdBits: number) => number;
}

/** Defines a puzzle and keeps its name as a type. */
export function definePuzzle<const P extends StaticPuzzle | DynamicPuzzle>(puzzle: P): P {
  return puzzle;
}

/**
 * The challenge of an epoch of a network, 32 bytes:
 * SHA-256("usurp/challenge/v1" 0x00 ‖ u64be(epoch) ‖ context in UTF-8).
 */
export function challengeOf({ epoch, context }: ChallengeInput): Uint8Array {
  if (!Number.isSafeInteger(epoch) || epoch < 0) {
    throw new RangeError(`"epoch" expected an integer in 0..2^53-1, got ${epoch}`);
  }
  return sha256(concatBytes(CHALLENGE_DOMAIN, u64be(epoch), utf8ToBytes(context)));
}

export const S_KADEMLIA = 'Baumgart and Mies, S/Kademlia (2007), section 4.1';

/** A node ID meets c1 bits if its hash begins with c1 zero bits. */
export const staticPuzzle = definePuzzle({
  kind: 'static',
  name: 'static',
  formula: 'h(nodeId)',
  source: S_KADEMLIA,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: false,
  idPrefix: () => new Uint8Array(),
  counts: 'leading',
  bits: (nodeId, rules) => leadingZeroBits(evaluatePuzzle(rules, nodeId)),
  measures: (rules) => `${formatEvaluation(rules, 'nodeId')} begins with`,
});

export const saltedPuzzle = definePuzzle({
  ...staticPuzzle,
  name: 'salted',
  formula: 'h(challenge ‖ nodeId)',
  idPrefix: challengeOf,
  bits: (nodeId, rules) =>
    leadingZeroBits(evaluatePuzzle(rules, concatBytes(challengeOf(rules), nodeId))),
  measures: (rules) => `${formatEvaluation(rules, 'challenge ‖ nodeId')} begins with`,
});

const NUMBER_BYTES = 8;

const concatPuzzle = definePuzzle({
  kind: 'dynamic',
  name: 'concat',
  formula: 'h(challenge ‖ nodeId ‖ X)',
  source: `${S_KADEMLIA}, repaired`,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: false,
  solutionBytes: () => NUMBER_BYTES,
  solution: (_nodeId, number) => u64be(number),
  message: ({ challenge, nodeId, solution }) => concatBytes(challenge, nodeId, solution),
  bitsMax: (outputBits) => outputBits,
});

/** One Y with a good h(Y) solves it for every node ID as X = nodeId ⊕ Y. */
const xorPuzzle = definePuzzle({
  kind: 'dynamic',
  name: 'xor',
  formula: 'h(nodeId ⊕ X)',
  source: S_KADEMLIA,
  evaluations: 1,
  freeBits: 0,
  isAmortisable: true,
  solutionBytes: (nodeIdBytes) => nodeIdBytes,
  solution: (nodeId, number) => rightAligned(number, nodeId.length),
  message: ({ nodeId, solution }) => exclusiveOr(nodeId, solution),
  // There are no more X to try than node IDs.
  bitsMax: (outputBits, nodeIdBits) => Math.min(outputBits, nodeIdBits),
});

/** X = nodeId solves any difficulty. It is the X with number 0. */
const unhashedPuzzle = definePuzzle({
  ...xorPuzzle,
  name: 'unhashed',
  formula: 'nodeId ⊕ X',
  source: `a mistaken reading of ${S_KADEMLIA}: perlin-network/noise, skademlia/puzzle.go (2019)`,
  evaluations: 0,
  freeBits: Number.POSITIVE_INFINITY,
  isAmortisable: false,
  solution: (nodeId, number) => exclusiveOr(nodeId, rightAligned(number, nodeId.length)),
});

/** The default first. */
const LISTED = {
  concat: concatPuzzle,
  xor: xorPuzzle,
  unhashed: unhashedPuzzle,
} as const;

/**
 * The forms of the dynamic puzzle: `concat`, bound to one node, one epoch and one network; `xor`, as S/Kademlia
 * published it; `unhashed`, a mistaken reading of the paper.
 */
export type DynamicForm = keyof typeof LISTED;
export const DYNAMIC_PUZZLES: Readonly<Record<DynamicForm, DynamicPuzzle>> = LISTED;
/** The keys of an object are strings to the compiler: hence the `as`. */
export const DYNAMIC_FORMS = Object.keys(LISTED) as readonly DynamicForm[];

/**
 * The difficulty that a solution meets, 0..256 bits. A solution of another length than that of the form
 * measures 0, because a free length would be a second way to write one X. The function is SHA-256 without a
 * policy.
 */
export function dynamicBits({
  form,
  policy = DEFAULT_PUZZLE_RULES,
  ...input
}: PuzzleInput & {
  readonly form: DynamicForm;
  readonly policy?: PuzzleRules | undefined;
}): number {
  const { solutionBytes, message, evaluations } = DYNAMIC_PUZZLES[form];
  if (input.solution.length !== solutionBytes(input.nodeId.length)) return 0;
  const measured = message(input);
  return leadingZeroBits(evaluations === 0 ? measured : evaluatePuzzle(policy, measured));
}

/** Byte by byte, as long as the left one. */
function exclusiveOr(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}

function rightAligned(number: number, length: number): Uint8Array {
  const digits = u64be(number);
  if (length < digits.length) return digits.subarray(digits.length - length);
  const bytes = new Uint8Array(length);
  bytes.set(digits, length - digits.length);
  return bytes;
}
