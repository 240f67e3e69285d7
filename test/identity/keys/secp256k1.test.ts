/**
 * @module
 * secp256k1: which spellings of a key and which forms of a signature count, and which secrets exist.
 */

import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { claimToJson, parseClaim, possessionMessage } from '../../../src/identity/claim.ts';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { challengeOf } from '../../../src/identity/puzzles/puzzle.ts';
import keys from '../../vectors/derived/secp256k1_key_encodings.json' with { type: 'json' };
import forms from '../../vectors/derived/secp256k1_signature_forms.json' with { type: 'json' };
import { honestClaim, policyWith, policyWithout } from '../forged-claims.ts';

const secp256k1 = schemeOf('secp256k1');
const ORDER = noble.Point.Fn.ORDER;
const SECRET_3 = scalarBytes(3n);

describe('spellings of the key of secret 3', () => {
  it.each(keys.encodings)('$what: $expected_of_our_api', (row) => {
    const claim = claimSpelt(hexToBytes(row.encoding));

    expect(bytesToHex(nodeIdOf(claim.publicKey))).toBe(row.sha256_of_bytes);
    expect(answerTo(claim)).toBe(EXPECTED_OF[row.what] ?? verdictIn(row.expected_of_our_api));
  });

  it('gives the holder a second ID where encodings are not checked', () => {
    const uncompressed = noble.Point.fromBytes(secp256k1.publicKeyOf(secretOf(3n))).toBytes(false);

    const claim = claimSpelt(uncompressed);

    expect(admit(claim, policyWithout('encoding')).admitted).toBe(true);
    expect(admit(claim, STRICT_POLICY).refusal).toBe('key.encoding');
  });

  it('verifies under an uncompressed key by lenient rules alone', () => {
    const uncompressed = noble.Point.BASE.multiply(3n).toBytes(false);
    const message = utf8ToBytes('message');
    const signature = secp256k1.sign(secretOf(3n), message);

    const answers = [true, false].map((strict) =>
      secp256k1.verify(uncompressed, message, signature, { strict, lowS: true }),
    );

    expect(answers).toEqual([false, true]);
  });

  it('admits the holders of d and of n − d as two nodes: the price is the work', () => {
    const claims = [3n, ORDER - 3n].map((scalar) =>
      honestClaim('secp256k1', { seed: scalarBytes(scalar) }),
    );

    const verdicts = claims.map((claim) => admit(claim, STRICT_POLICY).admitted);

    expect(verdicts).toEqual([true, true]);
    expect(new Set(claims.map(({ nodeId }) => bytesToHex(nodeId))).size).toBe(2);
  });
});

describe('forms of one signature', () => {
  const publicKey = hexToBytes(forms.public_key);
  const message = utf8ToBytes(forms.message_utf8);
  const rows = forms.forms.filter((row) => row.expected_of_our_api.startsWith('reject'));
  const ofLength = (length: number) => rows.filter((row) => row.signature.length === 2 * length);

  it.each(forms.forms)('$what: low s decides as the file says', (row) => {
    const signature = hexToBytes(row.signature);

    const answers = [true, false].map((lowS) =>
      secp256k1.verify(publicKey, message, signature, { strict: true, lowS }),
    );

    expect(answers).toEqual(ANSWERS_TO[row.what] ?? [false, false]);
  });

  it.each(rows.filter((row) => row.signature.length !== 128))('$what: malformed', (row) => {
    const json = { ...claimToJson(honestClaim('secp256k1')), signature: row.signature };

    expect(() => parseClaim(json)).toThrow('/signature must be lower-case hex of 64 bytes');
  });

  it.each(ofLength(64))('$what: signature.invalid', (row) => {
    const claim = { ...honestClaim('secp256k1'), signature: hexToBytes(row.signature) };

    expect(admit(claim, STRICT_POLICY).refusal).toBe('signature.invalid');
  });

  it('refuses the high-s twin of a claim, and accepts it with the low-s rule off', () => {
    const claim = honestClaim('secp256k1');
    const twin = { ...claim, signature: highS(claim.signature) };

    expect(admit(claim, STRICT_POLICY).admitted).toBe(true);
    expect(admit(twin, STRICT_POLICY).refusal).toBe('signature.invalid');
    expect(admit(twin, policyWith({ lowS: false })).admitted).toBe(true);
  });

  it('signs with low s, whatever the message', () => {
    const signatures = Array.from({ length: 32 }, (_, index) =>
      secp256k1.sign(secretOf(3n), Uint8Array.of(index)),
    );

    const high = signatures.filter((signature) => scalarOf(signature.slice(32)) > ORDER >> 1n);

    expect(high).toEqual([]);
  });
});

describe('secrets', () => {
  it.each([
    ['0', 0n, false],
    ['1', 1n, true],
    ['n − 1', ORDER - 1n, true],
    ['n', ORDER, false],
    ['n + 1', ORDER + 1n, false],
  ])('%s', (_name, scalar, expected) => {
    expect(secp256k1.isSeed(scalarBytes(scalar))).toBe(expected);
  });

  it.each([0, 31, 33, 64])('are not %d bytes long in either scheme', (length) => {
    const bytes = new Uint8Array(length).fill(1);

    expect(secp256k1.isSeed(bytes)).toBe(false);
    expect(schemeOf('ed25519').isSeed(bytes)).toBe(false);
  });

  it('gives the same 32 bytes two keys and two IDs in the two schemes', () => {
    const claims = [honestClaim('ed25519'), honestClaim('secp256k1')];

    const verdicts = claims.map((claim) => admit(claim, STRICT_POLICY).admitted);

    expect(verdicts).toEqual([true, true]);
    expect(claims.map(({ publicKey }) => publicKey.length)).toEqual([32, 33]);
  });
});

/**
 * A 32-byte key passes the schema under either scheme, as the keys of the other do, so that it is
 * named as a wrong encoding; the file would have it refused as malformed.
 */
const EXPECTED_OF: Readonly<Record<string, string>> = { 'x only, 32 bytes': 'key.encoding' };

/** The answers with the low-s rule on and off, where not both are false. */
const ANSWERS_TO: Readonly<Record<string, readonly boolean[]>> = {
  'compact, low s': [true, true],
  'compact, high s (n - s)': [false, true],
  'signature over sha256(message) made with prehash:false equals the default signature of message':
    [true, true],
};

function verdictIn(expectation: string): string {
  if (expectation.startsWith('accept as a key')) return 'signature.invalid';
  if (expectation.startsWith('accept')) return 'admitted';
  return /(?:422|400) (\S+)/.exec(expectation)?.[1] ?? `not understood: ${expectation}`;
}

function answerTo(claim: Claim): string {
  try {
    return admit(parseClaim(claimToJson(claim)), STRICT_POLICY).refusal ?? 'admitted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** The best claim for these key bytes that the holder of 3 (or n − 3) can make. */
function claimSpelt(publicKey: Uint8Array): Claim {
  const nodeId = nodeIdOf(publicKey);
  const message = possessionMessage({
    challenge: challengeOf(STRICT_POLICY),
    nodeId,
    solution: null,
  });
  const scalar = publicKey[0] === 3 ? ORDER - 3n : 3n;
  const signature = secp256k1.sign(secretOf(scalar), message);
  return { scheme: 'secp256k1', publicKey, nodeId, solution: null, signature };
}

function highS(signature: Uint8Array): Uint8Array {
  const twin = scalarBytes(ORDER - scalarOf(signature.slice(32)));
  return new Uint8Array([...signature.slice(0, 32), ...twin]);
}

function secretOf(scalar: bigint) {
  return { form: 'seed', bytes: scalar === 3n ? SECRET_3 : scalarBytes(scalar) } as const;
}

function scalarOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${bytesToHex(bytes)}`);
}

function scalarBytes(scalar: bigint): Uint8Array {
  return hexToBytes(scalar.toString(16).padStart(64, '0'));
}
