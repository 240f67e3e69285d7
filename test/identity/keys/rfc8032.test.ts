/**
 * @module
 * Ed25519 against the vectors of RFC 8032 section 7.1, and both schemes against OpenSSL.
 */

import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import { SCHEME_NAMES, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { sampled } from '../../sample.ts';
import vectors from '../../vectors/rfc8032/ed25519.json' with { type: 'json' };
import { SEED } from '../forged-claims.ts';

const RULES = { strict: true, lowS: true };
const ed25519 = schemeOf('ed25519');

describe.each(vectors)('RFC 8032 section 7.1 TEST $name', (vector) => {
  const secret = { form: 'seed', bytes: hexToBytes(vector.secretKey) } as const;
  const publicKey = hexToBytes(vector.publicKey);
  const message = hexToBytes(vector.message);
  const signature = hexToBytes(vector.signature);

  it('derives the public key', () => {
    const derived = ed25519.publicKeyOf(secret);

    expect(bytesToHex(derived)).toBe(vector.publicKey);
  });

  it('signs as the RFC does', () => {
    const signed = ed25519.sign(secret, message);

    expect(bytesToHex(signed)).toBe(vector.signature);
  });

  it('verifies, and not another message', () => {
    const longer = new Uint8Array([...message, 0]);

    expect(ed25519.verify(publicKey, message, signature, RULES)).toBe(true);
    expect(ed25519.verify(publicKey, longer, signature, RULES)).toBe(false);
  });

  it('is a canonical key of the prime-order subgroup', () => {
    const facts = ed25519.decode(publicKey);

    expect(facts?.canonical).toBe(true);
    expect(facts?.isSmallOrder()).toBe(false);
    expect(facts?.isTorsionFree()).toBe(true);
  });
});

describe.each(SCHEME_NAMES)('%s', (name) => {
  const scheme = schemeOf(name);
  const secret = { form: 'seed', bytes: SEED } as const;
  const message = utf8ToBytes('election=7;round=1;vote=candidate-3');

  it('makes keys and signatures that OpenSSL verifies', () => {
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from(SPKI_HEAD[name], 'hex'), scheme.publicKeyOf(secret)]),
      format: 'der',
      type: 'spki',
    });

    const signature = scheme.sign(secret, message);

    const digest = name === 'ed25519' ? null : 'sha256';
    expect(verify(digest, message, { key, dsaEncoding: 'ieee-p1363' }, signature)).toBe(true);
  });

  it('refuses the signature with any one of its bits flipped, of which each byte has some', () => {
    const publicKey = scheme.publicKeyOf(secret);
    const signature = scheme.sign(secret, message);

    const bits = sampled([...Array(512).keys()], 3);
    const accepted = bits.filter((bit) => {
      const flipped = signature.map((byte, index) =>
        index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte,
      );
      return scheme.verify(publicKey, message, flipped, RULES);
    });

    expect(accepted).toEqual([]);
  });

  it.each([0, 1, 63, 65, 1000])('answers false to a signature of %d bytes', (length) => {
    const publicKey = scheme.publicKeyOf(secret);

    expect(scheme.verify(publicKey, message, new Uint8Array(length), RULES)).toBe(false);
  });

  it.each([0, 1, 31, 64, 66])('answers false and null to a key of %d bytes', (length) => {
    const signature = scheme.sign(secret, message);
    const publicKey = new Uint8Array(length).fill(2);

    expect(scheme.decode(publicKey)).toBeNull();
    expect(scheme.verify(publicKey, message, signature, RULES)).toBe(false);
    expect(scheme.verify(publicKey, message, signature, { strict: false, lowS: false })).toBe(
      false,
    );
  });
});

/** SubjectPublicKeyInfo up to the key itself (RFC 8410, RFC 5480 with a compressed point). */
const SPKI_HEAD = {
  ed25519: '302a300506032b6570032100',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
} as const;
