/**
 * @module
 * What nodes know of each other: ring neighbours, members and the remembered leader.
 */

import { describe, expect, it } from 'vitest';
import type { Rank } from '../../src/election/machine.ts';
import type { ProtocolName } from '../../src/election/registry.ts';
import { announcementTicks, answerTicks } from '../../src/election/timing.ts';
import type { Cast } from '../../src/election/world/cast.ts';
import { createCast, fromRank, toRank } from '../../src/election/world/cast.ts';

function castOf(
  ring: readonly number[],
  crashedBefore: readonly number[] = [],
  protocol: ProtocolName = 'cr-join',
): Cast {
  return createCast({
    protocol,
    timing: { latencyTicksMax: 1 },
    ring,
    crashedBefore,
  });
}

function neighboursOf(cast: Cast): string[] {
  return Array.from({ length: cast.nodes }, (_, index) => {
    const { predecessor, rank, successors } = cast.selfOf(index + 1);
    return `${predecessor} ${rank} ${successors}`;
  });
}

describe('a cast', () => {
  it('sends clockwise', () => {
    expect(neighboursOf(castOf([3, 1, 4, 2]))).toEqual(['3 1 4', '4 2 3', '2 3 1', '1 4 2']);
  });

  it('closes the ring around the dead and keeps their position', () => {
    expect(neighboursOf(castOf([3, 1, 4, 2], [4, 3]))).toEqual([
      '2 1 2',
      '1 2 1',
      '2 3 1',
      '1 4 2',
    ]);
  });

  it('names as many living neighbours as the protocol asks for, nearest first', () => {
    const ring = castOf([3, 1, 6, 4, 2, 5], [6], 'ring-robust');

    expect(neighboursOf(ring)).toEqual([
      '3 1 4,2,5',
      '4 2 5,3,1',
      '5 3 1,4,2',
      '1 4 2,5,3',
      '2 5 3,1,4',
      '1 6 4,2,5',
    ]);
  });

  it('names none twice and not the node itself in a ring that is too small', () => {
    const neighbours = [[3, 1, 2], [2, 1], [1]].map((ring) =>
      neighboursOf(castOf(ring, [], 'ring-robust')),
    );

    expect(neighbours).toEqual([['3 1 2,3', '1 2 3,1', '2 3 1,2'], ['2 1 2', '1 2 1'], ['1 1 1']]);
  });

  it('counts the nodes that the ring is closed around', () => {
    expect(castOf([3, 1, 4, 2]).selfOf(1).ringNodes).toBe(4);
    expect(castOf([3, 1, 4, 2], [4, 3]).selfOf(1).ringNodes).toBe(2);
  });

  it('makes a node alone its own neighbour', () => {
    expect(neighboursOf(castOf([1]))).toEqual(['1 1 1']);
    expect(neighboursOf(castOf([2, 1], [2]))).toEqual(['1 1 1', '1 2 1']);
  });

  it('knows all members ascending, and the highest of the dead as leader', () => {
    const { members, incumbent } = castOf([3, 1, 4, 2], [1, 3]).selfOf(2);

    expect(members).toEqual([1, 2, 3, 4]);
    expect(incumbent).toBe(3);
    expect(castOf([2, 1]).selfOf(1).incumbent).toBeNull();
  });

  it('needs a survivor and knows no strangers', () => {
    expect(() => castOf([1, 2], [2, 1])).toThrow('"crashedBefore" expected a survivor, got none');
    expect(() => castOf([1, 2]).selfOf(3)).toThrow('"rank" expected a member, got 3');
  });
});

describe('a rank', () => {
  it('goes to and from a position', () => {
    expect(fromRank(toRank(7))).toBe(7);
  });

  it.each([0, -1, 1.5, Number.NaN])('is not made from %d', (position) => {
    expect(() => toRank(position)).toThrow(RangeError);
  });

  it('that is hex has no position', () => {
    const hex = 'ff' as Rank; // As a live node has it.

    expect(() => fromRank(hex)).toThrow('"rank" expected a position, got "ff"');
  });
});

describe('time-outs', () => {
  it.each([
    { latencyTicksMax: 1, answer: 3, announcement: 8 },
    { latencyTicksMax: 50, answer: 101, announcement: 253 },
  ])('for latencies up to $latencyTicksMax', ({ latencyTicksMax, answer, announcement }) => {
    expect(answerTicks({ latencyTicksMax })).toBe(answer);
    expect(announcementTicks({ latencyTicksMax })).toBe(announcement);
  });
});
