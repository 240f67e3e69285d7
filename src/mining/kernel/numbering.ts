/**
 * @module
 * This folder contains the WASM kernels, their hosts and their twin. This file maps attempt numbers to candidates,
 * for the key kernel and its twin. With a start scalar s, batch b has the centre s + b·2049, and its points have the
 * offsets 0, +1, -1, +2, -2, …, +1024, -1024. Each point gives `keysPerPoint` keys: one in canonical form (Ed25519:
 * sign bit 0, secp256k1: prefix 02), or all free siblings (Ed25519: sign bits 0 and 1, secp256k1: x, βx and β²x, each
 * with the prefixes 02 and 03). So
 *
 *   attempt = (b · 2049 + index of the offset) · keysPerPoint + key
 *
 * and attempt ↔ (b, offset, key) ↔ (scalar modulo the order, key) are bijections, up to the order. The secret
 * of a key is the scalar, times a power of λ for a β sibling, negated if the sign requires it. If torsion is accepted
 * (Ed25519), each point P gives the keys of P, P + T, …, P + 7T for T of order eight, one after the other, so that
 * seven of eight candidates are outside the subgroup of prime order from the first point on.
 */

import { TORSION_POINTS } from '../../identity/keys/expanded-key.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';

/** The order of the scheme's group. */
export const GROUP_ORDER: Readonly<Record<SchemeName, bigint>> = {
  ed25519: 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};

/** Pairs ±j in a batch. The WASM kernel is compiled with the same number. */
export const PAIRS_PER_BATCH = 1024;
export const POINTS_PER_BATCH = 2 * PAIRS_PER_BATCH + 1;

/** What decides every candidate. */
export interface Walk {
  readonly scheme: SchemeName;
  /** All free siblings of a point (strategy `siblings`), or one key of each point (`batch`). */
  readonly siblings: boolean;
  /** Ed25519: whether keys outside the subgroup of prime order are candidates too. */
  readonly torsion?: boolean | undefined;
  readonly startScalar: bigint;
}

/** The points of a batch, all with the same torsion point added. */
export interface Coset {
  readonly batch: bigint;
  /** Index of the torsion point, 0..7. */
  readonly torsion: number;
}

/** The location of an attempt in the walk. */
export interface Location extends Coset {
  /** Distance from the centre of the batch, -1024..1024. */
  readonly offset: number;
  /** 0..keysPerSum - 1. */
  readonly sibling: number;
}

/** Torsion points that are added to each point of a walk, the identity among them. */
export function torsionsOf({ torsion }: Pick<Walk, 'torsion'>): number {
  return torsion === true ? TORSION_POINTS : 1;
}

/** Number of keys that are tested of each sum of a point and a torsion point. */
export function keysPerSum({ scheme, siblings }: Pick<Walk, 'scheme' | 'siblings'>): number {
  if (!siblings) return 1;
  return scheme === 'ed25519' ? 2 : 6;
}

/** Number of keys that are tested of each point. */
export function keysPerPoint(walk: Pick<Walk, 'scheme' | 'siblings' | 'torsion'>): number {
  return torsionsOf(walk) * keysPerSum(walk);
}

/** Attempts in a batch. Ranges that start and end at multiples of it waste nothing. */
export function attemptsPerBatch(walk: Pick<Walk, 'scheme' | 'siblings' | 'torsion'>): number {
  return POINTS_PER_BATCH * keysPerPoint(walk);
}

/** The location of an attempt. */
export function locationOf(walk: Walk, attempt: bigint): Location {
  if (attempt < 0n) throw new RangeError(`"attempt" expected 0 or more, got ${attempt}`);
  const size = BigInt(attemptsPerBatch(walk));
  const within = Number(attempt % size);
  const keys = keysPerPoint(walk);
  const point = Math.floor(within / keys);
  const distance = (point + 1) >> 1;
  const offset = point % 2 === 1 ? distance : 0 - distance;
  const key = within % keys;
  const siblings = keysPerSum(walk);
  const torsion = Math.floor(key / siblings);
  return { batch: attempt / size, torsion, offset, sibling: key % siblings };
}

/**
 * The attempt with a number in a walk that takes the points of one torsion point alone, as the kernel does: the number
 * counts the keys of all sums from the first batch on.
 */
export function attemptOfSum(walk: Walk, torsion: number, number: bigint): bigint {
  const siblings = BigInt(keysPerSum(walk));
  const sum = (number / siblings) * BigInt(torsionsOf(walk)) + BigInt(torsion);
  return sum * siblings + (number % siblings);
}

/** The scalar of an attempt's point, 0 ≤ scalar < order: the discrete logarithm before siblings. */
export function pointScalar(
  walk: Walk,
  { batch, offset }: Pick<Location, 'batch' | 'offset'>,
): bigint {
  const sum = walk.startScalar + batch * BigInt(POINTS_PER_BATCH) + BigInt(offset);
  return modulo(sum, GROUP_ORDER[walk.scheme]);
}

/** The representative of `value` in 0..modulus - 1. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}
