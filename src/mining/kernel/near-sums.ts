/**
 * @module
 * The sums of hits that follow each other. A short ID or an easy puzzle gives many hits in one batch. The first of a batch
 * is made from nothing, the others from the centre of the batch by one addition, in a quarter of the time.
 */

import type { CurvePoint, CurvePointCons } from '@noble/curves/abstract/curve.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { torsionPoint } from '../../identity/keys/expanded-key.ts';
import type { Location, Walk } from './numbering.ts';
import { modulo, PAIRS_PER_BATCH, pointScalar } from './numbering.ts';
import type { AffinePoint, SumMaker } from './twin.ts';
import { sumOf } from './twin.ts';

/** A maker of sums that remembers the centre of the last batch. */
export function nearSums(): SumMaker {
  let last: bigint | null = null;
  let addToCentre: Adder | null = null;
  return (walk, location, scalar) => {
    const { batch } = location;
    if (batch !== last) {
      last = batch;
      addToCentre = null;
      return sumOf(walk, location, scalar);
    }
    addToCentre ??= adderAt(walk, pointScalar(walk, { batch, offset: 0 }));
    return addToCentre(location);
  };
}

/** Makes the sum of a location from the centre of its batch. It must not be the identity. */
type Adder = (location: Location) => AffinePoint;

function adderAt({ scheme }: Walk, scalar: bigint): Adder {
  return scheme === 'ed25519'
    ? adder(ed25519.Point, MULTIPLES.ed25519, { scalar, torsionOf: torsionPoint })
    : adder(secp256k1.Point, MULTIPLES.secp256k1, { scalar, torsionOf: null });
}

function adder<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  multiples: () => readonly P[],
  {
    scalar,
    torsionOf,
  }: { readonly scalar: bigint; readonly torsionOf: ((index: number) => P) | null },
): Adder {
  const centre = Point.BASE.multiplyUnsafe(modulo(scalar, Point.Fn.ORDER));
  return ({ offset, torsion }) => {
    const multiple = multiples()[Math.abs(offset)] ?? Point.ZERO;
    const point = centre.add(offset < 0 ? multiple.negate() : multiple);
    return (torsion === 0 || torsionOf === null ? point : point.add(torsionOf(torsion))).toAffine();
  };
}

/** The points 0, G, 2G, … up to the half of a batch, which are made when they are first needed. */
function multiplesOf<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
): () => readonly P[] {
  let made: readonly P[] | null = null;
  return () => {
    made ??= multiplesUpTo(Point, PAIRS_PER_BATCH);
    return made;
  };
}

function multiplesUpTo<P extends CurvePoint<bigint, P>>(
  Point: CurvePointCons<P>,
  most: number,
): readonly P[] {
  const points = [Point.ZERO];
  for (let point = Point.BASE; points.length <= most; point = point.add(Point.BASE)) {
    points.push(point);
  }
  return points;
}

const MULTIPLES = {
  ed25519: multiplesOf(ed25519.Point),
  secp256k1: multiplesOf(secp256k1.Point),
};
