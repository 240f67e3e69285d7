/**
 * @module
 * The puzzle functions against OpenSSL, what they cost, and both puzzles under each of them.
 */

import { argon2Sync, createHash, scryptSync } from 'node:crypto';

import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, leadingZeroBits, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import { parsePolicy } from '../../../src/identity/policy.ts';
import { challengeOf, dynamicBits } from '../../../src/identity/puzzles/puzzle.ts';
import type { PuzzleFunction } from '../../../src/identity/puzzles/puzzle-function.ts';
import {
  evaluatePuzzle,
  evaluationCost,
  formatEvaluation,
  formatEvaluationCost,
  formatHash,
  puzzleBitsMaxOf,
  puzzleHashes,
} from '../../../src/identity/puzzles/puzzle-function.ts';
import { honestClaim, policyWith } from '../forged-claims.ts';

const INPUT = utf8ToBytes('a node ID, or what is made of it');
const SALT = utf8ToBytes('usurp/puzzle/v1\0');

describe('one evaluation', () => {
  it.each(['sha256', 'sha1'] as const)('of %s is its digest', (hash) => {
    const output = evaluatePuzzle({ hash, puzzle: { function: 'hash' } }, INPUT);

    expect(bytesToHex(output)).toBe(createHash(hash).update(INPUT).digest('hex'));
  });

  it.each([
    ['sha256', 1],
    ['sha256', 2],
    ['sha256', 1000],
    ['sha1', 1000],
  ] as const)('of %s iterated %d times is that of OpenSSL', (hash, iterations) => {
    let expected: Uint8Array = INPUT;
    for (let round = 0; round < iterations; round += 1) {
      expected = createHash(hash).update(expected).digest();
    }

    const output = evaluatePuzzle({ hash, puzzle: { function: 'iterated', iterations } }, INPUT);

    expect(bytesToHex(output)).toBe(bytesToHex(expected));
  });

  it.each([
    [1, 1, 1],
    [10, 8, 1],
    [4, 2, 3],
  ])('of scrypt:%d:%d:%d is that of OpenSSL', (logN, r, p) => {
    const puzzle: PuzzleFunction = { function: 'scrypt', logN, r, p };

    const output = evaluatePuzzle({ hash: 'sha1', puzzle }, INPUT);

    expect(bytesToHex(output)).toBe(
      scryptSync(INPUT, SALT, 32, { N: 2 ** logN, r, p }).toString('hex'),
    );
  });

  it.each([
    [1, 8, 1],
    [1, 64, 1],
    [3, 37, 2],
  ])('of argon2id:%d:%d:%d is that of OpenSSL', (passes, kib, lanes) => {
    const puzzle: PuzzleFunction = { function: 'argon2id', passes, kib, lanes };

    const output = evaluatePuzzle({ hash: 'sha256', puzzle }, INPUT);

    const tag = argon2Sync('argon2id', {
      message: INPUT,
      nonce: SALT,
      passes,
      memory: kib,
      parallelism: lanes,
      tagLength: 32,
    });
    expect(bytesToHex(output)).toBe(tag.toString('hex'));
  });
});

describe('the price of one evaluation', () => {
  it.each<[PuzzleFunction, number]>([
    [{ function: 'hash' }, 1],
    [{ function: 'iterated', iterations: 1000 }, 1000],
    [{ function: 'scrypt', logN: 10, r: 8, p: 1 }, 32_768],
    [{ function: 'scrypt', logN: 14, r: 8, p: 2 }, 1_048_576],
    [{ function: 'argon2id', passes: 1, kib: 64, lanes: 1 }, 64],
    [{ function: 'argon2id', passes: 3, kib: 64, lanes: 4 }, 192],
    [{ function: 'argon2id', passes: 3, kib: 71, lanes: 4 }, 192],
  ])('%j is %d primitives', (puzzle, primitives) => {
    expect(puzzleHashes(puzzle)).toBe(primitives);
  });
});

describe('what an evaluation takes a verifier', () => {
  it.each<[PuzzleFunction, { readonly ms: number; readonly kib: number }, string]>([
    [{ function: 'hash' }, { ms: 0.001, kib: 0 }, '0.001 ms'],
    [{ function: 'iterated', iterations: 100_000 }, { ms: 85, kib: 0 }, '90 ms'],
    [{ function: 'iterated', iterations: 150_000 }, { ms: 127.5, kib: 0 }, '130 ms'],
    [{ function: 'scrypt', logN: 10, r: 8, p: 2 }, { ms: 8.51968, kib: 1024 }, '9 ms and 1 MiB'],
    [
      { function: 'argon2id', passes: 2, kib: 64, lanes: 1 },
      { ms: 0.6144, kib: 64 },
      '0.6 ms and 64 KiB',
    ],
    [
      { function: 'argon2id', passes: 1, kib: 1536, lanes: 1 },
      { ms: 7.3728, kib: 1536 },
      '7 ms and 1.5 MiB',
    ],
  ])('%j: %j, as text %s', (puzzle, { ms, kib }, text) => {
    expect(evaluationCost(puzzle).ms).toBeCloseTo(ms, 9);
    expect(evaluationCost(puzzle).kib).toBe(kib);
    expect(formatEvaluationCost(puzzle)).toBe(text);
  });
});

describe('the bits of an output', () => {
  it.each<[string, PuzzleFunction, number]>([
    ['sha256', { function: 'hash' }, 256],
    ['sha1', { function: 'hash' }, 160],
    ['sha1', { function: 'iterated', iterations: 2 }, 160],
    ['sha1', { function: 'scrypt', logN: 1, r: 1, p: 1 }, 256],
  ])('%s, %j: at most %d', (hash, puzzle, bits) => {
    expect(puzzleBitsMaxOf({ hash: hash === 'sha1' ? 'sha1' : 'sha256', puzzle })).toBe(bits);
  });
});

describe('a function in words', () => {
  it.each<[PuzzleFunction, string]>([
    [{ function: 'hash' }, 'SHA-256(nodeId)'],
    [{ function: 'iterated', iterations: 1000 }, 'SHA-256^1000(nodeId)'],
    [{ function: 'scrypt', logN: 10, r: 8, p: 1 }, 'scrypt(nodeId)'],
    [{ function: 'argon2id', passes: 1, kib: 64, lanes: 1 }, 'argon2id(nodeId)'],
  ])('%j is %s', (puzzle, words) => {
    expect(formatEvaluation({ hash: 'sha256', puzzle }, 'nodeId')).toBe(words);
  });

  it('has the name of its hash as the standard writes it', () => {
    expect([formatHash('sha1'), formatHash('sha256')]).toEqual(['SHA-1', 'SHA-256']);
  });
});

describe.each<[string, PuzzleFunction]>([
  ['iterated', { function: 'iterated', iterations: 3 }],
  ['scrypt', { function: 'scrypt', logN: 2, r: 1, p: 1 }],
  ['argon2id', { function: 'argon2id', passes: 1, kib: 8, lanes: 1 }],
])('both puzzles under %s', (_name, puzzle) => {
  const { nodeId } = honestClaim('ed25519');
  const challenge = challengeOf({ epoch: 0, context: 'usurp' });
  const bitsOf = (input: Uint8Array) =>
    leadingZeroBits(evaluatePuzzle({ hash: 'sha256', puzzle }, input));

  it('measure the zero bits of its output', () => {
    const policy = policyWith({ puzzle });
    const solution = new Uint8Array(8).fill(1);
    const x = new Uint8Array(32).fill(1);

    const measured = [
      staticBits(nodeId, policy),
      dynamicBits({ form: 'concat', challenge, nodeId, solution, policy }),
      dynamicBits({ form: 'xor', challenge, nodeId, solution: x, policy }),
    ];

    expect(measured).toEqual([
      bitsOf(nodeId),
      bitsOf(concatBytes(challenge, nodeId, solution)),
      bitsOf(nodeId.map((byte) => byte ^ 1)),
    ]);
  });

  it('decide admission to the bit', () => {
    const c1 = bitsOf(nodeId);
    const claim = honestClaim('ed25519');

    const met = admit(claim, policyWith({ puzzle, c1 }));
    const missed = admit(claim, policyWith({ puzzle, c1: c1 + 1 }));

    expect(met.admitted).toBe(true);
    expect(missed.refusal).toBe('pow.insufficient');
  });

  it('survive JSON', () => {
    const policy = policyWith({ puzzle });

    expect(parsePolicy(JSON.parse(JSON.stringify(policy)))).toEqual(policy);
  });
});

describe('a salted static puzzle', () => {
  const { nodeId } = honestClaim('ed25519');

  it('hashes the challenge before the node ID', () => {
    const policy = policyWith({ salted: true, epoch: 7, context: 'here' });

    const digest = createHash('sha256').update(challengeOf(policy)).update(nodeId).digest();

    expect(staticBits(nodeId, policy)).toBe(leadingZeroBits(digest));
  });

  it('changes with epoch and context, which the plain one does not', () => {
    const challenges = Array.from({ length: 64 }, (_, epoch) => ({ epoch, context: 'here' }));
    const bitsOf = (salted: boolean) =>
      new Set(
        challenges.map((challenge) => staticBits(nodeId, policyWith({ salted, ...challenge }))),
      );

    expect(bitsOf(true).size).toBeGreaterThan(2);
    expect(bitsOf(false).size).toBe(1);
  });

  it('says what it hashes when it refuses', () => {
    const policy = policyWith({ salted: true, c1: 60 });

    const check = admit(honestClaim('ed25519', { policy }), policy).checks.at(-1);

    expect(check).toHaveProperty(
      'detail',
      expect.stringContaining('SHA-256(challenge ‖ nodeId) begins with'),
    );
  });
});

describe('the unhashed dynamic puzzle', () => {
  const { nodeId } = honestClaim('ed25519');
  const challenge = challengeOf({ epoch: 0, context: 'usurp' });
  const bitsOf = (solution: Uint8Array) =>
    dynamicBits({ form: 'unhashed', challenge, nodeId, solution });

  it('is solved at any difficulty by the node ID itself', () => {
    const policy = policyWith({ dynamic: 'unhashed', c2: 256 });
    const claim = honestClaim('ed25519', { policy, solution: nodeId });

    expect(bitsOf(nodeId)).toBe(256);
    expect(admit(claim, policy).admitted).toBe(true);
  });

  it('counts the bits in which node ID and X agree from the first on', () => {
    const differing = nodeId.map((byte, index) => (index === 2 ? byte ^ 0x10 : byte));

    expect(bitsOf(differing)).toBe(19);
  });

  it('takes an X as long as the ID and no other', () => {
    expect(bitsOf(nodeId.slice(1))).toBe(0);
    expect(bitsOf(new Uint8Array(8))).toBe(0);
  });
});
