/**
 * @module
 * What identities really cost under a policy, beside what it demands on paper. Work is counted in
 * evaluations of the primitive (for scrypt Salsa20/8 cores, for Argon2id blocks), keys are free: a
 * good strategy makes them for next to nothing. Expected values of geometric attempts.
 */

import { nodeIdBytesOf } from '../identity/ids/node-id.ts';
import { STORJ_FREE_BITS } from '../identity/ids/storj.ts';
import type { SchemeName } from '../identity/keys/scheme.ts';
import type { Policy } from '../identity/policy.ts';
import { attemptHashes, demandedBits, solutionHashes } from './demand.ts';

/** Bits of the two puzzles. */
export interface PuzzleBits {
  readonly c1: number;
  readonly c2: number;
}

/** An expected amount of work. */
export interface Work {
  /** Keys that are tested. */
  readonly attempts: number;
  /** Primitive evaluations for node IDs and both puzzles. */
  readonly hashes: number;
  /** log2 of the hashes, or of the attempts where nothing is hashed. */
  readonly bits: number;
}

export interface PolicyCost {
  /** As the policy writes them; 0 where the check is off. */
  readonly nominal: PuzzleBits;
  /** What one ID takes of them, the free ones left out. */
  readonly real: PuzzleBits;
  /** Each ID solved by itself, as honest nodes do. */
  readonly honest: Work;
  /** As an adversary does who wants all of them. */
  readonly cheapest: Work;
  /** IDs that one secret signs for, without those of its negative: 8 where torsion passes. */
  readonly idsPerSecret: 1 | 8;
  /** Spellings of keys for which anybody signs without a secret, before their static puzzle. */
  readonly keysWithoutSecret: number;
  /**
   * log2 of the keys to test for an ID that is `given`, and for `any` two keys with one ID; null
   * where the ID is the key.
   */
  readonly collisionBits: { readonly given: number; readonly any: number } | null;
}

/** The cost of `ids` identities under a policy. */
export function policyCost(
  policy: Policy,
  { ids = 1, scheme = 'ed25519' }: { readonly ids?: number; readonly scheme?: SchemeName } = {},
): PolicyCost {
  const nominal = demandedBits(policy);
  const real = realBits(policy, nominal);
  const cost = { policy, real, ids };
  const isEdwards = scheme === 'ed25519';
  return {
    nominal,
    real,
    honest: workOf({ ...cost, solutions: ids }),
    cheapest: workOf({ ...cost, solutions: policy.dynamic === 'xor' ? Math.min(ids, 1) : ids }),
    idsPerSecret: isEdwards && !policy.checks.torsion ? 8 : 1,
    keysWithoutSecret: isEdwards ? keysWithoutSecret(policy) : 0,
    collisionBits: collisionBits(policy),
  };
}

/** What bits of a policy's puzzles cost: its version byte costs Storj's nothing, a missing hash all. */
export function realBits(policy: Policy, { c1, c2 }: PuzzleBits): PuzzleBits {
  return {
    c1: policy.idRule === 'storj' ? Math.max(0, c1 - STORJ_FREE_BITS) : c1,
    c2: policy.dynamic === 'unhashed' ? 0 : c2,
  };
}

/** `solutions` dynamic puzzles are solved, which in the amortised way is one for all IDs. */
function workOf(task: {
  readonly policy: Policy;
  readonly real: PuzzleBits;
  readonly ids: number;
  readonly solutions: number;
}): Work {
  const { policy, real, ids, solutions } = task;
  const attempts = ids * 2 ** real.c1;
  const solving = real.c2 > 0 ? solutions * solutionHashes(policy) * 2 ** real.c2 : 0;
  const hashes = attemptHashes(policy) * attempts + solving;
  return { attempts, hashes, bits: Math.log2(hashes > 0 ? hashes : attempts) };
}

/**
 * Eight points of small order have 14 spellings, 6 of them not canonical. The torsion check lets the
 * identity pass, which is spelt in 4 ways.
 */
function keysWithoutSecret({ checks }: Policy): number {
  if (checks.smallOrder) return 0;
  if (checks.torsion) return checks.encoding ? 1 : 4;
  return checks.encoding ? 8 : 14;
}

function collisionBits(policy: Policy): PolicyCost['collisionBits'] {
  switch (policy.idRule) {
    case 'hash':
    case 'storj': {
      const constant = policy.idRule === 'storj' ? STORJ_FREE_BITS : 0;
      const given = 8 * nodeIdBytesOf(policy) - constant;
      return { given, any: given / 2 };
    }
    case 'yggdrasil':
      return null;
    default:
      return policy.idRule satisfies never;
  }
}
