/**
 * @module
 * Windows on the first 32 bits of node IDs: no ID that meets a goal is left outside, and few that do
 * not are let in.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexToBytes, leadingZeroBits } from '../../../src/bytes.ts';
import type { Goal, HeadWindow } from '../../../src/mining/goal.ts';
import {
  goalProbability,
  headWindow,
  meetsGoal,
  prefixWindow,
  WHOLE_WINDOW,
} from '../../../src/mining/goal.ts';
import { HIGHEST_ID } from '../tasks.ts';

const RING = 1n << 256n;
const HEADS = 2 ** 32;

/** IDs anywhere, at the ends of the ring, and around the border of one head. */
const ID = fc
  .oneof(
    fc.bigInt({ min: 0n, max: RING - 1n }),
    fc.bigInt({ min: 0n, max: 3n }),
    fc.bigInt({ min: RING - 3n, max: RING - 1n }),
    fc.bigInt({ min: -3n, max: 3n }).map((off) => (0x80000001n << 224n) + off),
  )
  .map(idOf);

const GOAL: fc.Arbitrary<Goal> = fc.oneof(
  ID.map((nodeId) => ({ type: 'above', nodeId }) as const),
  fc.tuple(ID, ID).map(([low, high]) => ({ type: 'between', low, high }) as const),
  fc
    .tuple(ID, fc.nat(255), fc.bigInt({ min: 0n, max: RING - 1n }))
    .map(([nodeId, bits, distance]) => {
      const closerThan = idOf(distance >> BigInt(bits));
      return { type: 'near', nodeId, closerThan } as const;
    }),
);

describe('the window of a goal', () => {
  it('admits every ID that meets it', () => {
    let met = 0;
    fc.assert(
      fc.property(GOAL, ID, (goal, anywhere) => {
        for (const nodeId of [anywhere, ...idsAround(goal)]) {
          if (!meetsGoal(goal, nodeId)) continue;
          met += 1;

          expect(isInside(headWindow(goal), nodeId)).toBe(true);
        }
      }),
      { seed: 1, numRuns: 3000 },
    );
    expect(met, 'of them some meet it').toBeGreaterThan(3000);
  });

  it('is at most twice as wide as the goal, and two heads', () => {
    fc.assert(
      fc.property(GOAL, (goal) => {
        const { low, high } = headWindow(goal);
        const width = high >= low ? high - low + 1 : HEADS - low + high + 1;

        expect(width / HEADS).toBeLessThanOrEqual(2 * goalProbability(goal) + 2 / HEADS);
      }),
      { seed: 2, numRuns: 3000 },
    );
  });

  it.each<[string, Goal, HeadWindow]>([
    ['any', { type: 'any' }, WHOLE_WINDOW],
    ['a count', { type: 'count', identities: 3 }, WHOLE_WINDOW],
    ['the closest', nearOf('00'.repeat(32), null), WHOLE_WINDOW],
    ['above the lowest', aboveOf('00'.repeat(32)), WHOLE_WINDOW],
    [
      'above the highest',
      { type: 'above', nodeId: HIGHEST_ID },
      { low: HEADS - 1, high: HEADS - 1 },
    ],
    ['between', betweenOf('01', '02'), { low: 0x01000000, high: 0x02000000 }],
    ['between over the top', betweenOf('fe', '02'), { low: 0xfe000000, high: 0x02000000 }],
    ['between equal bounds', betweenOf('01', '01'), WHOLE_WINDOW],
    [
      'between bounds of one head',
      betweenOf('01', '0100000001'),
      { low: 0x01000000, high: 0x01000000 },
    ],
    ['over the top to the same head', betweenOf('0100000001', '01'), WHOLE_WINDOW],
    ['near by 12 bits', nearOf('abcdef', '000f'), { low: 0xabc00000, high: 0xabcfffff }],
    ['near by no bit', nearOf('abcdef', '80'), WHOLE_WINDOW],
    ['nearer than zero', nearOf('abcdef', ''), { low: 0xabcdef00, high: 0xabcdef00 }],
  ])('%s', (_name, goal, window) => {
    expect(headWindow(goal)).toEqual(window);
  });
});

describe('the window of a prefix', () => {
  const nodeId = hexToBytes('a5'.repeat(32));

  it.each([
    [0, WHOLE_WINDOW],
    [1, { low: 0x80000000, high: 0xffffffff }],
    [2, { low: 0x80000000, high: 0xbfffffff }],
    [31, { low: 0xa5a5a5a4, high: 0xa5a5a5a5 }],
    [32, { low: 0xa5a5a5a5, high: 0xa5a5a5a5 }],
    [33, { low: 0xa5a5a5a5, high: 0xa5a5a5a5 }],
    [256, { low: 0xa5a5a5a5, high: 0xa5a5a5a5 }],
  ])('of %d bits', (bits, window) => {
    expect(prefixWindow(nodeId, bits)).toEqual(window);
  });

  it('reads the head of an ID that lies within other bytes', () => {
    const inside = hexToBytes(`ffff${'12345678'.repeat(8)}`).subarray(2);

    expect(prefixWindow(inside, 32)).toEqual({ low: 0x12345678, high: 0x12345678 });
  });
});

describe('the bits shared by all that are closer', () => {
  it.each([
    ['than the farthest', 'ff'.repeat(32), 0],
    ['than half the ring', '80', 0],
    ['than a little less', '7f', 1],
    ['than one head', '00000001', 31],
    ['than a little less than one head', '00000000ff', 32],
    ['than one', `${'00'.repeat(31)}01`, 255],
    ['than nothing', '', 256],
  ])('%s', (_name, distance, bits) => {
    expect(leadingZeroBits(hexToBytes(distance.padEnd(64, '0')))).toBe(bits);
  });
});

/** IDs close to those of a goal, on both sides. */
function idsAround(goal: Goal): readonly Uint8Array[] {
  const offsets = [-2n, -1n, 0n, 1n, 2n];
  const around = (id: Uint8Array) =>
    offsets.map((off) => idOf((integerOf(id) + off + RING) % RING));
  switch (goal.type) {
    case 'any':
    case 'count':
    case 'pair':
      return [];
    case 'above':
      return around(goal.nodeId);
    case 'between':
      return [...around(goal.low), ...around(goal.high)];
    case 'near':
      return offsets
        .map((off) => integerOf(goal.closerThan ?? goal.nodeId) + off)
        .filter((distance) => distance >= 0n && distance < RING)
        .map((distance) => idOf(distance ^ integerOf(goal.nodeId)));
    default:
      return goal satisfies never;
  }
}

function isInside({ low, high }: HeadWindow, nodeId: Uint8Array): boolean {
  const head = Number(integerOf(nodeId) >> 224n);
  return low <= high ? low <= head && head <= high : head >= low || head <= high;
}

function aboveOf(hex: string) {
  return { type: 'above', nodeId: hexToBytes(hex.padEnd(64, '0')) } as const;
}

function betweenOf(low: string, high: string) {
  const [lowId, highId] = [low, high].map((hex) => hexToBytes(hex.padEnd(64, '0')));
  return { type: 'between', low: lowId ?? HIGHEST_ID, high: highId ?? HIGHEST_ID } as const;
}

function nearOf(nodeId: string, closerThan: string | null) {
  const distance = closerThan === null ? null : hexToBytes(closerThan.padEnd(64, '0'));
  return {
    type: 'near',
    nodeId: hexToBytes(nodeId.padEnd(64, '0')),
    closerThan: distance,
  } as const;
}

function integerOf(id: Uint8Array): bigint {
  return id.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

function idOf(value: bigint): Uint8Array {
  return hexToBytes(value.toString(16).padStart(64, '0'));
}
