/**
 * @module
 * Exact probabilities: rationals in lowest terms over bigint, with a positive denominator, so that two
 * equal ones are equal as data. As many operations as the closed forms need and no more; what is swept
 * or drawn is computed in doubles.
 */

/** In lowest terms; the denominator is positive. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Fraction = { numerator: 0n, denominator: 1n };
export const ONE: Fraction = { numerator: 1n, denominator: 1n };

/** The fraction in lowest terms. The denominator is at least 1. */
export function fraction(numerator: bigint | number, denominator: bigint | number): Fraction {
  const [above, below] = [BigInt(numerator), BigInt(denominator)];
  if (below < 1n) throw new RangeError(`"denominator" expected at least 1, got ${below}`);
  const divisor = greatestDivisor(above < 0n ? -above : above, below);
  return { numerator: above / divisor, denominator: below / divisor };
}

export function plus(left: Fraction, right: Fraction): Fraction {
  return fraction(
    left.numerator * right.denominator + right.numerator * left.denominator,
    left.denominator * right.denominator,
  );
}

export function times(left: Fraction, right: Fraction): Fraction {
  return fraction(left.numerator * right.numerator, left.denominator * right.denominator);
}

/** The probability of the opposite, 1 − x. */
export function complement({ numerator, denominator }: Fraction): Fraction {
  return { numerator: denominator - numerator, denominator };
}

/** x^exponent for an integer exponent of at least 0; 0^0 is 1. */
export function power({ numerator, denominator }: Fraction, exponent: number): Fraction {
  const times = BigInt(exponent);
  return { numerator: numerator ** times, denominator: denominator ** times };
}

/** The double next to the fraction, or beside it; terms may be longer than a double can hold. */
export function toNumber({ numerator, denominator }: Fraction): number {
  const shift = bitsAbout(denominator) - bitsAbout(numerator) + QUOTIENT_BITS;
  const quotient =
    shift >= 0
      ? (numerator << BigInt(shift)) / denominator
      : numerator / (denominator << BigInt(-shift));
  // In two steps, as 2^−shift alone may be below the least double.
  return (Number(quotient) / 2 ** QUOTIENT_BITS) * 2 ** (QUOTIENT_BITS - shift);
}

/** Eleven more than a double has, so that what is cut off does not show. */
const QUOTIENT_BITS = 64;

function bitsAbout(value: bigint): number {
  return 4 * value.toString(16).length;
}

function greatestDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left, right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
