/**
 * @module
 * Attempt number ↔ candidate, for the kernel and its twin alike. From a start scalar s,
 * batch b has the centre s + b·2049; within it come the offsets 0, +1, -1, +2, -2, …, +1024, -1024;
 * each point gives `keysPerPoint` keys: one in canonical form (Ed25519: sign bit 0; secp256k1:
 * prefix 02), or all free siblings (Ed25519: sign bits 0, 1; secp256k1: x, βx, β²x, each with
 * prefixes 02, 03). So
 *
 *   attempt = (b · 2049 + place of the offset) · keysPerPoint + sibling
 *
 * and attempt ↔ (b, offset, sibling) ↔ (scalar modulo the order, sibling) are bijections, up to the
 * order. The key's secret is the scalar, times a power of λ for a β sibling, negated if the sign
 * asks for it. Where torsion counts (Ed25519), the walk takes 64 batches of the points P, then the
 * same of P + T, …, P + 7T for T of order eight, and goes on.
 */

import type { SchemeName } from '../../identity/keys/scheme.ts';

/** The order of the scheme's group. */
export const GROUP_ORDER: Readonly<Record<SchemeName, bigint>> = {
  ed25519: 0x1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3edn,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};

/** Pairs ±j of a batch; the WASM kernel is compiled with the same number. */
export const PAIRS_PER_BATCH = 1024;
export const POINTS_PER_BATCH = 2 * PAIRS_PER_BATCH + 1;

/** Points of small order on Ed25519, the multiples 0..7 of one of order eight. */
const TORSION_POINTS = 8;
/** Batches that are walked before the same ones are walked beside the next torsion point. */
export const BATCHES_PER_COSET = 64;

/** What fixes every candidate. */
export interface Walk {
  readonly scheme: SchemeName;
  /** All free siblings of a point (strategy `siblings`), or one key a point (strategy `batch`). */
  readonly siblings: boolean;
  /** Ed25519: whether the keys beside the subgroup of prime order are candidates too. */
  readonly torsion?: boolean | undefined;
  readonly startScalar: bigint;
}

/** Which batch of scalars a batch of attempts has, and beside which torsion point. */
export interface Coset {
  readonly batch: bigint;
  /** The multiple 0..7 of the point of order eight that is added. */
  readonly torsion: number;
}

export interface Place extends Coset {
  /** -1024..1024 from the batch's centre. */
  readonly offset: number;
  /** 0..keysPerPoint - 1. */
  readonly sibling: number;
}

/** 1, or as many free siblings as a point of the scheme has. */
export function keysPerPoint(walk: Pick<Walk, 'scheme' | 'siblings'>): number {
  if (!walk.siblings) return 1;
  return walk.scheme === 'ed25519' ? 2 : 6;
}

/** The attempts of a whole batch: ranges that start and end at multiples of it waste nothing. */
export function attemptsPerBatch(walk: Pick<Walk, 'scheme' | 'siblings'>): number {
  return POINTS_PER_BATCH * keysPerPoint(walk);
}

/** Where an attempt lies. */
export function placeOf(walk: Walk, attempt: bigint): Place {
  if (attempt < 0n) throw new RangeError(`"attempt" expected 0 or more, got ${attempt}`);
  const size = BigInt(attemptsPerBatch(walk));
  const within = Number(attempt % size);
  const keys = keysPerPoint(walk);
  const point = Math.floor(within / keys);
  const distance = (point + 1) >> 1;
  const offset = point % 2 === 1 ? distance : 0 - distance;
  return { ...cosetOf(walk, attempt / size), offset, sibling: within % keys };
}

/** Where the batch of attempts with this number lies. */
export function cosetOf(walk: Pick<Walk, 'torsion'>, number: bigint): Coset {
  if (walk.torsion !== true) return { batch: number, torsion: 0 };
  const size = BigInt(BATCHES_PER_COSET);
  const coset = number / size;
  const points = BigInt(TORSION_POINTS);
  return { batch: (coset / points) * size + (number % size), torsion: Number(coset % points) };
}

/** The number of the batch of attempts at this place. */
function batchNumber(walk: Pick<Walk, 'torsion'>, { batch, torsion }: Coset): bigint {
  if (walk.torsion !== true) return batch;
  const size = BigInt(BATCHES_PER_COSET);
  const coset = (batch / size) * BigInt(TORSION_POINTS) + BigInt(torsion);
  return coset * size + (batch % size);
}

/** The attempt at a place. */
export function attemptAt(walk: Walk, place: Place): bigint {
  const point = place.offset > 0 ? 2 * place.offset - 1 : -2 * place.offset;
  const within = point * keysPerPoint(walk) + place.sibling;
  return batchNumber(walk, place) * BigInt(attemptsPerBatch(walk)) + BigInt(within);
}

/** The scalar of an attempt's point, 0 ≤ scalar < order: the discrete logarithm before siblings. */
export function pointScalar(walk: Walk, place: Pick<Place, 'batch' | 'offset'>): bigint {
  const sum = walk.startScalar + place.batch * BigInt(POINTS_PER_BATCH) + BigInt(place.offset);
  return modulo(sum, GROUP_ORDER[walk.scheme]);
}

/** The representative of `value` in 0..modulus - 1. */
export function modulo(value: bigint, modulus: bigint): bigint {
  const rest = value % modulus;
  return rest < 0n ? rest + modulus : rest;
}
