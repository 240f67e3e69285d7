/**
 * @module
 * The kernel in plain TypeScript over noble: an attempt number to its public key and its
 * secret. Slow and obvious on purpose; it is the oracle of the kernel's tests, rebuilds the secret
 * of a hit, and searches the rare batch that the kernel hands back.
 */
import type { CurvePoint, CurvePointCons } from '@noble/curves/abstract/curve.js';
import { normalizeZ } from '@noble/curves/abstract/curve.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { numberToBytesBE, numberToBytesLE } from '@noble/curves/utils.js';
import type { Walk } from './numbering.ts';
import {
  GROUP_ORDER,
  keysPerPoint,
  modulo,
  PAIRS_PER_BATCH,
  POINTS_PER_BATCH,
  placeOf,
  pointScalar,
} from './numbering.ts';

export interface Candidate {
  /** 32 bytes (Ed25519) or 33 (secp256k1, compressed). */
  readonly publicKey: Uint8Array;
  /** The discrete logarithm of the key, 1..order - 1. */
  readonly secret: bigint;
}

export interface AffinePoint {
  readonly x: bigint;
  readonly y: bigint;
}

/** β and λ of the endomorphism λ·(x, y) = (β·x, y); both are cube roots of one. */
const BETA = 0x7ae96a2b657c07106e64479eac3434e99cf0497512f58995c1396c28719501een;
const LAMBDA = 0x5363ad4cc05c30e0a5261c028812645a122e22ea20816678df02967c1b23bd72n;

/** The candidate of an attempt; null where the point is the identity, which is no key. */
export function candidateOf(walk: Walk, attempt: bigint): Candidate | null {
  const place = placeOf(walk, attempt);
  const scalar = pointScalar(walk, place);
  const point = pointOf(walk, scalar);
  if (point === null) return null;
  return {
    publicKey: keyOf(walk, point, place.sibling),
    secret: secretOfSibling(walk, scalar, point, place.sibling),
  };
}

/** The secret scalar of an attempt's key; null where there is no key. */
export function secretOf(walk: Walk, attempt: bigint): bigint | null {
  return candidateOf(walk, attempt)?.secret ?? null;
}

/** scalar·G in affine coordinates; null for the identity. */
export function pointOf(walk: Pick<Walk, 'scheme'>, scalar: bigint): AffinePoint | null {
  const reduced = modulo(scalar, GROUP_ORDER[walk.scheme]);
  if (reduced === 0n) return null;
  return walk.scheme === 'ed25519'
    ? ed25519.Point.BASE.multiply(reduced).toAffine()
    : secp256k1.Point.BASE.multiply(reduced).toAffine();
}

/** The consecutive points scalar·G, (scalar+1)·G, …, by addition and one shared inversion. */
export function consecutivePoints(
  walk: Pick<Walk, 'scheme'>,
  scalar: bigint,
  count: number,
): readonly (AffinePoint | null)[] {
  return walk.scheme === 'ed25519'
    ? consecutive(ed25519.Point, scalar, count)
    : consecutive(secp256k1.Point, scalar, count);
}

function consecutive<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  scalar: bigint,
  count: number,
): (AffinePoint | null)[] {
  const points: P[] = [];
  let point = Point.BASE.multiplyUnsafe(modulo(scalar, Point.Fn.ORDER));
  for (let i = 0; i < count; i++) {
    points.push(point);
    point = point.add(Point.BASE);
  }
  const finite = normalizeZ(
    Point,
    points.filter((p) => !p.is0()),
  ).values();
  return points.map((p) => (p.is0() ? null : (finite.next().value?.toAffine() ?? null)));
}

/** All candidates' keys of a batch, in the order of their attempts; null where there is no key. */
export function* batchKeys(walk: Walk, batch: bigint): Generator<Uint8Array | null> {
  const lowest = pointScalar(walk, { batch, offset: -PAIRS_PER_BATCH });
  const points = consecutivePoints(walk, lowest, POINTS_PER_BATCH);
  const keys = keysPerPoint(walk);
  for (let within = 0; within < POINTS_PER_BATCH * keys; within++) {
    const { offset, sibling } = placeOf(walk, BigInt(within));
    const point = points[offset + PAIRS_PER_BATCH] ?? null;
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

/**
 * The sign that a sibling asks for is the parity of x (Ed25519) or y (secp256k1): ±scalar has it.
 */
function secretOfSibling(walk: Walk, scalar: bigint, point: AffinePoint, sibling: number): bigint {
  const order = GROUP_ORDER[walk.scheme];
  const parity = walk.scheme === 'ed25519' ? point.x & 1n : point.y & 1n;
  const times = walk.scheme === 'ed25519' ? 1n : LAMBDA ** BigInt(sibling >> 1);
  const secret = modulo(scalar * times, order);
  return parity === BigInt(sibling & 1) ? secret : order - secret;
}
