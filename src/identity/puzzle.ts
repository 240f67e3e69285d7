/**
 * @module
 * The two crypto puzzles of S/Kademlia (Baumgart and Mies 2007, section 4.1) over SHA-256, measured
 * in leading zero bits. Static: SHA-256(nodeId). Dynamic, as published (`xor`): SHA-256(nodeId ⊕ X),
 * where one Y with a good SHA-256(Y) serves every node as X = nodeId ⊕ Y. Dynamic, repaired
 * (`concat`): SHA-256(challenge ‖ nodeId ‖ X), bound to one node, one epoch and one network.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { concatBytes, leadingZeroBits, u64be, utf8ToBytes } from '../bytes.ts';

/** Every form of the dynamic puzzle, the default first. */
export const DYNAMIC_FORMS = ['concat', 'xor'] as const;

export type DynamicForm = (typeof DYNAMIC_FORMS)[number];

/** The most bits a puzzle over SHA-256 can ask for. */
export const PUZZLE_BITS_MAX = 256;

const CHALLENGE_DOMAIN = utf8ToBytes('usurp/challenge/v1\0');

export interface ChallengeInput {
  /** An integer in 0..2^53−1. */
  readonly epoch: number;
  /** Names the network, so that work for one is no work for another. */
  readonly context: string;
}

export interface DynamicPuzzle {
  readonly form: DynamicForm;
  /** The 32 bytes of `challengeOf`; the xor form does not use them. */
  readonly challenge: Uint8Array;
  readonly nodeId: Uint8Array;
  /** X: 8 bytes big-endian for concat, 32 bytes for xor. */
  readonly solution: Uint8Array;
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

/** The difficulty that a node ID meets by itself: the leading zero bits of SHA-256(nodeId), 0..256. */
export function staticBits(nodeId: Uint8Array): number {
  return leadingZeroBits(sha256(nodeId));
}

/**
 * The difficulty that a solution meets, 0..256. A solution of another length than the form's is none
 * and measures 0, since a length of the solver's choice would be a second way to spell one X.
 */
export function dynamicBits({ form, challenge, nodeId, solution }: DynamicPuzzle): number {
  if (solution.length !== solutionBytesOf(form)) return 0;
  switch (form) {
    case 'concat':
      return leadingZeroBits(sha256(concatBytes(challenge, nodeId, solution)));
    case 'xor':
      return leadingZeroBits(sha256(exclusiveOr(nodeId, solution)));
    default:
      return unknownForm(form);
  }
}

/** The bytes of X: 8 for concat, as many as a node ID for xor. */
export function solutionBytesOf(form: DynamicForm): 8 | 32 {
  switch (form) {
    case 'concat':
      return 8;
    case 'xor':
      return 32;
    default:
      return unknownForm(form);
  }
}

/** Byte by byte, as long as the left one; missing bytes of the right one count as zero. */
function exclusiveOr(left: Uint8Array, right: Uint8Array): Uint8Array {
  return left.map((byte, index) => byte ^ (right[index] ?? 0));
}

function unknownForm(form: never): never {
  throw new TypeError(`"form" expected one of ${DYNAMIC_FORMS.join(', ')}, got ${String(form)}`);
}
