/**
 * @module
 * The definition of an ID rule: how a network makes node IDs from public keys, how much work an ID shows,
 * and in which order its nodes are ranked.
 */

import type { SchemeName } from '../keys/signature-scheme.ts';
import type { StaticPuzzle } from '../puzzles/puzzle.ts';
import type { PuzzleRules } from '../puzzles/puzzle-function.ts';

/** The members of a policy that decide the node ID, but for the rule itself. */
export interface NodeIdFormat extends PuzzleRules {
  /** Bits that an ID is cut to. Only the rules `hash` and `slow` cut. */
  readonly idBits: number;
}

export interface IdRuleDefinition {
  readonly name: string;
  /** What a node ID is, for messages and lists. */
  readonly formula: (format: NodeIdFormat) => string;
  readonly source: string;
  /** Whether `hash`, `idBits`, `salted` and `puzzle` of a policy have an effect. */
  readonly isConfigurable: boolean;
  /** Whether an ID costs an evaluation of the puzzle function, and the static puzzle one hash. */
  readonly isSlow: boolean;
  /** The only scheme whose keys have an ID. Null if keys of every scheme have one. */
  readonly scheme: SchemeName | null;
  /** Whether the ID is the public key itself, so that its puzzle and its rank depend on the same bits. */
  readonly isKey: boolean;
  readonly idBytes: (format: NodeIdFormat) => number;
  /** Bits of an ID that are the same for all keys. */
  readonly constantBits: number;
  /** Hash evaluations that one ID costs, if it is not slow. The first one hashes the key, each other one the digest before it. */
  readonly hashes: number;
  /** What is hashed before a key of this length. */
  readonly keyPrefix: (keyBytes: number) => Uint8Array;
  /** Why a key of this length has no ID. Null if it has one. */
  readonly unsuited: (keyBytes: number) => string | null;
  /** The ID of a key that is not unsuited. */
  readonly nodeId: (publicKey: Uint8Array, format: NodeIdFormat) => Uint8Array;
  readonly puzzle: (rules: { readonly salted: boolean }) => StaticPuzzle;
  /** How a network without a beacon orders its nodes, see rank-key.ts. */
  readonly ranks: 'node-id' | 'smallest';
}

export function defineIdRule<const R extends IdRuleDefinition>(rule: R): R {
  return rule;
}
