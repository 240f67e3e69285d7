/**
 * @module
 * The cost of checking a claim: a strict admission for each scheme, over OpenSSL's verification of the same
 * signature, and over the admission with noble alone; the refusal of a claim with too little work, which must stay
 * cheap; and the test for the subgroup of prime order, over multiplying by the order.
 */

import type { KeyObject } from 'node:crypto';
import { createPublicKey, verify } from 'node:crypto';

import { ed25519 } from '@noble/curves/ed25519.js';

import { bytesToHex } from '../src/bytes.ts';
import { admit } from '../src/identity/admit.ts';
import type { Claim } from '../src/identity/claim.ts';
import { createClaim, possessionMessage } from '../src/identity/claim.ts';
import { isOfPrimeOrder } from '../src/identity/keys/ed25519.ts';
import type { PlainVerifier, SchemeName } from '../src/identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { challengeOf, PUZZLE_BITS_MAX } from '../src/identity/puzzles/puzzle.ts';
import { plainVerifier } from '../src/runtime/openssl/plain-verifier.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';

const CLAIMS = { unit: 'claims', clock: 'cpu' } as const;
/** Calls of more than 100 ms of CPU time each. */
const PER_CALL = {
  admissions: 1024,
  byNoble: 256,
  refusals: 2 ** 16,
  verifications: 4096,
} as const;
const POINTS_PER_CALL = { test: 1024, multiplication: 256 } as const;
/** SubjectPublicKeyInfo up to the key: RFC 8410; RFC 5480 with a compressed point of 33 bytes. */
const DER_HEADS = {
  ed25519: '302a300506032b6570032100',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
} as const;

export function identitySuite(): Suite {
  const subjects = SCHEME_NAMES.flatMap((scheme) => {
    const claim = claimOf(scheme);
    const yardstick = nativeVerification(claim);
    return [
      admission(claim, yardstick),
      { ...admission(claim, admissionByNoble(claim)), name: `the same, over noble alone` },
      refusal(claim, yardstick),
    ];
  });
  return { subjects: [...subjects, subgroupTest()], rounds: 5, sliceMs: 300, notes: [] };
}

function claimOf(scheme: SchemeName): Claim {
  const secret = { form: 'seed', bytes: new Uint8Array(32).fill(7) } as const;
  return createClaim({ scheme, secret, policy: STRICT_POLICY, solution: null });
}

function admission(claim: Claim, yardstick: Yardstick): Subject {
  const name = `admit ${claim.scheme}, every check, valid`;
  const call = repeated(PER_CALL.admissions, () => isAdmitted(claim, plainVerifier));
  return { ...CLAIMS, name, unitsPerCall: PER_CALL.admissions, call, yardstick };
}

function admissionByNoble(claim: Claim): Yardstick {
  const name = `admit ${claim.scheme}, noble alone`;
  const call = repeated(PER_CALL.byNoble, () => isAdmitted(claim, null));
  return yardstickOf({ ...CLAIMS, name, unitsPerCall: PER_CALL.byNoble, call });
}

function isAdmitted(claim: Claim, plain: PlainVerifier | null): boolean {
  return admit(claim, STRICT_POLICY, { plain }).admitted;
}

function refusal(claim: Claim, yardstick: Yardstick): Subject {
  const policy = { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX };
  const call = repeated(PER_CALL.refusals, () => !admit(claim, policy).admitted);
  const name = `admit ${claim.scheme}, refused by the static puzzle`;
  return { ...CLAIMS, name, unitsPerCall: PER_CALL.refusals, call, yardstick };
}

function subgroupTest(): Subject {
  const point = ed25519.Point.fromBytes(claimOf('ed25519').publicKey);
  const points = { unit: 'points', clock: 'cpu' } as const;
  const yardstick = yardstickOf({
    ...{ ...points, name: 'multiplication by the order' },
    unitsPerCall: POINTS_PER_CALL.multiplication,
    call: repeated(POINTS_PER_CALL.multiplication, () => point.isTorsionFree()),
  });
  return {
    ...{ ...points, name: 'test for the subgroup of prime order', yardstick },
    unitsPerCall: POINTS_PER_CALL.test,
    call: repeated(POINTS_PER_CALL.test, () => isOfPrimeOrder(point)),
  };
}

function nativeVerification(claim: Claim): Yardstick {
  const message = possessionMessage({ ...claim, challenge: challengeOf(STRICT_POLICY) });
  const key = nativeKey(claim);
  const isValid = () =>
    claim.scheme === 'ed25519'
      ? verify(null, message, key, claim.signature)
      : verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, claim.signature);
  const call = repeated(PER_CALL.verifications, isValid);
  const name = `OpenSSL, one ${claim.scheme} signature`;
  const unitsPerCall = PER_CALL.verifications;
  return yardstickOf({ name, unit: 'signatures', unitsPerCall, clock: 'cpu', call });
}

/** A function that repeats a check, which must hold. */
function repeated(times: number, holds: () => boolean): () => void {
  return () => {
    for (let count = 0; count < times; count += 1) {
      if (!holds()) throw new Error('a check gave the wrong answer');
    }
  };
}

function nativeKey({ scheme, publicKey }: Claim): KeyObject {
  const der = Buffer.from(DER_HEADS[scheme] + bytesToHex(publicKey), 'hex');
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}
