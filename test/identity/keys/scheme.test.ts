/**
 * @module
 * Schemes by name, the secrets of known scalars, and signatures of such secrets, which a second implementation of the
 * equations of RFC 8032 in Python has made.
 */

import { ed25519 as noble } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import {
  siblingSecret,
  signForSmallOrder,
  torsionPoint,
} from '../../../src/identity/keys/expanded-key.ts';
import { scalarSecret, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { SEED } from '../forged-claims.ts';

const ed25519 = schemeOf('ed25519');
const secp256k1 = schemeOf('secp256k1');

describe('a scheme', () => {
  it('of another name does not exist', () => {
    // A name that the compiler refuses.
    const name = 'rsa' as 'ed25519';

    expect(() => schemeOf(name)).toThrow('"scheme" expected one of ed25519, secp256k1, got rsa');
  });

  it('states the length of its keys and the cofactor of its curve', () => {
    const facts = [ed25519, secp256k1].map(({ publicKeyBytes, cofactor }) => [
      publicKeyBytes,
      cofactor,
    ]);

    expect(facts).toEqual([
      [32, 8],
      [33, 1],
    ]);
  });

  it('of prime order has no key of small order, and none outside of its group', () => {
    const facts = secp256k1.decode(secp256k1.publicKeyOf(scalarSecret('secp256k1', 3n)));

    expect([facts?.canonical, facts?.isSmallOrder(), facts?.isTorsionFree()]).toEqual([
      ...[true, false, true],
    ]);
  });
});

// SEC 2 section 2.4.1: the order n of secp256k1 is odd, and the highest low s is (n − 1)/2.
it.each([
  ['(n − 1)/2', '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', true],
  ['(n + 1)/2', '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1', false],
])('an s of %s is low: %s', (_name, s, isLow) => {
  const publicKey = secp256k1.publicKeyOf(scalarSecret('secp256k1', 3n));
  const signature = hexToBytes(`${'01'.repeat(32)}${s}`);
  const rules = { strict: true, lowS: true };

  expect(secp256k1.verify(publicKey, new Uint8Array(), signature, rules, () => true)).toBe(isLow);
});

describe('the secret of a scalar', () => {
  it('is in the byte order of its curve', () => {
    const zeros = '00'.repeat(31);

    expect(bytesToHex(scalarSecret('ed25519', 3n).bytes)).toBe(`03${zeros}`);
    expect(scalarSecret('secp256k1', 3n)).toEqual({
      ...{ form: 'seed', bytes: hexToBytes(`${zeros}03`) },
    });
  });

  it.each([
    ['ed25519', 8, '"torsion" expected 0..7 for ed25519, got 8'],
    ['secp256k1', 1, '"torsion" expected 0..0 for secp256k1, got 1'],
  ] as const)('of %s has no torsion %i', (name, torsion, message) => {
    expect(() => scalarSecret(name, 3n, torsion)).toThrow(message);
  });

  it('has no torsion point 8', () => {
    expect(() => torsionPoint(8)).toThrow('"index" expected 0..7, got 8');
  });

  it('of another form is refused', () => {
    // A form that the compiler refuses.
    const secret = { form: 'text' as 'seed', bytes: SEED };

    expect(() => ed25519.publicKeyOf(secret)).toThrow(
      '"form" expected seed, scalar or torsion-scalar, got text',
    );
  });

  it('is the same for a sibling of a seed, a scalar and another sibling', () => {
    const seed = { form: 'seed', bytes: SEED } as const;
    const { scalar } = noble.utils.getExtendedPublicKey(SEED);
    const secrets = [seed, scalarSecret('ed25519', scalar), scalarSecret('ed25519', scalar, 2)];

    const siblings = secrets.map((secret) => siblingSecret(secret, 5));

    expect(siblings).toEqual(secrets.map(() => scalarSecret('ed25519', scalar, 5)));
  });
});

describe('a signature by the scalar 3', () => {
  it.each([
    [
      ...([
        0,
        'usurp',
        'd4b4f5784868c3020403246717ec169ff79e26608ea126a1ab69ee77d1b16712',
      ] as const),
      '5b83fc97fa9beb4b7bc8be27ccbf159076757e3005e7377a5f0376161219b555069638cb24821ab3437d79d6d976c7017860747ccea114e29c9878273e9f520a',
    ],
    [
      ...([
        1,
        'usurp',
        '08e8461bace82b50af65402ff1cad3d2399afe459544096a7f106c54fc875d42',
      ] as const),
      'e40afd415a00cc2894d07aa935b20eb41f0974cf80a0491588e68d8f495624eee2b6b33f060817987c17249903ca01423ba4db24c7804c9bd1faea1bfdc49601',
    ],
    [
      ...([
        4,
        'usurp 2',
        '194b0a87b7973cfdfbfcdb98e813e9600861d99f715ed95e549611882e4e98ed',
      ] as const),
      '05bfa10558f6c710c5bc5b5cab2f9776cbae96c34bbfe9196286839005cbb79a7d840bd360557d8ac39d5c1ebf54a405bbf27d88427599c9285919bbf16cef0d',
    ],
  ])('with torsion %i of "%s" is the one of the other code', (torsion, text, key, expected) => {
    const secret = scalarSecret('ed25519', 3n, torsion);
    const seeds: Uint8Array[] = [];
    const keyOfSeed = (seed: Uint8Array) => {
      seeds.push(seed);
      return noble.getPublicKey(seed);
    };

    const publicKey = ed25519.publicKeyOf(secret);
    const signature = ed25519.sign(secret, utf8ToBytes(text));
    const faster = ed25519.sign(secret, utf8ToBytes(text), publicKey, keyOfSeed);

    expect(bytesToHex(publicKey)).toBe(key);
    expect([signature, faster].map(bytesToHex)).toEqual([expected, expected]);
    // With a torsion point these were signed at the second nonce.
    expect(seeds.map(({ length }) => length)).toEqual(torsion === 0 ? [32] : [32, 32]);
  });

  it('has a canonical S, which a signature without a secret also has', () => {
    const publicKey = concatBytes(Uint8Array.of(1), new Uint8Array(31));
    const message = utf8ToBytes('usurp');

    const signature = signForSmallOrder({ publicKey, torsion: 0 }, message);

    const rules = { strict: false, lowS: true };
    expect(ed25519.verify(publicKey, message, signature, rules)).toBe(true);
    expect(ed25519.verify(publicKey, message, signature, { ...rules, strict: true })).toBe(false);
  });
});
