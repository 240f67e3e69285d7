/**
 * @module
 * Encodings of no point: forty-eight a scheme, chosen by Euler's criterion and not by the library
 * under test. Every one is refused as key.encoding, under strict rules and under lenient ones.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { claimToJson, parseClaim } from '../../../src/identity/claim.ts';
import type { SchemeName } from '../../../src/identity/keys/scheme.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { claimUnder, policyWithout, UNIVERSAL_SIGNATURE } from '../forged-claims.ts';

const CASES = 48;
const P_25519 = 2n ** 255n - 19n;
const D_25519 = modulo(-121665n * power(121666n, P_25519 - 2n, P_25519), P_25519);
const P_SECP256K1 = 2n ** 256n - 2n ** 32n - 977n;

const ROWS: readonly (readonly [SchemeName, string, string])[] = [
  ...numbers().filter(hasNoEdwardsX).slice(0, CASES).map(edwardsRow),
  ...numbers().filter(hasNoWeierstrassY).slice(0, CASES).map(compressedRow),
  ...numbers().slice(0, CASES).map(uncompressedRow),
];

describe('encodings of no point', () => {
  it('are at least forty a scheme', () => {
    const counts = (['ed25519', 'secp256k1'] as const).map(
      (name) => new Set(ROWS.filter(([scheme]) => scheme === name).map(([, , hex]) => hex)).size,
    );

    expect(counts).toEqual([CASES, 2 * CASES]);
  });

  it.each(ROWS)('%s, %s: %s is key.encoding', (scheme, _form, hex) => {
    const json = claimToJson(claimUnder(scheme, hexToBytes(hex), UNIVERSAL_SIGNATURE));

    const { refusal } = admit(parseClaim(json), STRICT_POLICY);

    expect(refusal).toBe('key.encoding');
  });

  it.each(ROWS)('%s, %s: %s verifies nothing where no key is checked', (scheme, _form, hex) => {
    const claim = claimUnder(scheme, hexToBytes(hex), UNIVERSAL_SIGNATURE);

    const { refusal } = admit(claim, policyWithout('encoding', 'smallOrder', 'torsion'));

    expect(refusal).toBe('signature.invalid');
    expect(schemeOf(scheme).decode(claim.publicKey)).toBeNull();
  });
});

function edwardsRow(y: bigint) {
  const littleEndian = hexToBytes(hexOf(y)).toReversed();
  return ['ed25519', 'y without x', bytesToHex(littleEndian)] as const;
}

function compressedRow(x: bigint) {
  return ['secp256k1', 'x without y', `${x % 2n === 0n ? '02' : '03'}${hexOf(x)}`] as const;
}

/** Two unrelated coordinates; the curve equation holds for such a pair once in 2^255. */
function uncompressedRow(x: bigint) {
  return ['secp256k1', 'x and y apart', `04${hexOf(x)}${hexOf(x ^ 1n)}`] as const;
}

/** Numbers below both primes, the same every time. */
function numbers(): readonly bigint[] {
  return Array.from({ length: 4 * CASES }, (_, index) => {
    const digest = sha256(utf8ToBytes(`off the curve ${index}`));
    return BigInt(`0x${bytesToHex(digest)}`) >> 2n;
  });
}

/** x² = (y² − 1)/(d·y² + 1) has no root (RFC 8032 section 5.1.3). */
function hasNoEdwardsX(y: bigint): boolean {
  const numerator = modulo(y * y - 1n, P_25519);
  const denominator = modulo(D_25519 * y * y + 1n, P_25519);
  // A quotient is a square when the product is.
  return !isSquare(numerator * denominator, P_25519);
}

/** y² = x³ + 7 has no root (SEC 2 section 2.4.1). */
function hasNoWeierstrassY(x: bigint): boolean {
  return !isSquare(x * x * x + 7n, P_SECP256K1);
}

function isSquare(value: bigint, prime: bigint): boolean {
  return power(modulo(value, prime), (prime - 1n) / 2n, prime) === 1n;
}

function power(base: bigint, exponent: bigint, prime: bigint): bigint {
  let result = 1n;
  let square = modulo(base, prime);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % prime;
    square = (square * square) % prime;
  }
  return result;
}

function modulo(value: bigint, prime: bigint): bigint {
  return ((value % prime) + prime) % prime;
}

function hexOf(value: bigint): string {
  return value.toString(16).padStart(64, '0');
}
