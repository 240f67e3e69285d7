/**
 * @module
 * Whether a point of edwards25519 is in the subgroup of prime order L. Multiplying the point by L takes 250 doublings.
 * This test takes two exponentiations, a fifth of that time. It evaluates a Tate pairing (D. Koshelev, "Subgroup
 * membership testing on elliptic curves via the Tate pairing", ePrint 2022/037; T. Pornin, "Point-Halving and
 * Subgroup Membership in Twisted Edwards Curves", ePrint 2022/1164).
 *
 * The proof, for a point P that is not of small order:
 * 1. edwards25519 is the Montgomery curve E: v² = u(u² + Au + 1) with A = 486662 (RFC 7748). Its group is cyclic of
 *    order 8L. P is the double of a point if and only if u(P) is a square. If it is none, 8 divides the order of P.
 * 2. The curve E': y² = x(x − (A+2))(x − (A−2)) has a 2-isogeny to E with the kernel {0, (0, 0)}. If u(P) = w², it
 *    takes exactly the points P' with x = A + 2u ± 2v/w and y = ±2wx to P and −P.
 * 3. Let T be the point of E' with x = A + 2 + 2s, where s² = A + 2. Then 2T = (A+2, 0), the line through T and 2T has
 *    the slope λ = 2 + s, and f = (y − λ(x − (A+2)))² / (x − (A+2)) has the divisor 4(T) − 4(0). So
 *    χ(P') = f(P')^((p−1)/4), the reduced Tate pairing with T, is a homomorphism to the fourth roots of unity. For one
 *    of the two s, χ(0, 0) = 1. Then P ↦ χ(P') is a homomorphism of the doubles in E, which are cyclic of order 4L. It
 *    takes points of order four to primitive roots. Thus exactly the points of order L have the value 1.
 */

import { pow2 } from '@noble/curves/abstract/modular.js';
import { ed25519 } from '@noble/curves/ed25519.js';

type Point = typeof ed25519.Point.BASE;

const { Fp } = ed25519.Point;
const P = Fp.ORDER;
const A = 486662n;
const ROOT_OF_MINUS_ONE = Fp.pow(2n, (P - 1n) / 4n);
/** v = V_SCALE·u/x maps edwards25519 to the Montgomery curve. Its sign is free: P and −P have the same order. */
const V_SCALE = Fp.sqrt(P - (A + 2n));
/** λ, with the even one of the two s. */
const LAMBDA = 2n + evenRootOf(A + 2n);

/** Whether the order of a point is L, or 1 for the identity. */
export function isOfPrimeOrder(point: Point): boolean {
  if (point.isSmallOrder()) return point.is0();
  const { x, y } = point.toAffine();
  // u = n/d, w = m/d, and x(P') = (2q + (A+2)·d·x) / (d·x). None of these is 0, as the order is not small.
  const [n, d] = [1n + y, 1n - y];
  const m = rootOf(Fp.mul(n, d));
  if (m === null) return false;
  const q = (2n * x * y + V_SCALE * m) % P;
  const line = (m * (2n * q + (A + 2n) * (d * x)) - LAMBDA * (d * q)) % P;
  // f(P') times the fourth power of d·x·q, which the exponentiation takes to 1.
  const value = Fp.create(2n * d * ((line * line) % P) * ((x * q) % P) ** 3n);
  const power = powerOf(value);
  return (power * power * value) % P === 1n;
}

/** A square root. Null if there is none. */
function rootOf(value: bigint): bigint | null {
  const candidate = (powerOf(value) * value) % P;
  const square = (candidate * candidate) % P;
  if (square === value) return candidate;
  return square === P - value ? (candidate * ROOT_OF_MINUS_ONE) % P : null;
}

/** value^((p−5)/8) = value^(2^252 − 3). A square root and a power of (p−1)/4 are a product or two more. */
function powerOf(value: bigint): bigint {
  // The number in a name is the n of value^(2^n − 1).
  const joined = (high: bigint, low: bigint, bits: bigint) => (pow2(high, bits, P) * low) % P;
  const ones2 = joined(value, value, 1n);
  const ones4 = joined(ones2, ones2, 2n);
  const ones5 = joined(ones4, value, 1n);
  const ones10 = joined(ones5, ones5, 5n);
  const ones20 = joined(ones10, ones10, 10n);
  const ones40 = joined(ones20, ones20, 20n);
  const ones50 = joined(ones40, ones10, 10n);
  const ones100 = joined(ones50, ones50, 50n);
  const ones200 = joined(ones100, ones100, 100n);
  const ones250 = joined(ones200, ones50, 50n);
  return joined(ones250, value, 2n);
}

function evenRootOf(value: bigint): bigint {
  const root = Fp.sqrt(value);
  return root % 2n === 0n ? root : P - root;
}
