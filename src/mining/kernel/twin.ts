/**
 * @module
 * The twin of the key kernel in plain TypeScript with noble: maps an attempt number to its public key and its
 * secret. It is slow and simple. The kernel's tests compare with it, it makes the secret of a hit, and it searches the
 * rare batch that the kernel returns unsearched.
 */
import type { CurvePoint, CurvePointCons } from '@noble/curves/abstract/curve.js';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import { torsionPoint } from '../../identity/keys/expanded-key.ts';
import type { Coset, Location, Walk } from './numbering.ts';
import {
  attemptsPerBatch,
  GROUP_ORDER,
  locationOf,
  modulo,
  PAIRS_PER_BATCH,
  POINTS_PER_BATCH,
  pointScalar,
  torsionsOf,
} from './numbering.ts';

export interface Candidate {
  /** 32 bytes (Ed25519) or 33 (secp256k1, compressed). */
  readonly publicKey: Uint8Array;
  /** The discrete logarithm of the key without its torsion point, 1..order - 1. */
  readonly secret: bigint;
  /** Index of the torsion point that is added, 0..7. */
  readonly torsion: number;
}

export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** β and λ of the endomorphism λ·(x, y) = (β·x, y). Both are cube roots of one. */
export const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;

/** Makes scalar·G plus a torsion point, in affine coordinates. Null for the identity. */
export type SumMaker = (walk: Walk, location: Location, scalar: bigint) => AffinePoint | null;

/** The candidate of an attempt. Null if the point is the identity, which is not a key. */
export function candidateOf(
  walk: Walk,
  attempt: bigint,
  makeSum: SumMaker = sumOf,
): Candidate | null {
  const location = locationOf(walk, attempt);
  const scalar = pointScalar(walk, location);
  const point = scalar === 0n ? null : makeSum(walk, location, scalar);
  if (point === null) return null;
  const isNegative = isNegated(walk, point, location.sibling);
  return {
    publicKey: keyOf(walk, point, location.sibling),
    secret: secretOfSibling(walk, scalar, { isNegative, sibling: location.sibling }),
    torsion: isNegative ? (8 - location.torsion) % 8 : location.torsion,
  };
}

/** Makes each sum from nothing. */
export function sumOf(
  walk: Pick<Walk, 'scheme'>,
  { torsion }: Pick<Coset, 'torsion'>,
  scalar: bigint,
): AffinePoint | null {
  if (torsion === 0) return pointOf(walk, scalar);
  const reduced = modulo(scalar, GROUP_ORDER[walk.scheme]);
  return ed25519.Point.BASE.multiplyUnsafe(reduced).add(torsionPoint(torsion)).toAffine();
}

/**
 * scalar·G plus each torsion point of a walk, in affine coordinates: one multiplication and one inversion. Null for the
 * identity.
 */
export function sumsOf(
  walk: Pick<Walk, 'scheme' | 'torsion'>,
  scalar: bigint,
): readonly (AffinePoint | null)[] {
  if (torsionsOf(walk) === 1) return [pointOf(walk, scalar)];
  const point = ed25519.Point.BASE.multiplyUnsafe(modulo(scalar, GROUP_ORDER[walk.scheme]));
  const sums = Array.from({ length: torsionsOf(walk) }, (_, index) =>
    point.add(torsionPoint(index)),
  );
  return affine(ed25519.Point, sums);
}

/**
 * scalar·G in affine coordinates. Null for the identity. It is not in constant time, which takes 2.3 times as long:
 * only the process that mines a key could measure it, and that process has the secret.
 */
export function pointOf(walk: Pick<Walk, 'scheme'>, scalar: bigint): AffinePoint | null {
  const reduced = modulo(scalar, GROUP_ORDER[walk.scheme]);
  if (reduced === 0n) return null;
  return walk.scheme === 'ed25519'
    ? ed25519.Point.BASE.multiplyUnsafe(reduced).toAffine()
    : secp256k1.Point.BASE.multiplyUnsafe(reduced).toAffine();
}

/**
 * The points scalar·G, (scalar + step)·G, …, each plus a torsion point, by addition and one shared inversion. They are
 * consecutive by default.
 */
export function consecutivePoints(
  walk: Pick<Walk, 'scheme'>,
  scalar: bigint,
  count: number,
  { torsion = 0, step = 1n }: { readonly torsion?: number; readonly step?: bigint } = {},
): readonly (AffinePoint | null)[] {
  return walk.scheme === 'ed25519'
    ? consecutive(ed25519.Point, { scalar, step, added: torsionPoint(torsion) }, count)
    : consecutive(secp256k1.Point, { scalar, step, added: secp256k1.Point.ZERO }, count);
}

function consecutive<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  { scalar, step, added }: { readonly scalar: bigint; readonly step: bigint; readonly added: P },
  count: number,
): (AffinePoint | null)[] {
  const points: P[] = [];
  const between = Point.BASE.multiplyUnsafe(step);
  let point = Point.BASE.multiplyUnsafe(modulo(scalar, Point.Fn.ORDER)).add(added);
  for (let i = 0; i < count; i++) {
    points.push(point);
    point = point.add(between);
  }
  return affine(Point, points);
}

/** In affine coordinates, with one inversion. Null for the identity. */
function affine<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  points: readonly P[],
): (AffinePoint | null)[] {
  const finite = normalizeZ(
    Point,
    points.filter((p) => !p.is0()),
  ).values();
  return points.map((p) => (p.is0() ? null : (finite.next().value?.toAffine() ?? null)));
}

/** The keys of a batch in the order of their attempts. Null for an attempt without a key. */
export function* batchKeys(walk: Walk, batch: bigint): Generator<Uint8Array | null> {
  const lowest = pointScalar(walk, { batch, offset: -PAIRS_PER_BATCH });
  const sums = Array.from({ length: torsionsOf(walk) }, (_, torsion) =>
    consecutivePoints(walk, lowest, POINTS_PER_BATCH, { torsion }),
  );
  const size = attemptsPerBatch(walk);
  for (let within = 0; within < size; within++) {
    const { offset, torsion, sibling } = locationOf(walk, BigInt(within));
    const isIdentity = pointScalar(walk, { batch, offset }) === 0n;
    const point = isIdentity ? null : (sums[torsion]?.[offset + PAIRS_PER_BATCH] ?? null);
    yield point === null ? null : keyOf(walk, point, sibling);
  }
}

/** The encoded key of a sibling of a point. */
function keyOf(walk: Walk, point: AffinePoint, sibling: number): Uint8Array {
  if (walk.scheme === 'ed25519') {
    const key = numberToBytesLE(point.y, 32);
    if (sibling === 1) key[31] = (key[31] ?? 0) | 0x80;
    return key;
  }
  const x = modulo(point.x * BETA ** BigInt(sibling >> 1), secp256k1.Point.Fp.ORDER);
  return Uint8Array.of(2 + (sibling & 1), ...numberToBytesBE(x, 32));
}

/** A sibling has a parity of x (Ed25519) or y (secp256k1), which either the point or its negative has. */
function isNegated(walk: Walk, point: AffinePoint, sibling: number): boolean {
  const parity = walk.scheme === 'ed25519' ? point.x & 1n : point.y & 1n;
  return parity !== BigInt(sibling & 1);
}

function secretOfSibling(
  walk: Walk,
  scalar: bigint,
  { isNegative, sibling }: { readonly isNegative: boolean; readonly sibling: number },
): bigint {
  const order = GROUP_ORDER[walk.scheme];
  const times = walk.scheme === 'ed25519' ? 1n : LAMBDA ** BigInt(sibling >> 1);
  const secret = modulo(scalar * times, order);
  return isNegative ? order - secret : secret;
}
