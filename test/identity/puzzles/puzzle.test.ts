/**
 * @module
 * The puzzles of S/Kademlia: reference values, exact counting of bits, and the amortised solution of
 * the published dynamic form.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  bytesToHex,
  concatBytes,
  hexToBytes,
  leadingZeroBits,
  u64be,
  utf8ToBytes,
} from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { nodeIdOf, staticBits } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { challengeOf, DYNAMIC_PUZZLES, dynamicBits } from '../../../src/identity/puzzles/puzzle.ts';
import { honestClaim, policyWith } from '../forged-claims.ts';

const SEARCH_MAX = 2 ** 20;

/** First seed SHA-256("skad-oracle" ‖ u32be(i)) whose key has the bits, found elsewhere. */
const GRIND = [
  {
    bits: 4,
    index: 1,
    measured: 4,
    publicKey: '201a98b66e5d39764b5d2e4b12ab21abbb70f536aca5f0c95e4fbf96f227f8eb',
    nodeId: '13cc3aaf719c1eab35523647e4fb7d0341f6eafef068fccff76ba82871b8953d',
  },
  {
    bits: 8,
    index: 22,
    measured: 9,
    publicKey: 'b38849bf2b8827aa2aa914dee3920736e01f68366abbd5de4def4061eb8908bf',
    nodeId: '59f76a12f4d6b4b35e6a45cc14dd389acb15e67cdc0fde307e8bdda8ab40e0fe',
  },
  {
    bits: 16,
    index: 84052,
    measured: 16,
    publicKey: '4a1631d2763c1823a3a91e233a277c2f06191cfe999409aa3aac746c4f6c5ab5',
    nodeId: '9d3f19c1f12764f842f116c168774d36f3531ba1fb855f0a4f2aa6bb5667fd82',
  },
];

describe('static puzzle', () => {
  it.each([
    {
      publicKey: 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      nodeId: '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
      measured: 0,
    },
    {
      publicKey: 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      nodeId: 'dac073e0123bdea59dd9b3bda9cf6037f63aca82627d7abcd5c4ac29dd74003e',
      measured: 2,
    },
  ])('measures $measured bits for $publicKey', ({ publicKey, nodeId, measured }) => {
    const id = nodeIdOf(hexToBytes(publicKey));

    expect(bytesToHex(id)).toBe(nodeId);
    expect(staticBits(id)).toBe(measured);
  });

  it.each(GRIND)('measures $measured bits for candidate $index of the reference grind', (row) => {
    const publicKey = grindKey(row.index);

    expect(bytesToHex(publicKey)).toBe(row.publicKey);
    expect(bytesToHex(nodeIdOf(publicKey))).toBe(row.nodeId);
    expect(staticBits(nodeIdOf(publicKey))).toBe(row.measured);
  });

  it.each(GRIND.filter(({ bits }) => bits < 16))(
    'is met with $bits bits first by candidate $index',
    ({ bits, index }) => {
      const earlier = Array.from({ length: index }, (_, candidate) =>
        staticBits(nodeIdOf(grindKey(candidate))),
      );

      expect(earlier.filter((measured) => measured >= bits)).toEqual([]);
    },
  );

  it('decides every target 0..64 to the bit', () => {
    const claims = [0, ...GRIND.map(({ index }) => index)].map((index) =>
      honestClaim('ed25519', { seed: grindSeed(index) }),
    );

    for (const claim of claims) {
      const measured = slowBits(sha256(claim.nodeId));
      for (let c1 = 0; c1 <= 64; c1 += 1) {
        const { checks } = admit(claim, onlyTheWork(c1));

        const work = { check: 'static', requiredBits: c1, measuredBits: measured };
        expect(checks[0]).toMatchObject({ ...work, ok: measured >= c1 });
      }
    }
  });
});

describe('leading zero bits', () => {
  const pattern = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it.each(Array.from({ length: 65 }, (_, target) => target))(
    'are counted exactly around a target of %d',
    (target) => {
      const tail = sha256(Uint8Array.of(target));

      for (const zeros of [target - 1, target, target + 1].filter((count) => count >= 0)) {
        const bytes = withLeadingZeros(tail, zeros);

        expect(leadingZeroBits(bytes)).toBe(zeros);
        expect(slowBits(bytes)).toBe(zeros);
      }
    },
  );

  it('agree with the slow reference on any bytes', () => {
    fc.assert(
      fc.property(pattern, fc.integer({ min: 0, max: 256 }), (bytes, zeros) => {
        const cleared = hexToBytes(
          (BigInt(`0x${bytesToHex(bytes)}`) >> BigInt(zeros)).toString(16).padStart(64, '0'),
        );
        return leadingZeroBits(cleared) === slowBits(cleared);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('of all zeros are all of them', () => {
    expect(leadingZeroBits(new Uint8Array(32))).toBe(256);
  });
});

describe('dynamic puzzle', () => {
  const nodeId = hexToBytes('21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9');
  const challenge = challengeOf({ epoch: 0, context: 'usurp' });

  it.each(['concat', 'xor'] as const)('%s measures 0 bits for other lengths', (form) => {
    const lengths = [0, 7, 8, 9, 31, 32, 33].filter(
      (length) => length !== DYNAMIC_PUZZLES[form].solutionBytes(32),
    );

    const bits = lengths.map((length) =>
      dynamicBits({ form, challenge, nodeId, solution: bestOfLength(length) }),
    );

    expect(bits).toEqual(lengths.map(() => 0));
  });

  it('in the xor form is broken: one Y serves every node ID', () => {
    const y = firstY(12);
    const nodeIds = Array.from({ length: 64 }, (_, index) => sha256(Uint8Array.of(index)));

    const bits = nodeIds.map((id) => {
      const solution = id.map((byte, index) => byte ^ (y[index] ?? 0));
      return dynamicBits({ form: 'xor', challenge, nodeId: id, solution });
    });

    expect(bits).toEqual(nodeIds.map(() => leadingZeroBits(sha256(y))));
    expect(leadingZeroBits(sha256(y))).toBeGreaterThanOrEqual(12);
  });

  it('in the concat form binds the solution to the node ID', () => {
    const solution = hexToBytes('0000000000000aa1');
    const others = Array.from({ length: 64 }, (_, index) => sha256(Uint8Array.of(index)));

    const own = dynamicBits({ form: 'concat', challenge, nodeId, solution });
    const solved = others.filter(
      (id) => dynamicBits({ form: 'concat', challenge, nodeId: id, solution }) >= 12,
    );

    expect(own).toBe(13);
    expect(solved).toEqual([]);
  });

  it.each([
    ['another epoch', { epoch: 1, context: 'usurp' }],
    ['another network', { epoch: 0, context: 'usurq' }],
  ])('in the concat form is no work for %s', (_name, input) => {
    const solution = hexToBytes('0000000000000aa1');

    const bits = dynamicBits({ form: 'concat', challenge: challengeOf(input), nodeId, solution });

    expect(bits).toBeLessThan(12);
  });

  function bestOfLength(length: number): Uint8Array {
    return Array.from({ length: 256 }, (_, fill) => new Uint8Array(length).fill(fill)).reduce(
      (best, next) => (hashBits(next) > hashBits(best) ? next : best),
    );
  }

  function hashBits(solution: Uint8Array): number {
    return leadingZeroBits(sha256(concatBytes(challenge, nodeId, solution)));
  }
});

describe('the X with a number', () => {
  const nodeId = Uint8Array.of(9, 8, 7, 6, 5, 4, 3, 2, 1);
  const [number, last8] = [0x0102, [0, 0, 0, 0, 0, 0, 1, 2]];

  it.each([
    ['concat', nodeId, last8],
    ['xor', nodeId, [0, ...last8]],
    ['xor', nodeId.slice(0, 8), last8],
    ['xor', nodeId.slice(0, 1), [2]],
    ['unhashed', nodeId, [9, 8, 7, 6, 5, 4, 3, 3, 3]],
  ] as const)('of %s is as long as its form says, the number last', (form, id, solution) => {
    expect([...DYNAMIC_PUZZLES[form].solution(id, number)]).toEqual(solution);
  });
});

describe('challenge', () => {
  it.each([-1, 0.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])('refuses epoch %d', (epoch) => {
    const make = () => challengeOf({ epoch, context: 'usurp' });

    expect(make).toThrow(new RangeError(`"epoch" expected an integer in 0..2^53-1, got ${epoch}`));
  });

  it('takes the first and the last epoch', () => {
    const challenges = [0, Number.MAX_SAFE_INTEGER].map((epoch) =>
      bytesToHex(challengeOf({ epoch, context: 'usurp' })),
    );

    expect(new Set(challenges).size).toBe(2);
  });
});

function onlyTheWork(c1: number) {
  const off = { nodeId: false, encoding: false, smallOrder: false, torsion: false };
  const checks = { ...off, static: true, dynamic: true, signature: false };
  return policyWith({ c1, checks });
}

function grindSeed(index: number): Uint8Array {
  return sha256(concatBytes(utf8ToBytes('skad-oracle'), u64be(index).slice(4)));
}

function grindKey(index: number): Uint8Array {
  return schemeOf('ed25519').publicKeyOf({ form: 'seed', bytes: grindSeed(index) });
}

function firstY(bits: number): Uint8Array {
  for (let value = 0; value < SEARCH_MAX; value += 1) {
    const y = concatBytes(new Uint8Array(24), u64be(value));
    if (leadingZeroBits(sha256(y)) >= bits) return y;
  }
  throw new Error(`no Y of ${bits} bits below ${SEARCH_MAX}`);
}

/** Counts digits of the binary spelling; shares nothing with the product. */
function slowBits(bytes: Uint8Array): number {
  const digits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  return digits.length - digits.replace(/^0+/, '').length;
}

/** These bytes with exactly this number of leading zero bits. */
function withLeadingZeros(bytes: Uint8Array, zeros: number): Uint8Array {
  const digits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const spelt = `${'0'.repeat(zeros)}1${digits.slice(zeros + 1)}`;
  return Uint8Array.from({ length: bytes.length }, (_, index) =>
    Number.parseInt(spelt.slice(8 * index, 8 * index + 8), 2),
  );
}
