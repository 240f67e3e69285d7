/**
 * @module
 * The cost of checking a claim: a strict admission for each scheme, over OpenSSL's verification of the same
 * signature, and the refusal of a claim with too little work, which must stay cheap.
 */

import type { KeyObject } from 'node:crypto';
import { createPublicKey, verify } from 'node:crypto';
import { bytesToHex } from '../src/bytes.ts';
import { admit } from '../src/identity/admit.ts';
import type { Claim } from '../src/identity/claim.ts';
import { createClaim, possessionMessage } from '../src/identity/claim.ts';
import type { SchemeName } from '../src/identity/keys/scheme.ts';
import { SCHEME_NAMES } from '../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../src/identity/policy.ts';
import { challengeOf, PUZZLE_BITS_MAX } from '../src/identity/puzzles/puzzle.ts';

import type { Subject, Suite, Yardstick } from './measure.ts';
import { yardstickOf } from './measure.ts';

const ADMISSIONS_PER_CALL = 4;
const REFUSALS_PER_CALL = 256;
const VERIFICATIONS_PER_CALL = 16;
/** SubjectPublicKeyInfo up to the key: RFC 8410; RFC 5480 with a compressed point of 33 bytes. */
const DER_HEADS = {
  ed25519: '302a300506032b6570032100',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
} as const;

export function identitySuite(): Suite {
  const subjects = SCHEME_NAMES.flatMap((scheme) => {
    const claim = claimOf(scheme);
    const yardstick = nativeVerification(claim);
    return [admission(claim, yardstick), refusal(claim, yardstick)];
  });
  return { subjects, rounds: 5, sliceMs: 300, notes: [] };
}

function claimOf(scheme: SchemeName): Claim {
  const secret = { form: 'seed', bytes: new Uint8Array(32).fill(7) } as const;
  return createClaim({ scheme, secret, policy: STRICT_POLICY, solution: null });
}

function admission(claim: Claim, yardstick: Yardstick): Subject {
  const call = () => {
    for (let count = 0; count < ADMISSIONS_PER_CALL; count += 1) {
      if (!admit(claim, STRICT_POLICY).admitted) throw new Error('a valid claim was refused');
    }
  };
  const name = `admit ${claim.scheme}, every check, valid`;
  return { name, unit: 'claims', unitsPerCall: ADMISSIONS_PER_CALL, call, yardstick };
}

function refusal(claim: Claim, yardstick: Yardstick): Subject {
  const policy = { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX };
  const call = () => {
    for (let count = 0; count < REFUSALS_PER_CALL; count += 1) {
      if (admit(claim, policy).admitted) throw new Error('a claim without work was admitted');
    }
  };
  const name = `admit ${claim.scheme}, refused by the static puzzle`;
  return { name, unit: 'claims', unitsPerCall: REFUSALS_PER_CALL, call, yardstick };
}

function nativeVerification(claim: Claim): Yardstick {
  const message = possessionMessage({ ...claim, challenge: challengeOf(STRICT_POLICY) });
  const key = nativeKey(claim);
  const isValid = () =>
    claim.scheme === 'ed25519'
      ? verify(null, message, key, claim.signature)
      : verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, claim.signature);
  const call = () => {
    for (let count = 0; count < VERIFICATIONS_PER_CALL; count += 1) {
      if (!isValid()) throw new Error('OpenSSL refused a valid signature');
    }
  };
  const name = `OpenSSL, one ${claim.scheme} signature`;
  return yardstickOf({ name, unit: 'signatures', unitsPerCall: VERIFICATIONS_PER_CALL, call });
}

function nativeKey({ scheme, publicKey }: Claim): KeyObject {
  const der = Buffer.from(DER_HEADS[scheme] + bytesToHex(publicKey), 'hex');
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}
