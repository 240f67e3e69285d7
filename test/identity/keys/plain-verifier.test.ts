/**
 * @module
 * OpenSSL as the plain verifier of both schemes: all published vectors get noble's answer, and its answers count only
 * where they decide. The edges hold it against noble on grids and on many claims (plain-claims.long.test.ts).
 */

import { describe, expect, it, vi } from 'vitest';

import { hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import type { SchemeName } from '../../../src/identity/keys/scheme.ts';
import { SCHEME_NAMES, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { plainVerifier } from '../../../src/runtime/openssl/plain-verifier.ts';
import eightIds from '../../vectors/derived/ed25519_one_secret_eight_ids.json' with {
  type: 'json',
};
import smallOrder from '../../vectors/derived/ed25519_small_order_public_keys.json' with {
  type: 'json',
};
import smallOrderR from '../../vectors/derived/ed25519_small_order_r.json' with { type: 'json' };
import split from '../../vectors/derived/ed25519_verifier_split.json' with { type: 'json' };
import keys from '../../vectors/derived/secp256k1_key_encodings.json' with { type: 'json' };
import forms from '../../vectors/derived/secp256k1_signature_forms.json' with { type: 'json' };
import rfc8032 from '../../vectors/rfc8032/ed25519.json' with { type: 'json' };
import { UNIVERSAL_SIGNATURE } from '../forged-claims.ts';
import {
  NON_CANONICAL,
  OFF_CURVE,
  oddKey,
  oddNonce,
  randomScalar,
  responseOf,
  signatureOf,
  signWith,
  TORSION,
} from './odd-signatures.ts';

const RULES = [true, false].flatMap((strict) => [true, false].map((lowS) => ({ strict, lowS })));
const MESSAGE = utf8ToBytes('election=7;round=1;vote=candidate-3');
const ed25519 = schemeOf('ed25519');
const random = createRandom(parseSeed('1'), 'plain-verifier');
const KEY = oddKey(randomScalar(random));
const NONCE = oddNonce(randomScalar(random));

interface Signed {
  readonly publicKey: Uint8Array;
  readonly message: Uint8Array;
  readonly signature: Uint8Array;
}

/** The answers under all rules, with OpenSSL and without. */
function answersTo(scheme: SchemeName, { publicKey, message, signature }: Signed) {
  const { verify } = schemeOf(scheme);
  return [plainVerifier, null].map((plain) =>
    RULES.map((rules) => verify(publicKey, message, signature, rules, plain)),
  );
}

describe('published vectors', () => {
  it.each(rfc8032)('RFC 8032 $name: valid, and invalid for another message', (row) => {
    const [publicKey, signature] = [hexToBytes(row.publicKey), hexToBytes(row.signature)];
    const [message, other] = [hexToBytes(row.message), hexToBytes(`${row.message}00`)];

    const [valid] = answersTo('ed25519', { publicKey, message, signature });
    const [invalid, noble] = answersTo('ed25519', { publicKey, message: other, signature });

    expect(valid).toEqual([true, true, true, true]);
    expect(invalid).toEqual([false, false, false, false]);
    expect(noble).toEqual(invalid);
  });

  it('both signatures of the eight keys of one secret', () => {
    const message = utf8ToBytes(eightIds.message_utf8);
    const answers = eightIds.keys.flatMap((row) =>
      [row.signature, row.signature_ground_for_cofactorless].map((hex) =>
        answersTo('ed25519', {
          ...{ publicKey: hexToBytes(row.public_key), message },
          signature: hexToBytes(hex),
        }),
      ),
    );

    expect(answers.map(([fast]) => fast)).toEqual(answers.map(([, noble]) => noble));
  });

  it.each(smallOrder.keys)('a key of order $order with the universal signature', (row) => {
    const publicKey = hexToBytes(row.encoding);

    const [fast, noble] = answersTo('ed25519', {
      ...{ publicKey, message: MESSAGE },
      signature: UNIVERSAL_SIGNATURE,
    });

    expect(fast).toEqual(noble);
  });

  it('the signature that OpenSSL refuses and RFC 8032 accepts', () => {
    const signed = {
      publicKey: hexToBytes(split.public_key),
      message: utf8ToBytes(split.message_utf8),
      signature: hexToBytes(split.signature),
    };

    expect(plainVerifier('ed25519', signed)).toBe(false);
    expect(answersTo('ed25519', signed)).toEqual([Array(4).fill(true), Array(4).fill(true)]);
  });

  it.each(smallOrderR.cases)('R of order $order_of_r: $signature', (row) => {
    const signed = {
      publicKey: hexToBytes(row.public_key),
      message: utf8ToBytes(row.message_utf8),
      signature: hexToBytes(row.signature),
    };

    expect(plainVerifier('ed25519', signed)).toBe(row.node_crypto);
    expect(answersTo('ed25519', signed)).toEqual([Array(4).fill(true), Array(4).fill(true)]);
  });

  it('there are 22 of them', () => {
    expect(smallOrderR.cases).toHaveLength(22);
    expect(smallOrderR.cases.filter((row) => row.expected_of_our_api)).toHaveLength(22);
  });

  it('forms of a signature and of a key of secp256k1', () => {
    const message = utf8ToBytes(forms.message_utf8);
    const signatures = forms.forms.map((row) => hexToBytes(row.signature));
    const publicKeys = [forms.public_key, ...keys.encodings.map(({ encoding }) => encoding)];
    const answers = publicKeys.flatMap((publicKey) =>
      signatures.map((signature) =>
        answersTo('secp256k1', { publicKey: hexToBytes(publicKey), message, signature }),
      ),
    );

    expect(answers.map(([fast]) => fast)).toEqual(answers.map(([, noble]) => noble));
    expect(answers.flat(2)).toContain(true);
  });
});

describe('what a plain verifier decides of Ed25519', () => {
  const strict = { strict: true, lowS: true };
  const verdict = (publicKey: Uint8Array, signature: Uint8Array, answer: boolean | null) =>
    ed25519.verify(publicKey, MESSAGE, signature, strict, () => answer);

  it('a valid signature of a key of prime order, and an invalid one', () => {
    const signature = signWith(KEY, NONCE, MESSAGE);
    const wrong = signatureOf(NONCE, responseOf(KEY, NONCE, MESSAGE) ^ 1n);

    // These answers are wrong, which shows whether they count.
    expect(verdict(KEY.encoding, wrong, true)).toBe(true);
    expect(verdict(KEY.encoding, signature, false)).toBe(false);
  });

  it('nothing if it cannot read the key', () => {
    expect(verdict(KEY.encoding, signWith(KEY, NONCE, MESSAGE), null)).toBe(true);
  });

  it.each(TORSION.map((_, index) => index))('no refusal if R is the torsion point %i', (index) => {
    const signature = signWith(KEY, oddNonce(0n, TORSION[index]), MESSAGE);

    expect(verdict(KEY.encoding, signature, false)).toBe(true);
  });

  it.each(TORSION.map((_, index) => index).slice(1))(
    'no refusal if R has the torsion point %i beside a point of prime order',
    (index) => {
      const signature = signWith(KEY, oddNonce(NONCE.nonce, TORSION[index]), MESSAGE);

      expect(verdict(KEY.encoding, signature, false)).toBe(true);
    },
  );

  it.each(TORSION.map((_, index) => index).slice(1))(
    'no refusal if the key has the torsion point %i',
    (index) => {
      const key = oddKey(KEY.scalar, TORSION[index]);

      expect(verdict(key.encoding, signWith(key, NONCE, MESSAGE), false)).toBe(true);
    },
  );

  it('no refusal if R is not the encoding of a point, which noble refuses', () => {
    const plain = vi.fn(() => false);
    for (const encoding of [OFF_CURVE, ...NON_CANONICAL]) {
      const signature = signatureOf({ nonce: 0n, encoding }, 1n);
      expect(ed25519.verify(KEY.encoding, MESSAGE, signature, strict, plain)).toBe(false);
    }
    expect(plain).toHaveBeenCalledTimes(NON_CANONICAL.length + 1);
  });

  it('nothing of keys of small order and of other encodings: it is not asked', () => {
    const plain = vi.fn(() => true);
    const encodings = [...TORSION.map((point) => point.toBytes()), ...NON_CANONICAL];

    for (const encoding of encodings) {
      expect(ed25519.verify(encoding, MESSAGE, UNIVERSAL_SIGNATURE, strict, plain)).toBe(false);
    }
    expect(plain).not.toHaveBeenCalled();
  });
});

describe.each(SCHEME_NAMES)('%s with a plain verifier', (name) => {
  it('refuses keys and signatures of other lengths without asking', () => {
    const { verify, publicKeyBytes } = schemeOf(name);
    const plain = vi.fn(() => true);
    const rules = { strict: true, lowS: true };
    for (const keyBytes of [0, publicKeyBytes - 1, publicKeyBytes + 1, 64, 65]) {
      const key = new Uint8Array(keyBytes).fill(2);
      expect(verify(key, MESSAGE, new Uint8Array(64).fill(1), rules, plain)).toBe(false);
    }
    for (const signatureBytes of [0, 63, 65]) {
      const key = new Uint8Array(publicKeyBytes).fill(2);
      expect(verify(key, MESSAGE, new Uint8Array(signatureBytes), rules, plain)).toBe(false);
    }
    expect(plain).not.toHaveBeenCalled();
  });
});
