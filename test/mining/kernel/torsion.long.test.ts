/**
 * @module
 * The walk beside the torsion points of Ed25519: its numbering, the kernel against its twin around
 * every border of a coset, and what the keys are worth. `KERNEL_ATTEMPTS_LOG2` widens the ranges.
 */

import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { createClaim } from '../../../src/identity/claim.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import type { Walk } from '../../../src/mining/kernel/numbering.ts';
import {
  attemptOfSum,
  attemptsPerBatch,
  GROUP_ORDER,
  locationOf,
} from '../../../src/mining/kernel/numbering.ts';
import { batchKeys, candidateOf } from '../../../src/mining/kernel/twin.ts';
import { loadKernel, passes } from '../../../src/mining/kernel/wasm-kernel.ts';
import { STRATEGIES } from '../../../src/mining/strategies.ts';
import { NO_KERNELS } from '../../../src/mining/strategy.ts';
import { isPossessed } from '../openssl-keys.ts';
import { policyWithout, specOf, taskWith } from '../tasks.ts';
import { attemptAt, pseudorandom } from './walks.ts';
import { KERNEL_BYTES } from './wasm.ts';

const ORDER = GROUP_ORDER.ed25519;
const WALK: Walk = {
  scheme: 'ed25519',
  siblings: true,
  torsion: true,
  startScalar: pseudorandom('torsion', 256) % ORDER,
};
const SIZE = BigInt(attemptsPerBatch(WALK));
const COSETS = [0, 1, 2, 3, 4, 5, 6, 7];
/** Sixteen keys of each point: eight sums with a torsion point, each with both signs. */
const KEYS = 16n;
const ATTEMPTS = 2 ** Number(process.env.KERNEL_ATTEMPTS_LOG2 ?? 16);
/** Attempts around each border of two batches: 2^16 in the slow suite. */
const AROUND = 2 ** Math.min(16, Math.log2(ATTEMPTS) - 4);

describe('the numbering beside torsion', () => {
  it('is a bijection between attempts and locations, borders forced', () => {
    const anywhere = fc.bigInt({ min: 0n, max: 2n ** 53n });
    const border = fc
      .tuple(fc.bigInt({ min: 1n, max: 2000n }), fc.bigInt({ min: -2n, max: 2n }))
      .map(([number, off]) => number * SIZE + off);
    fc.assert(
      fc.property(fc.oneof(anywhere, border), (attempt) => {
        const location = locationOf(WALK, attempt);

        expect(attemptAt(WALK, location)).toBe(attempt);
        expect(location.torsion).toBe(Number((attempt % KEYS) / 2n));
        expect(location.batch).toBe(attempt / SIZE);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it('adds each torsion point to each point once, from the first point on', () => {
    const first = Array.from({ length: 2 * Number(KEYS) }, (_, attempt) =>
      locationOf(WALK, BigInt(attempt)),
    );

    const names = first.map(({ offset, torsion, sibling }) => `${offset} ${torsion} ${sibling}`);

    expect(new Set(names).size).toBe(32);
    expect(first.slice(0, 16).map(({ torsion }) => torsion)).toEqual(
      COSETS.flatMap((torsion) => [torsion, torsion]),
    );
    expect(new Set(first.map(({ offset }) => offset))).toEqual(new Set([0, 1]));
  });

  it('is the plain one where torsion does not count', () => {
    const plain = { ...WALK, torsion: false };
    const size = SIZE / 8n;

    for (const attempt of [0n, size - 1n, size, 9n * size + 5n]) {
      expect(locationOf(plain, attempt)).toMatchObject({ torsion: 0, batch: attempt / size });
      expect(attemptAt(plain, locationOf(plain, attempt))).toBe(attempt);
    }
  });

  it('numbers the keys of the sums with one torsion point as the kernel does', () => {
    for (const torsion of COSETS) {
      for (const number of [0n, 1n, 2n, SIZE / 8n, 12_345n]) {
        const attempt = attemptOfSum(WALK, torsion, number);
        const plain = { ...WALK, torsion: false };

        expect(locationOf(WALK, attempt)).toEqual({ ...locationOf(plain, number), torsion });
      }
    }
  });
});

describe('the kernel beside torsion', () => {
  const loaded = loadKernel(KERNEL_BYTES, 'ed25519');

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('loses no candidate around border %d', (border) => {
    const options = { ...WALK, c1: 8 };
    const from = BigInt(border) * SIZE - BigInt(AROUND / 2);

    const hits = loaded.open(options).scan(from, AROUND);

    expect(hits).toEqual(expectedHits(options, from, AROUND));
  });

  it(`finds ${ATTEMPTS} · 2^-8 hits within 4 sigma, an eighth of them of each coset`, () => {
    const hits = loaded.open({ ...WALK, c1: 8 }).scan(0n, ATTEMPTS);

    const deviations = COSETS.map((coset) => {
      const count = hits.filter((hit) => locationOf(WALK, hit).torsion === coset).length;
      const mean = ATTEMPTS / 8 / 256;
      return Math.abs(count - mean) / Math.sqrt(mean * (255 / 256));
    });
    const mean = ATTEMPTS / 256;
    expect(Math.abs(hits.length - mean)).toBeLessThan(4 * Math.sqrt(mean * (255 / 256)));
    expect(Math.max(...deviations)).toBeLessThan(4);
  });

  it('goes over borders and back', () => {
    const options = { ...WALK, c1: 6 };
    const kernel = loaded.open(options);
    const starts = [SIZE, 3n * SIZE, 2n * SIZE, SIZE, 0n].map((start) => start + 7n);

    for (const from of starts) {
      expect(kernel.scan(from, Number(SIZE)), `from ${from}`).toEqual(
        expectedHits(options, from, Number(SIZE)),
      );
    }
  });

  // Centres of small order have coordinates that are zero, which the kernel hands back.
  it.each([0n, 1n, 1024n, ORDER - 1025n])(
    'loses no candidate of a first batch at %d, in any coset',
    (startScalar) => {
      const options = { ...WALK, startScalar, c1: 5 };

      const hits = loaded.open(options).scan(0n, Number(SIZE));

      expect(hits).toEqual(expectedHits(options, 0n, Number(SIZE)));
    },
  );

  it.each([
    ['its centre', 0n, 0],
    ['an offset up', ORDER - 5n, 5],
    ['its last offset', 1024n, -1024],
  ])('has no candidate in any coset where the scalar is 0: %s', (_name, startScalar, offset) => {
    const walk = { ...WALK, startScalar };
    const kernel = loaded.open({ ...walk, c1: 0 });
    const hits = kernel.scan(0n, Number(SIZE));

    const none = COSETS.flatMap((torsion) =>
      [0, 1].map((sibling) => attemptAt(walk, { batch: 0n, torsion, offset, sibling })),
    );
    const others = Array.from({ length: Number(SIZE) }, (_, i) => BigInt(i));
    expect(hits).toEqual(others.filter((attempt) => !none.includes(attempt)));
    for (const attempt of none) expect(candidateOf(walk, attempt)).toBeNull();
  });

  it('has no key of a batch twice, in all its cosets', () => {
    const keys = [...batchKeys(WALK, 0n)].map((key) => bytesToHex(key ?? new Uint8Array()));

    expect(new Set(keys).size).toBe(Number(SIZE));
  });
});

describe('the siblings of the key of RFC 8032 section 7.1, test 1', () => {
  const seed = hexToBytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
  const { scalar } = ed25519.utils.getExtendedPublicKey(seed);
  const walk = { ...WALK, startScalar: scalar % ORDER };

  it('are sixteen, those that were computed elsewhere', () => {
    const keys = COSETS.flatMap((torsion) =>
      [0, 1].map((sibling) => {
        const attempt = attemptAt(walk, { batch: 0n, torsion, offset: 0, sibling });
        return bytesToHex(candidateOf(walk, attempt)?.publicKey ?? new Uint8Array());
      }),
    );

    expect(new Set(keys).size).toBe(16);
    expect(keys.toSorted()).toEqual(RFC8032_SIBLINGS.flatMap(bothSigns).toSorted());
  });
});

describe('an identity beside torsion', () => {
  const weak = taskWith({ strategy: 'siblings', policy: policyWithout('torsion') });
  const strict = taskWith({ strategy: 'siblings' });
  const searcher = STRATEGIES.siblings.searcher(specOf(weak), NO_KERNELS);

  it.each(COSETS)('of coset %d signs, and is admitted where torsion passes', (coset) => {
    for (const point of [0, 1, 2048, 20_000]) {
      const { secret, publicKey } = searcher.candidate(point * Number(KEYS) + 2 * coset + 1);

      const { policy } = weak;
      const claim = createClaim({ scheme: 'ed25519', secret, policy, solution: null });
      expect(claim.publicKey).toEqual(publicKey);
      expect(schemeOf('ed25519').publicKeyOf(secret)).toEqual(publicKey);
      expect(admit(claim, policy).admitted).toBe(true);
      expect(admit(claim, strict.policy).admitted).toBe(coset === 0);
      expect(isPossessed(claim)).toBe(true);
    }
  });

  it('is never tried where the policy checks, nor by a strategy of one key a point', () => {
    const searchers = [
      STRATEGIES.siblings.searcher(specOf(strict), NO_KERNELS),
      STRATEGIES.batch.searcher({ ...specOf(weak), strategy: 'batch' }, NO_KERNELS),
    ];
    for (const { candidate } of searchers) {
      for (const border of COSETS) {
        const { secret, publicKey } = candidate((border + 1) * Number(SIZE) + 3 * border);

        expect(secret.form).toBe('scalar');
        expect(schemeOf('ed25519').decode(publicKey)?.isTorsionFree()).toBe(true);
      }
    }
  });
});

/** The points A + T of the key A, one for each torsion point T, computed with another library. */
const RFC8032_SIBLINGS = [
  'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  '9158312a9a8d6e3b34c891d6d61444f8b8211c5117ebad15bdb0bd68b07e0245',
  'ad38a8f0b22ab7ca46ecee7bbef12b5f336c182652fac34392f859dbd9666a7d',
  '3b5b475c4b82dd1572799fc546f4c6c03e478c6654aa4c7f945b347ea32af60d',
  '16a567fe7d4ef5482ab4012c369bf8c5f11e8d0c2559dcda50fde59708f8aee5',
  '5ca7ced5657291c4cb376e2929ebbb0747dee3aee81452ea424f42974f81fdba',
  '40c7570f4dd54835b9131184410ed4a0cc93e7d9ad053cbc6d07a62426999582',
  'b2a4b8a3b47d22ea8d86603ab90b393fc1b87399ab55b3806ba4cb815cd509f2',
];

function bothSigns(hex: string): readonly string[] {
  const key = hexToBytes(hex);
  key[31] = (key[31] ?? 0) ^ 0x80;
  return [hex, bytesToHex(key)];
}

function expectedHits(
  options: Walk & { readonly c1: number },
  from: bigint,
  count: number,
): bigint[] {
  const end = from + BigInt(count);
  const hits: bigint[] = [];
  for (let batch = from / SIZE; batch * SIZE < end; batch += 1n) {
    let attempt = batch * SIZE;
    for (const key of batchKeys(options, batch)) {
      const isWithin = attempt >= from && attempt < end;
      if (isWithin && key !== null && passes(options, key)) hits.push(attempt);
      attempt += 1n;
    }
  }
  return hits;
}
