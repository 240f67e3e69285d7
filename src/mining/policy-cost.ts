/**
 * @module
 * The cost of identities under a policy: the work that the policy requires on paper and the work that they really
 * take, for IDs of any value. Work is counted in evaluations of the primitive (Salsa20/8 cores for scrypt, blocks for Argon2id). Keys
 * are free, because a good strategy makes them at almost no cost. All values are expectations of geometric
 * attempts.
 */

import { idRuleOf, nodeIdBytesOf } from '../identity/ids/node-id.ts';
import type { SchemeName } from '../identity/keys/scheme.ts';
import type { CheckName, Policy } from '../identity/policy.ts';
import { DYNAMIC_PUZZLES } from '../identity/puzzles/puzzle.ts';
import { puzzleHashes } from '../identity/puzzles/puzzle-function.ts';

/** Bits of the two puzzles. */
export interface PuzzleBits {
  readonly c1: number;
  readonly c2: number;
}

/** An expected amount of work. */
interface Work {
  /** Keys that are tested. */
  readonly attempts: number;
  /** Evaluations of the primitive for node IDs and both puzzles. */
  readonly hashes: number;
  /** log2 of the hashes, or of the attempts if nothing is hashed. */
  readonly bits: number;
}

export interface PolicyCost {
  /** What the policy states. 0 for a check that is switched off. */
  readonly nominal: PuzzleBits;
  /** The bits of it that cost work. */
  readonly real: PuzzleBits;
  /** Work of honest nodes, which solve each ID by itself. */
  readonly honest: Work;
  /** Work of an adversary that makes all IDs together. */
  readonly cheapest: Work;
  /** IDs that one secret signs for, not counting those of its negative: 8 if torsion is accepted. */
  readonly idsPerSecret: 1 | 8;
  /** Encodings of keys for which anyone signs without a secret, before their static puzzle. */
  readonly keysWithoutSecret: number;
  /**
   * log2 of the expected number of keys to test for a key with one `given` ID that is admitted, and for `any` two admitted
   * keys with one ID. Null if the ID is the key.
   */
  readonly collisionBits: { readonly given: number; readonly any: number } | null;
}

/** The cost of `ids` identities under a policy. */
export function policyCost(
  policy: Policy,
  { ids = 1, scheme = 'ed25519' }: { readonly ids?: number; readonly scheme?: SchemeName } = {},
): PolicyCost {
  const isEdwards = scheme === 'ed25519';
  const unspared = 1 - sparedShare(policy);
  return {
    nominal: requiredBits(policy),
    real: realBits(policy),
    honest: workOf(policy, ids, solvingOf(policy, ids) * unspared),
    cheapest: workOf(policy, ids, solvingHashes(policy, ids) * unspared ** ids),
    idsPerSecret: isEdwards && !policy.checks.torsion ? 8 : 1,
    keysWithoutSecret: isEdwards ? keysWithoutSecret(policy) : 0,
    collisionBits: collisionBits(policy),
  };
}

/** The bits that a claim must show. A puzzle whose check is switched off requires none. */
export function requiredBits({ checks, c1, c2 }: Policy): PuzzleBits {
  return { c1: checks.static ? c1 : 0, c2: checks.dynamic ? c2 : 0 };
}

/** The bits that cost work, of those that a claim must show or of others. */
export function realBits(policy: Policy, bits = requiredBits(policy)): PuzzleBits {
  const puzzle = idRuleOf(policy).puzzle(policy);
  const c2 = Math.max(0, bits.c2 - DYNAMIC_PUZZLES[policy.dynamic].freeBits);
  return {
    c1: Math.max(0, bits.c1 - puzzle.freeBits),
    c2: isDynamicImplied(policy, bits) ? 0 : c2,
  };
}

/** Whether every ID that meets the static puzzle has a solution of the dynamic one that needs no search. */
export function isDynamicImplied(policy: Policy, { c1, c2 } = requiredBits(policy)): boolean {
  return hasOneHash(policy) && c2 > 0 && c2 <= c1;
}

/** The share of the IDs that meet the static puzzle which also meet a harder dynamic one, each as a Y for all IDs. */
export function sparedShare(policy: Policy): number {
  const { c1, c2 } = requiredBits(policy);
  return hasOneHash(policy) && c1 > 0 && c1 < c2 ? 2 ** (c1 - c2) : 0;
}

/** The XOR form hashes nodeId ⊕ X. For X = 0 that is the hash of the static puzzle, if it has no salt. */
function hasOneHash(policy: Policy): boolean {
  const { isSlow, puzzle } = idRuleOf(policy);
  const { evaluations, idPrefix } = puzzle(policy);
  return policy.dynamic === 'xor' && !isSlow && evaluations === 1 && idPrefix(policy).length === 0;
}

/**
 * Average evaluations of one attempt: for the node ID, and for the static puzzle if one is required. The puzzle is a
 * function of the ID, so that only the `share` of the IDs that meet the goal is worth its evaluation.
 */
export function attemptHashes(policy: Policy, share = 1): number {
  const { isSlow, hashes } = idRuleOf(policy);
  return (isSlow ? puzzleHashes(policy.puzzle) : hashes) + share * staticHashes(policy);
}

/** Evaluations of one static puzzle. 0 if none is required or nothing is hashed. */
export function staticHashes(policy: Policy): number {
  if (requiredBits(policy).c1 === 0) return 0;
  const { isSlow, puzzle } = idRuleOf(policy);
  return puzzle(policy).evaluations * (isSlow ? 1 : puzzleHashes(policy.puzzle));
}

/** The check without which an adversary has IDs for which it hashes no key, and why. Null if it must hash keys. */
export function freeIds(
  policy: Policy,
): { readonly check: CheckName; readonly why: string } | null {
  const { nodeId, signature } = policy.checks;
  if (!nodeId) {
    const why =
      'no ID follows from a key, so that an adversary takes the IDs that it wants and hashes their puzzles alone';
    return { check: 'nodeId', why };
  }
  if (!signature) {
    const why = 'no claim needs the secret of a key, so that an adversary takes the IDs of others';
    return { check: 'signature', why };
  }
  const isOpen = idRuleOf(policy).isKey && keysWithoutSecret(policy) > 0;
  return isOpen ? { check: 'smallOrder', why: 'anyone signs for the smallest key' } : null;
}

/** Whether a salt changes the static puzzle. It cannot if the ID itself is the puzzle. */
export function takesSalt(policy: Policy): boolean {
  return idRuleOf(policy).puzzle(policy).evaluations > 0;
}

/** Evaluations of one X. */
export function solutionHashes(policy: Policy): number {
  return DYNAMIC_PUZZLES[policy.dynamic].evaluations * puzzleHashes(policy.puzzle);
}

/** Whether the WASM kernel of the key search can test what the policy requires: no slow ID and no slow puzzle. */
export function isKernelPolicy(policy: Policy): boolean {
  if (idRuleOf(policy).isSlow) return false;
  return policy.puzzle.function === 'hash' || requiredBits(policy).c1 === 0;
}

/** Whether the WASM kernel can test keys in stock: one hash of the node ID, and no slow puzzle. */
export function isStockKernelPolicy(policy: Policy): boolean {
  return policy.puzzle.function === 'hash' && staticHashes(policy) === 1;
}

/** Whether the WASM kernel of the search for X can test what the policy requires. */
export function isSolutionKernelPolicy(policy: Policy): boolean {
  const isPlain = policy.hash === 'sha256' && policy.puzzle.function === 'hash';
  return isPlain && policy.idBits === 256 && DYNAMIC_PUZZLES[policy.dynamic].evaluations === 1;
}

/**
 * Evaluations for the dynamic puzzles of identities that one adversary owns, whose keys it has. One solution serves all
 * of them if the form is amortisable. It is still to find: no ID meets both puzzles.
 */
export function solvingHashes(policy: Policy, ids: number): number {
  const isShared = DYNAMIC_PUZZLES[policy.dynamic].isAmortisable && !isDynamicImplied(policy);
  return solvingOf(policy, isShared ? Math.min(ids, 1) : ids);
}

/** Evaluations for this number of dynamic puzzles. */
function solvingOf(policy: Policy, solutions: number): number {
  if (requiredBits(policy).c2 === 0) return 0;
  return solutions * solutionHashes(policy) * 2 ** realBits(policy).c2;
}

function workOf(policy: Policy, ids: number, solving: number): Work {
  const attempts = ids * 2 ** realBits(policy).c1;
  const hashes = attemptHashes(policy) * attempts + solving;
  return { attempts, hashes, bits: Math.log2(hashes > 0 ? hashes : attempts) };
}

/**
 * The eight points of small order have 14 encodings, 6 of them not canonical. The torsion check accepts the
 * identity, which has 4 encodings.
 */
function keysWithoutSecret({ checks }: Policy): number {
  if (checks.smallOrder) return 0;
  if (checks.torsion) return checks.encoding ? 1 : 4;
  return checks.encoding ? 8 : 14;
}

/** Most keys that a search for two keys with one ID keeps, if it may expect to need them. */
export const PAIR_KEYS_MAX = 2 ** 19;

/**
 * The birthday bound among admitted keys. The static puzzle is a function of the ID, so that c of the bits leave 2^(b − c)
 * of the 2^b IDs. Two of their keys have one ID after √(π/2 · 2^(b − c)) of them on average, and each takes 2^c tests.
 */
function collisionBits(policy: Policy): PolicyCost['collisionBits'] {
  const { isKey, constantBits } = idRuleOf(policy);
  if (isKey) return null;
  const given = 8 * nodeIdBytesOf(policy) - constantBits;
  const any = (given + realBits(policy).c1 + Math.log2(Math.PI / 2)) / 2;
  return { given, any };
}

/** The keys to test until two that are admitted have one ID, on average. Infinity if there are none. */
export function pairAttempts(policy: Policy): number {
  const bits = collisionBits(policy);
  return bits === null ? Number.POSITIVE_INFINITY : 2 ** bits.any;
}

/** The keys that a search for two keys with one ID keeps until it has them, on average. Infinity if there are none. */
export function pairKeysExpected(policy: Policy): number {
  return pairAttempts(policy) / 2 ** realBits(policy).c1;
}
