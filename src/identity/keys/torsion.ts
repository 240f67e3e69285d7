/**
 * @module
 * The eight points of small order on Ed25519 as the multiples 0..7 of one of them (RFC 7748 calls
 * eight the cofactor). A key A + T signs with the secret of A, so whoever lets T pass lets one
 * secret have eight keys; the strict policy checks for it.
 */

import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';

/** How many torsion points there are. */
export const TORSION_POINTS = 8;

type Point = typeof ed25519.Point.BASE;

const { Point } = ed25519;

/** The multiples of the first listed point of order eight. */
const MULTIPLES: readonly Point[] = multiplesOf(generator());

/** The torsion point with this index, 0..7; 0 is the identity, 4 has order two. */
export function torsionPoint(index: number): Point {
  const point = MULTIPLES[index];
  if (point === undefined) throw new RangeError(`"index" expected 0..7, got ${index}`);
  return point;
}

function generator(): Point {
  for (const hex of ED25519_TORSION_SUBGROUP) {
    const point = Point.fromHex(hex);
    if (!point.multiplyUnsafe(4n).is0()) return point;
  }
  throw new TypeError('"ED25519_TORSION_SUBGROUP" expected a point of order eight, got none');
}

function multiplesOf(point: Point): Point[] {
  const multiples = [Point.ZERO];
  for (let last = point; multiples.length < TORSION_POINTS; last = last.add(point)) {
    multiples.push(last);
  }
  return multiples;
}
