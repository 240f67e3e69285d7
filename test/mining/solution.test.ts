/**
 * @module
 * The search for X in both forms of the dynamic puzzle, against the published first solutions.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { scanSolutions, solutionBytes } from '../../src/mining/solution.ts';
import { sha256, zeroBits } from './openssl-keys.ts';
import { policyWith } from './tasks.ts';

/** The node ID of the key of RFC 8032 section 7.1, test 1. */
const NODE_ID = hexToBytes('21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9');
const CHALLENGE = hexToBytes('9e9183025d2227433ac52251d6c1c146f4f487a2a2b30db88caf8a771b18b761');

describe('the first X', () => {
  it.each([
    ['concat', 8, '0000000000000163', 8],
    ['concat', 12, '0000000000000aa1', 13],
    ['concat', 13, '0000000000000aa1', 13],
    ['concat', 14, '0000000000000e3d', 14],
    ['xor', 8, `${'00'.repeat(30)}00e9`, 8],
    ['xor', 12, `${'00'.repeat(30)}0452`, 12],
    ['xor', 13, `${'00'.repeat(30)}2741`, 14],
  ] as const)('%s at %d bits', (dynamic, c2, solution, bits) => {
    const policy = policyWith({ c2, dynamic });

    const result = scanSolutions({ policy, nodeId: NODE_ID }, { from: 0, count: 20_000 });

    const number = Number(`0x${solution}`);
    const hits = [{ attempt: number, nodeId: NODE_ID }];
    expect(result).toEqual({ hits, tested: number + 1, bestBits: bits });
    expect(bytesToHex(solutionBytes(policy, NODE_ID, number))).toBe(solution);
  });

  it.each(['concat', 'xor'] as const)('%s: node:crypto finds no lower one', (dynamic) => {
    const policy = policyWith({ c2: 6, dynamic });
    const bitsOf = (number: number) => {
      const x = Buffer.alloc(dynamic === 'concat' ? 8 : 32);
      x.writeUInt32BE(number, x.length - 4);
      return dynamic === 'concat'
        ? zeroBits(sha256(CHALLENGE, NODE_ID, x))
        : zeroBits(sha256(x.map((byte, index) => byte ^ (NODE_ID[index] ?? 0))));
    };

    const [hit] = scanSolutions({ policy, nodeId: NODE_ID }, { from: 0, count: 1000 }).hits;

    const numbers = Array.from({ length: 1000 }, (_, number) => number);
    expect(hit?.attempt).toBe(numbers.find((number) => bitsOf(number) >= 6));
  });

  it('changes with epoch and context in the concat form alone', () => {
    const scan = (changes: Parameters<typeof policyWith>[0]) =>
      scanSolutions(
        { policy: policyWith({ c2: 12, ...changes }), nodeId: NODE_ID },
        {
          from: 0,
          count: 20_000,
        },
      ).hits[0]?.attempt;

    const concat = [{}, { epoch: 1 }, { context: 'elsewhere' }].map(scan);
    const xor = [{}, { epoch: 1 }, { context: 'elsewhere' }].map((changes) =>
      scan({ ...changes, dynamic: 'xor' }),
    );

    expect(new Set(concat).size).toBe(3);
    expect(new Set(xor).size).toBe(1);
  });
});

describe('a range', () => {
  const policy = policyWith({ c2: 8 });

  it('that ends before the first X holds none', () => {
    const { hits, tested } = scanSolutions({ policy, nodeId: NODE_ID }, { from: 0, count: 0x163 });

    expect({ hits, tested }).toEqual({ hits: [], tested: 0x163 });
  });

  it('that begins at the first X ends at once', () => {
    const result = scanSolutions({ policy, nodeId: NODE_ID }, { from: 0x163, count: 1000 });

    const hits = [{ attempt: 0x163, nodeId: NODE_ID }];
    expect(result).toEqual({ hits, tested: 1, bestBits: 8 });
  });

  it('that is empty measures nothing', () => {
    const result = scanSolutions({ policy, nodeId: NODE_ID }, { from: 0x163, count: 0 });

    expect(result).toEqual({ hits: [], tested: 0, bestBits: -1 });
  });
});

describe('the bytes of X', () => {
  it.each([
    ['concat', 0, '00'.repeat(8)],
    ['concat', Number.MAX_SAFE_INTEGER, '001fffffffffffff'],
    ['xor', 0, '00'.repeat(32)],
    ['xor', Number.MAX_SAFE_INTEGER, `${'00'.repeat(24)}001fffffffffffff`],
  ] as const)('%s: %d is big-endian', (dynamic, number, hex) => {
    expect(bytesToHex(solutionBytes(policyWith({ dynamic }), NODE_ID, number))).toBe(hex);
  });
});
