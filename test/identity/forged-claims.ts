/**
 * @module
 * Claims for the tests: honest ones from a seed, and ones that no honest node would make, under a
 * key of the test's choice with a signature of the test's choice.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';

import { concatBytes, hexToBytes, utf8ToBytes } from '../../src/bytes.ts';
import type { Claim } from '../../src/identity/claim.ts';
import { createClaim, possessionMessage } from '../../src/identity/claim.ts';
import { nodeIdOf } from '../../src/identity/ids/node-id.ts';
import type { SchemeName } from '../../src/identity/keys/scheme.ts';
import type { CheckName, Policy } from '../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../src/identity/policy.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';

type Point = typeof ed25519.Point.BASE;

/** RFC 8032 section 7.1 TEST 1; as a scalar it is a secret of secp256k1 as well. */
export const SEED = hexToBytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');

/** A = identity, R = identity, S = 0: holds for every message where small orders are let through. */
export const UNIVERSAL_SIGNATURE = hexToBytes(`01${'00'.repeat(63)}`);

/** The strict policy but for some members. */
export function policyWith(members: Partial<Policy>): Policy {
  return { ...STRICT_POLICY, ...members };
}

/** The strict policy with some checks switched off. */
export function policyWithout(...names: readonly CheckName[]): Policy {
  const off = names.map((name) => [name, false] as const);
  return policyWith({ checks: { ...STRICT_POLICY.checks, ...Object.fromEntries(off) } });
}

/** What the holder of a seed presents. */
export function honestClaim(
  scheme: SchemeName,
  { policy = STRICT_POLICY, seed = SEED, solution = null }: Partial<HonestParts> = {},
): Claim {
  return createClaim({ scheme, secret: { form: 'seed', bytes: seed }, policy, solution });
}

interface HonestParts {
  readonly policy: Policy;
  readonly seed: Uint8Array;
  readonly solution: Uint8Array | null;
}

/** A claim under any key bytes, with its proper node ID and whatever signature. */
export function claimUnder(
  scheme: SchemeName,
  publicKey: Uint8Array,
  signature: Uint8Array,
): Claim {
  return { scheme, publicKey, nodeId: nodeIdOf(publicKey), solution: null, signature };
}

/**
 * A claim under A + T, signed with the scalar of A: what an adversary presents who wants eight IDs
 * of one secret. The cofactored equation [8][S]B = [8]R + [8][k](A + T) holds for every nonce.
 */
export function claimOfSibling(publicKey: Uint8Array, seed: Uint8Array): Claim {
  const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
  const nodeId = nodeIdOf(publicKey);
  const challenge = challengeOf(STRICT_POLICY);
  const message = possessionMessage({ challenge, nodeId, solution: null });
  return claimUnder('ed25519', publicKey, signByScalar(scalar, publicKey, message));
}

/** The eight points whose order divides the cofactor, the identity first. */
export function torsionPoints(): readonly Point[] {
  const { Point } = ed25519;
  const generator = Point.fromHex(
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  );
  const points = [Point.ZERO];
  while (points.length < 8) points.push((points.at(-1) ?? Point.ZERO).add(generator));
  return points;
}

function signByScalar(scalar: bigint, publicKey: Uint8Array, message: Uint8Array): Uint8Array {
  const { BASE, Fn } = ed25519.Point;
  const nonce = Fn.create(littleEndian(sha512(concatBytes(utf8ToBytes('nonce'), message))));
  const commitment = BASE.multiply(nonce).toBytes();
  const factor = Fn.create(littleEndian(sha512(concatBytes(commitment, publicKey, message))));
  return concatBytes(commitment, Fn.toBytes(Fn.add(nonce, Fn.mul(factor, scalar))));
}

function littleEndian(bytes: Uint8Array): bigint {
  return bytes.reduceRight((value, byte) => (value << 8n) | BigInt(byte), 0n);
}
