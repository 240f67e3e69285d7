/**
 * @module
 * The eight points of small order on Ed25519, as the multiples 0..7 of one of them (RFC 7748 calls eight the
 * cofactor). The secret of a key A also signs for A + T. If a network accepts T, one secret has eight keys; the
 * strict policy refuses them.
 */

import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';

/** Number of torsion points. */
export const TORSION_POINTS = 8;

const { Point } = ed25519;
type Point = typeof Point.BASE;

const MULTIPLES: readonly Point[] = multiplesOfGenerator();

/** The torsion point with this index, 0..7. 0 is the identity, 4 has order two. */
export function torsionPoint(index: number): Point {
  const point = MULTIPLES[index];
  if (point === undefined) throw new RangeError(`"index" expected 0..7, got ${index}`);
  return point;
}

/** The multiples of the first listed point of order eight. */
function multiplesOfGenerator(): Point[] {
  const generator = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex)).find(
    (point) => !point.multiplyUnsafe(4n).is0(),
  );
  if (generator === undefined) {
    throw new TypeError('"ED25519_TORSION_SUBGROUP" expected a point of order eight, got none');
  }
  const multiples = [Point.ZERO];
  for (let last = generator; multiples.length < TORSION_POINTS; last = last.add(generator)) {
    multiples.push(last);
  }
  return multiples;
}
