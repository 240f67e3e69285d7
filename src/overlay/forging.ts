/**
 * @module
 * The leader of a key is the node closest to it. This file has the price of that position: the IDs that an adversary
 * forges near a key, and the closed forms of its chances. Of n honest and t adversarial IDs each is the closest to a key
 * with the same probability, because all are uniform. Attempts, puzzles and hashes are those of src/mining.
 */

import { randomBinomial } from 'd3-random';

import type { Policy } from '../identity/policy.ts';
import { attemptHashes, realBits, solvingHashes, staticHashes } from '../mining/policy-cost.ts';
import type { Random } from '../random.ts';
import type { Key } from './network.ts';
import { drawKey, ID_BITS, keyOf } from './network.ts';
import { adversariesAmong } from './tables.ts';

/** What an adversary spends on one key. */
export interface Forging {
  /** Keys that it tests. */
  readonly attempts: number;
  /** Most IDs that it keeps: those closest to the key. */
  readonly kept: number;
  readonly policy: Policy;
}

/**
 * Evaluations of the hash for `ids` IDs that all join. The node IDs of all attempts come first. Then the nearest are tested,
 * with 2^c1 static puzzles for each ID that is kept, and those that join have dynamic puzzles.
 */
export function forgingHashes({ attempts, kept, policy }: Forging, ids: number): number {
  const share = Math.min(1, (kept * 2 ** realBits(policy).c1) / attempts);
  return attempts * attemptHashes(policy, share) + solvingHashes(policy, ids);
}

/**
 * Evaluations for the node IDs of all attempts, and for the puzzles of the one ID that leads the key. The adversary knows the
 * other IDs. It tests the static puzzle only of IDs closer to the key than all others, until one has it, and solves the
 * dynamic puzzle only of this one. An ID that leads thus comes with 2^c1 tests on average, those of other keys included.
 */
export function leadingHashes({ attempts, policy }: Omit<Forging, 'kept'>) {
  const tests = staticHashes(policy) * 2 ** realBits(policy).c1;
  return {
    attempts: attempts * attemptHashes(policy, 0),
    puzzles: tests + solvingHashes(policy, 1),
  };
}

/**
 * The IDs closest to the key among those of the attempts. They are drawn, not mined: each attempt meets the static puzzle
 * by itself, and the distances of N uniform IDs in ascending order are order statistics, each drawn given the one before.
 */
export function forgedNear(key: Key, forging: Forging, random: Random): readonly Key[] {
  const odds = 2 ** -realBits(forging.policy).c1;
  const ids = randomBinomial.source(() => random.unit())(forging.attempts, odds)();
  const result: Key[] = [];
  let above = 1;
  for (let index = 0; index < Math.min(forging.kept, ids); index += 1) {
    above *= (1 - random.unit()) ** (1 / (ids - index));
    const distance = BigInt(Math.floor((1 - above) * 2 ** 53)) << BigInt(ID_BITS - 53);
    const { high, low } = halvesOf(distance + BigInt(random.below(2 ** (ID_BITS - 53))));
    result.push({ high: (key.high ^ high) >>> 0, low: (key.low ^ low) >>> 0 });
  }
  return result;
}

function halvesOf(value: bigint): Key {
  return { high: Number(value >> 32n), low: Number(value & 0xffffffffn) };
}

/** The probability that the `siblings` nodes closest to a key are all among `forged` IDs, beside `honest` ones. */
export function allSiblingsOdds(honest: number, forged: number, siblings: number): number {
  let odds = 1;
  for (let index = 0; index < siblings; index += 1) {
    odds *= Math.max(0, forged - index) / (honest + forged - index);
  }
  return odds;
}

/** The number of IDs with which an adversary leads a key with this probability, beside `honest` ones. */
export function idsToLead(honest: number, probability: number): number {
  return Math.ceil((honest * probability) / (1 - probability));
}

/**
 * Number of IDs that an adversary adds to its share of the nodes, so that it leads a key with this probability. `left` is the
 * share of the honest nodes that have left.
 */
export function idsToAdd(
  { nodes, share, left }: { readonly nodes: number; readonly share: number; readonly left: number },
  probability: number,
): number {
  const held = adversariesAmong(nodes, share);
  const honest = Math.max(1, Math.round((nodes - held) * (1 - left)));
  return Math.max(0, idsToLead(honest, probability) - held);
}

/** The probability that at least one of the disjoint paths meets no adversary, if a share m of the nodes is adversarial. */
export function freePathOdds(lengths: readonly number[], m: number): number {
  return 1 - lengths.reduce((odds, length) => odds * (1 - (1 - m) ** length), 1);
}

/**
 * The share of lookups that succeed if each of d disjoint paths of length i is free of adversaries with probability
 * (1 − m)^i: P = Σ h_i (1 − (1 − (1 − m)^i)^d) (S/Kademlia, section 4.4). `shares` has h_i at index i.
 */
export function analyticSuccess(shares: readonly number[], m: number, d: number): number {
  return shares.reduce((sum, share, i) => sum + share * (1 - (1 - (1 - m) ** i) ** d), 0);
}

/** IDs of honest nodes: given node IDs, or drawn ones. */
export function idsOf(given: readonly Uint8Array[] | null, nodes: number, random: Random): Key[] {
  return given?.map(keyOf) ?? Array.from({ length: nodes }, () => drawKey(random));
}
