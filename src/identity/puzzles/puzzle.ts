/**
 * @module
 * This folder defines the puzzles that cost work and measures their solutions. This file contains the two crypto puzzles of S/Kademlia (Baumgart and Mies 2007, section 4.1), measured in leading zero
 * bits; h is the policy's puzzle function, SHA-256 by default. Static: h(nodeId), or salted
 * h(challenge ‖ nodeId). Dynamic, as published (`xor`): h(nodeId ⊕ X), where one Y with a good h(Y)
 * serves every node as X = nodeId ⊕ Y. Dynamic, repaired (`concat`): h(challenge ‖ nodeId ‖ X), bound
 * to one node, one epoch and one network. Dynamic, mistaken (`unhashed`): nodeId ⊕ X itself, which
 * X = nodeId solves for nothing.
 */

import { sha256 } from '@noble/hashes/sha2.js';

import { concatBytes, leadingZeroBits, u64be, utf8ToBytes } from '../../bytes.ts';
import type { NodeIdRules } from '../ids/node-id.ts';
import { DEFAULT_NODE_ID_RULES, NODE_ID_BYTES, unknownIdRule } from '../ids/node-id.ts';
import { storjDifficulty } from '../ids/storj.ts';
import { keyStrength } from '../ids/yggdrasil.ts';
import type { PuzzleRules } from './puzzle-function.ts';
import { DEFAULT_PUZZLE_RULES, evaluatePuzzle, formatEvaluation } from './puzzle-function.ts';

/** Every form of the dynamic puzzle, the default first. */
export const DYNAMIC_FORMS = ['concat', 'xor', 'unhashed'] as const;

export type DynamicForm = (typeof DYNAMIC_FORMS)[number];

/** The most bits a puzzle over SHA-256 can ask for. */
export const PUZZLE_BITS_MAX = 256;

const CHALLENGE_DOMAIN = utf8ToBytes('usurp/challenge/v1\0');
const CONCAT_SOLUTION_BYTES = 8;

export interface ChallengeInput {
  /** An integer in 0..2^53−1. */
  readonly epoch: number;
  /** Names the network, so that work for one is no work for another. */
  readonly context: string;
}

/** What decides the static puzzle; a policy has these members. */
export interface StaticRules extends NodeIdRules, PuzzleRules, ChallengeInput {
  /** Bound to the challenge, so that work for one epoch is none for the next. */
  readonly salted: boolean;
}

export interface DynamicPuzzle {
  readonly form: DynamicForm;
  /** The 32 bytes of `challengeOf`; only the concat form uses them. */
  readonly challenge: Uint8Array;
  readonly nodeId: Uint8Array;
  /** X: 8 bytes big-endian for concat, as long as the node ID for xor and unhashed. */
  readonly solution: Uint8Array;
  /** Whose function decides; SHA-256 without one. */
  readonly policy?: PuzzleRules | undefined;
}

const DEFAULT_STATIC_RULES: StaticRules = {
  ...DEFAULT_NODE_ID_RULES,
  ...DEFAULT_PUZZLE_RULES,
  salted: false,
  epoch: 0,
  context: 'usurp',
};

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

/**
 * The difficulty that a node ID meets by itself, 0..256: leading zero bits of h(nodeId), or of
 * h(challenge ‖ nodeId) where the puzzle is salted; the zero bits of the ID itself under the rules of
 * Storj (trailing, nominal) and Yggdrasil (leading).
 */
export function staticBits(nodeId: Uint8Array, rules: StaticRules = DEFAULT_STATIC_RULES): number {
  switch (rules.idRule) {
    case 'hash': {
      const input = rules.salted ? concatBytes(challengeOf(rules), nodeId) : nodeId;
      return leadingZeroBits(evaluatePuzzle(rules, input));
    }
    case 'storj':
      return storjDifficulty(nodeId);
    case 'yggdrasil':
      return keyStrength(nodeId);
    default:
      return unknownIdRule(rules.idRule);
  }
}

/** What the static puzzle measures, in words that end before the number: `… begins with`. */
export function formatStaticPuzzle(rules: StaticRules): string {
  switch (rules.idRule) {
    case 'hash': {
      const input = rules.salted ? 'challenge ‖ nodeId' : 'nodeId';
      return `${formatEvaluation(rules, input)} begins with`;
    }
    case 'storj':
      return 'the node ID ends, its version byte counted, with';
    case 'yggdrasil':
      return 'the key begins with';
    default:
      return unknownIdRule(rules.idRule);
  }
}

/**
 * The difficulty that a solution meets, 0..256. A solution of another length than the form's is none
 * and measures 0, since a length of the solver's choice would be a second way to spell one X.
 */
export function dynamicBits(puzzle: DynamicPuzzle): number {
  const { form, challenge, nodeId, solution, policy = DEFAULT_PUZZLE_RULES } = puzzle;
  if (solution.length !== solutionBytesOf(form, nodeId.length)) return 0;
  switch (form) {
    case 'concat':
      return leadingZeroBits(evaluatePuzzle(policy, concatBytes(challenge, nodeId, solution)));
    case 'xor':
      return leadingZeroBits(evaluatePuzzle(policy, exclusiveOr(nodeId, solution)));
    case 'unhashed':
      return leadingZeroBits(exclusiveOr(nodeId, solution));
    default:
      return unknownForm(form);
  }
}

/** The bytes of X: 8 for concat, as many as a node ID for xor and unhashed. */
export function solutionBytesOf(form: DynamicForm, nodeIdBytes = NODE_ID_BYTES): number {
  switch (form) {
    case 'concat':
      return CONCAT_SOLUTION_BYTES;
    case 'xor':
    case 'unhashed':
      return nodeIdBytes;
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
