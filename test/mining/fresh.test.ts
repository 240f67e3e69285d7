/**
 * @module
 * The reference strategy: its candidates are pinned, so that no change of library or code can move
 * them unseen, and made a second time by node:crypto from the documented derivation.
 * `PLAIN_ATTEMPTS_LOG2` makes the hits that are counted more.
 */

import { edwards } from '@noble/curves/abstract/edwards.js';
import type { IField } from '@noble/curves/abstract/modular.js';
import { weierstrass } from '@noble/curves/abstract/weierstrass.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { bytesToHex, compareBytes } from '../../src/bytes.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import { xorDistance } from '../../src/mining/goal.ts';
import { freshStrategy } from '../../src/mining/noble-strategies.ts';
import type { Searcher } from '../../src/mining/strategy.ts';
import { publicKeyOf, secretOf, sha256, zeroBits } from './openssl-keys.ts';
import { policyWith, policyWithout, specOf, taskWith } from './tasks.ts';

const ATTEMPTS_LOG2 = Number(process.env.PLAIN_ATTEMPTS_LOG2 ?? 10);
const SEED_MAX = (2n ** 256n - 1n).toString();

/** Scheme, seed, attempt, public key, node ID. */
const PINNED = [
  [
    'ed25519',
    '1',
    0,
    '3043a121bdfbdbca4a6fca5a4a4d5cf940c79d3c86460114fd50ef5e24c8c2fb',
    '78757677dad3cc48cebb58aa070095b3a755c39408987fde95e93455a1c1190f',
  ],
  [
    'ed25519',
    '1',
    1,
    'c1785e9d29826fb54e281452259bb52a1ff2cfefe6d2b67e4985c789ea6e2bfa',
    '4d3352d28f522bbc6ebec917b6ba5ddfb6cdfff679e7def678ef28aebbc8a3f5',
  ],
  [
    'ed25519',
    '1',
    2 ** 32,
    'be7add21fc2b69efabbcd720d72ddf48e03bfe3872c60034b31826886e57f110',
    '850adf615a6357fb86e59be9f3fa74c3e778f69c0123dffc6448ac8c236ebe13',
  ],
  [
    'ed25519',
    '2',
    0,
    'ec33190164879b2544803b791c66d3dea527382dca7da6e89886ddaf0e69495c',
    'f1e0e8f09ff05132eff79fee406326b26f56afa7f574241710688a2522706245',
  ],
  [
    'ed25519',
    SEED_MAX,
    Number.MAX_SAFE_INTEGER,
    'f5937d71c4fcc45af3523a41ea4dcd675d54b1e11c0537c8ca5dfe1d85bb2fd6',
    '0f3a423db5365c49cae257d9de66156625972602cf87c5ce988a00d7c2520995',
  ],
  [
    'secp256k1',
    '1',
    0,
    '023f5b2e2c5705f13abb72762fc481be672f4204a5b97ebb8294ab629a3e5c6a35',
    '0fe6e78719a1a2d7970a93461abf7eeb01fd64de2a60d696323b424540e4147e',
  ],
  [
    'secp256k1',
    '1',
    1,
    '0363ef4d666976f3176391e127d67eef9a2edb2ff3ac2d646d1081ec4e1e311177',
    'cf8bdb9c929c591864d0dce76f16c620e94015ea0bd09c26e32fae39f2633027',
  ],
  [
    'secp256k1',
    '1',
    2 ** 32,
    '0277a6aef040e36b0cc5de5529fc062c96799047dad28d5d01c596243c3bf3f0d1',
    '558da5ce2a60c2bc5119d090d02476b35514525201f41f96d7d07a107aa1b8a9',
  ],
  [
    'secp256k1',
    '2',
    0,
    '0348acce7e167ffb7262f46ffc72ab64ab51a820d0d59dc2af2565948c1416fdd6',
    '6bb548e451f9c82fb283e4ba8dffa71f68c0c9a69e8e3a37a264eb697fd9dd36',
  ],
  [
    'secp256k1',
    SEED_MAX,
    Number.MAX_SAFE_INTEGER,
    '0326484b0d87a2b04c40e7c1aac44c8ac349c85bb30bd3b80bedff31b4317feacc',
    'f6d87b8c7c7aeb05970884105fa72a2dded27baef0519943efc45cf759f8dfd9',
  ],
] as const;

describe('the candidate of an attempt', () => {
  it.each(PINNED)('%s, seed %s, attempt %d is pinned', (scheme, seed, attempt, key, nodeId) => {
    const searcher = freshStrategy.searcher(taskWith({ scheme, seed }));

    const candidate = searcher.candidate(attempt);

    expect(bytesToHex(candidate.publicKey)).toBe(key);
    expect(bytesToHex(candidate.nodeId)).toBe(nodeId);
  });

  it.each(SCHEME_NAMES)('%s: node:crypto makes the same 64 candidates', (scheme) => {
    const searcher = freshStrategy.searcher(taskWith({ scheme, seed: '31415926' }));
    for (let attempt = 1000; attempt < 1064; attempt += 1) {
      const secret = secretOf(scheme, '31415926', attempt);
      const publicKey = publicKeyOf(scheme, secret);

      const candidate = searcher.candidate(attempt);

      expect(bytesToHex(candidate.secret.bytes), `attempt ${attempt}`).toBe(bytesToHex(secret));
      expect(bytesToHex(candidate.publicKey)).toBe(bytesToHex(publicKey));
      expect(bytesToHex(candidate.nodeId)).toBe(bytesToHex(sha256(publicKey)));
    }
  });

  it('is another for the other scheme, seed and attempt', () => {
    const of = (scheme: 'ed25519' | 'secp256k1', seed: string, attempt: number) =>
      bytesToHex(freshStrategy.searcher(taskWith({ scheme, seed })).candidate(attempt).nodeId);

    const nodeIds = SCHEME_NAMES.flatMap((scheme) =>
      // Seeds and attempts that run into each other when written without a separator.
      ['1', '11', '111'].flatMap((seed) => [0, 1, 11, 256].map((n) => of(scheme, seed, n))),
    );

    expect(new Set(nodeIds).size).toBe(nodeIds.length);
  });

  it('does not depend on policy and goal', () => {
    const plain = freshStrategy.searcher(taskWith());
    const other = freshStrategy.searcher(
      taskWith({
        policy: { c1: 9, c2: 3, epoch: 7, context: 'elsewhere' },
        goal: { type: 'above', nodeId: new Uint8Array(32) },
      }),
    );

    expect(other.candidate(5)).toEqual(plain.candidate(5));
  });
});

describe('a scan', () => {
  const spec = specOf(taskWith({ seed: '7', policy: { c1: 4 } }));
  const searcher = freshStrategy.searcher(spec);
  const bitsOf = (attempt: number) =>
    zeroBits(sha256(sha256(publicKeyOf('ed25519', secretOf('ed25519', '7', attempt)))));

  it('reports the lowest winner of its range and stops there', () => {
    const bits = Array.from({ length: 64 }, (_, attempt) => bitsOf(attempt));
    const winner = bits.findIndex((measured) => measured >= 4);

    const result = searcher.scan({ from: 0, count: 64, wanted: 1 });

    const bestBits = Math.max(...bits.slice(0, winner + 1));
    const nodeId = searcher.candidate(winner).nodeId;
    const hits = [{ attempt: winner, nodeId }];
    expect(result).toEqual({ hits, tested: winner + 1, bestBits });
  });

  it('reports a range without a winner as tested whole', () => {
    const [winner] = searcher.scan({ from: 0, count: 64, wanted: 1 }).hits;
    const count = winner?.attempt ?? 0;

    const result = searcher.scan({ from: 0, count, wanted: 1 });

    const bits = Array.from({ length: count }, (_, attempt) => bitsOf(attempt));
    expect(result).toEqual({ hits: [], tested: count, bestBits: Math.max(...bits) });
  });

  it.each([
    ['above', { type: 'above', nodeId: new Uint8Array(32).fill(0x80) }],
    ['near', { type: 'near', nodeId: new Uint8Array(32).fill(0x80), closerThan: null }],
  ] as const)('evaluates the puzzle only of IDs that can win, with the goal %s', (_name, goal) => {
    const bar = new Uint8Array(32).fill(0x20);
    const policy = { c1: 8, puzzle: { function: 'iterated', iterations: 1000 } } as const;
    const task = taskWith({ seed: '7', goal, policy });
    const narrow = freshStrategy.searcher(task);
    const outside = Array.from({ length: 64 }, (_, attempt) => attempt).filter((attempt) => {
      const { nodeId } = narrow.candidate(attempt);
      return goal.type === 'above'
        ? compareBytes(nodeId, goal.nodeId) <= 0
        : compareBytes(xorDistance(nodeId, goal.nodeId), bar) >= 0;
    });

    const results = outside.map((from) =>
      narrow.scan({ from, count: 1, wanted: 1, closerThan: bar }),
    );

    expect(outside.length).toBeGreaterThan(20);
    expect(results).toEqual(outside.map(() => ({ hits: [], tested: 1, bestBits: -1 })));
  });

  it('gives −1 best bits for an empty range', () => {
    const result = searcher.scan({ from: 100, count: 0, wanted: 1 });

    expect(result).toEqual({ hits: [], tested: 0, bestBits: -1 });
  });

  it('finds the same winners in whatever ranges it is split', () => {
    const whole = winnersOf(searcher, { from: 0, count: 200 });

    const parts = [1, 7, 64, 128].flatMap((count, index, counts) => {
      const from = counts.slice(0, index).reduce((sum, each) => sum + each, 0);
      return winnersOf(searcher, { from, count });
    });

    expect(parts).toEqual(whole);
    expect(whole.length).toBeGreaterThan(0);
  });
});

describe('the cost of an attempt', () => {
  it.each([
    ['a static puzzle', policyWith({ c1: 1 }), 2],
    ['no static bits', policyWith({ c1: 0 }), 1],
    ['the static check off', { ...policyWithout('static'), c1: 20 }, 1],
  ])('with %s', (_name, policy, hashes) => {
    const cost = freshStrategy.cost(policy, 'ed25519');

    expect(cost).toEqual({ hashes, groupOperations: 65 });
  });

  it.each([
    ['ed25519', edwards(ed25519.Point.CURVE(), counting(ed25519.Point)).BASE],
    ['secp256k1', weierstrass(secp256k1.Point.CURVE(), counting(secp256k1.Point)).BASE],
  ])('%s: counts the point additions that noble makes for a key', (_name, base: Multiplied) => {
    // The first multiplication makes the table of multiples.
    const doubled = base.multiply(2n);
    const each = additionsIn(() => base.add(doubled));
    const ofKeys = [1n, 2n, 12345n, 2n ** 252n].map((scalar) =>
      additionsIn(() => base.multiply(scalar)),
    );

    const { groupOperations } = freshStrategy.cost(policyWith({ c1: 1 }), 'ed25519');

    expect(each).toBeGreaterThan(0);
    expect(ofKeys).toEqual(ofKeys.map(() => groupOperations * each));
  });
});

/** A point of either curve. */
interface Multiplied {
  add(other: Multiplied): Multiplied;
  multiply(scalar: bigint): Multiplied;
}

let additions = 0;

/** The fields of a curve that count the additions of coordinates. Only point additions make any. */
function counting({ Fp, Fn }: { readonly Fp: IField<bigint>; readonly Fn: IField<bigint> }) {
  const counted = (add: (left: bigint, right: bigint) => bigint) => ({
    value: (left: bigint, right: bigint) => {
      additions += 1;
      return add.call(Fp, left, right);
    },
  });
  return { Fn, Fp: Object.create(Fp, { add: counted(Fp.add), addN: counted(Fp.addN) }) };
}

function additionsIn(work: () => unknown): number {
  additions = 0;
  work();
  return additions;
}

describe(`hits over 2^${ATTEMPTS_LOG2} attempts at 4 bits`, () => {
  it.each(SCHEME_NAMES)('%s: within four sigma of the binomial mean', (scheme) => {
    const attempts = 2 ** ATTEMPTS_LOG2;
    const probability = 2 ** -4;
    const sigma = Math.sqrt(attempts * probability * (1 - probability));
    const searcher = freshStrategy.searcher(taskWith({ scheme, seed: '7', policy: { c1: 4 } }));

    const hits = winnersOf(searcher, { from: 0, count: attempts }).length;

    expect(Math.abs(hits - attempts * probability)).toBeLessThan(4 * sigma);
  });
});

function winnersOf(searcher: Searcher, range: { from: number; count: number }): number[] {
  const winners: number[] = [];
  const end = range.from + range.count;
  for (let next = range.from; next < end; ) {
    const { hits, tested } = searcher.scan({ from: next, count: end - next, wanted: 1 });
    winners.push(...hits.map(({ attempt }) => attempt));
    next += tested;
  }
  return winners;
}
