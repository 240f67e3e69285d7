/**
 * @module
 * Public keys by OpenSSL are those of noble.
 */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hexToBytes } from '../../../src/bytes.ts';
import { createPopulation } from '../../../src/experiment/runs/inhabitants.ts';
import { ed25519Scheme } from '../../../src/identity/keys/ed25519.ts';
import { parseSeed } from '../../../src/random.ts';
import { plainPublicKey } from '../../../src/runtime/openssl/plain-key.ts';

describe('the public key of a seed', () => {
  test('is that of RFC 8032 section 7.1', () => {
    const bytes = hexToBytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
    expect(plainPublicKey({ form: 'seed', bytes })).toEqual(
      hexToBytes('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a'),
    );
  });

  test('is that of noble for every seed', () => {
    const seeds = fc.uint8Array({ minLength: 32, maxLength: 32 });
    fc.assert(
      fc.property(seeds, (bytes) => {
        const secret = { form: 'seed', bytes } as const;
        expect(plainPublicKey(secret)).toEqual(ed25519Scheme.publicKeyOf(secret));
      }),
    );
  });

  test('is refused for a scalar and for a seed of 31 bytes', () => {
    const scalar = { form: 'scalar', bytes: new Uint8Array(32).fill(1) } as const;
    expect(() => plainPublicKey(scalar)).toThrow(TypeError);
    expect(() => plainPublicKey({ form: 'seed', bytes: new Uint8Array(31) })).toThrow(Error);
  });

  test('makes the same population', () => {
    const options = { nodes: 64, seed: parseSeed('18') };
    expect(createPopulation({ ...options, publicKeyOf: plainPublicKey })).toEqual(
      createPopulation(options),
    );
  });
});
