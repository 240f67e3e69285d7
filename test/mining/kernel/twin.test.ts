/**
 * @module
 * The kernel's twin against noble: keys, secrets, siblings.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';

import type { Walk } from '../../../src/mining/kernel/numbering.ts';
import {
  attemptsPerBatch,
  GROUP_ORDER,
  keysPerPoint,
} from '../../../src/mining/kernel/numbering.ts';
import { batchKeys, candidateOf } from '../../../src/mining/kernel/twin.ts';
import { nearSums } from '../../../src/mining/kernel-strategies.ts';
import { pseudorandom, WALKS } from './walks.ts';

describe.each(WALKS)('$scheme, siblings $siblings', (kind) => {
  const walk: Walk = { ...kind, startScalar: pseudorandom('twin', 250) };

  test('the secret of an attempt has its public key', () => {
    for (let i = 0; i < 50; i++) {
      const candidate = candidateOf(walk, pseudorandom(`attempt ${i}`, 40));

      expect(publicKeyOf(walk, candidate?.secret ?? 0n)).toEqual(candidate?.publicKey);
    }
  });

  test('the keys of a batch are the candidates of its attempts, all distinct', () => {
    const size = attemptsPerBatch(walk);
    const keys = [...batchKeys(walk, 3n)];

    expect(new Set(keys.map((key) => bytesToHex(key ?? new Uint8Array()))).size).toBe(size);
    for (const within of [0, 1, 2, 5, 6, 7, 12, size - 1]) {
      const attempt = BigInt(3 * size + within);
      expect(keys[within]).toEqual(candidateOf(walk, attempt)?.publicKey);
    }
  });

  test.each(kind.scheme === 'ed25519' ? [false, true] : [false])(
    'candidates that follow each other are those that are made one by one: torsion %s',
    (torsion) => {
      const of = { ...walk, torsion };
      const sums = nearSums();
      const size = attemptsPerBatch(of);
      for (const within of [0, 1, 2, 3, 5, 700, 711, size - 2, size - 1, size, size + 9, 8, 14]) {
        const attempt = BigInt(7 * size + within);

        expect(candidateOf(of, attempt, sums), `${within}`).toEqual(candidateOf(of, attempt));
      }
    },
  );

  test('the identity is no candidate', () => {
    const atZero = { ...walk, startScalar: 0n };

    expect(candidateOf(atZero, 0n)).toBeNull();
    expect(candidateOf(atZero, BigInt(keysPerPoint(walk)))).not.toBeNull();
  });
});

test('an Ed25519 point has the two keys ±y that pass L·A = 0', () => {
  const secret = ed25519.utils.getExtendedPublicKey(
    hexToBytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'),
  ).scalar;
  const walk = {
    scheme: 'ed25519',
    siblings: true,
    startScalar: secret % GROUP_ORDER.ed25519,
  } as const;

  const keys = [0n, 1n].map((a) => bytesToHex(candidateOf(walk, a)?.publicKey ?? new Uint8Array()));

  const key = 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a';
  expect(keys).toEqual([key, `${key.slice(0, 62)}9a`]);
});

test('a secp256k1 point has six keys: three x, each with both prefixes', () => {
  const startScalar = 0xb71c71a67e1177ad4e901695e1b4b9ee17ae16c6668d313eac2f96dbcda3f291n;
  const walk = { scheme: 'secp256k1', siblings: true, startScalar } as const;

  const keys = [0n, 1n, 2n, 3n, 4n, 5n].map((a) =>
    bytesToHex(candidateOf(walk, a)?.publicKey ?? new Uint8Array()),
  );

  const xs = [
    'ca634cae0d49acb401d8a4c6b6fe8c55b70d115bf400769cc1400f3258cd3138',
    'c97cf588d840ca51ef312db36378cb9c9cda446de176c24ea24b353ced845c3e',
    '6c1fbdc91a7588fa0ef62d85e588a80dac18aa362a88c7149c74bb8eb9ae6ae8',
  ];
  expect(keys.toSorted()).toEqual(xs.flatMap((x) => [`02${x}`, `03${x}`]).toSorted());
  expect(keys.slice(0, 2)).toEqual([`02${xs[0]}`, `03${xs[0]}`]);
});

function publicKeyOf(walk: Walk, secret: bigint): Uint8Array {
  return walk.scheme === 'ed25519'
    ? ed25519.Point.BASE.multiply(secret).toBytes()
    : secp256k1.Point.BASE.multiply(secret).toBytes(true);
}
