/**
 * @module
 * Winners gathered from scans in any order: what is kept, what is still missing, and which of them
 * lie below the number from which a search goes on.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bytesToHex } from '../../src/bytes.ts';
import type { PhaseOrder } from '../../src/mining/phases.ts';
import { searcherOf } from '../../src/mining/strategies.ts';
import type { Hit } from '../../src/mining/strategy.ts';
import { Winners } from '../../src/mining/winners.ts';
import { taskWith } from './tasks.ts';

const TARGET = new Uint8Array(2);
const CLOSEST = taskWith({ goal: { type: 'near', nodeId: TARGET, closerThan: null } });
const ATTEMPTS_MAX = 40;

describe('the lowest winners', () => {
  it('are those of all scans, in whatever order they come', () => {
    fc.assert(
      fc.property(hitsInAnyOrder(), fc.integer({ min: 1, max: 5 }), (hits, wanted) => {
        const winners = new Winners(taskWith(), orderOf({ wanted }));
        for (const hit of hits) winners.add({ hits: [hit], tested: 1 });

        const lowest = hits.map(({ attempt }) => attempt).sort((a, b) => a - b);
        expect(winners.numbers()).toEqual(lowest.slice(0, wanted));
        expect(winners.missing()).toBe(Math.max(0, wanted - hits.length));
        expect(winners.end()).toBe(lowest[wanted - 1] ?? Number.POSITIVE_INFINITY);
        expect(winners.bar()).toEqual({});
      }),
      { seed: 1 },
    );
  });

  it('go on from those of before', () => {
    const winners = new Winners(taskWith(), orderOf({ wanted: 3, begun: [2, 5] }));

    winners.add({ hits: [hitOf(9, 0)], tested: 1 });

    expect(winners.numbers()).toEqual([2, 5, 9]);
    expect(winners.numbers(9)).toEqual([2, 5]);
    expect(winners.end()).toBe(9);
  });
});

describe('winners of several phases', () => {
  const task = taskWith({ goal: { type: 'count', identities: 3 } });
  const first = orderOf({ wanted: 1 });

  it('are known to the later phase if a scan went beyond the end of the earlier one', () => {
    const winners = new Winners(task, first);
    winners.add({ hits: [hitOf(11, 1), hitOf(14, 2), hitOf(17, 3)], tested: 12 });
    winners.scanned = 20;

    const one = winners.outcome(first, 'attempts');
    winners.next({ begun: one, wanted: 2 });
    const two = winners.outcome({ limit: 15 }, 'attempts');

    expect(one).toMatchObject({ tested: 12, winners: [11], overshoot: 8, ending: 'found' });
    // The budget pays for what is a winner now, and no longer overshoot.
    expect(two).toMatchObject({ tested: 15, winners: [11, 14], overshoot: -3, ending: 'found' });
  });

  it('do not count beyond what the budget pays for', () => {
    const winners = new Winners(task, first);
    winners.add({ hits: [hitOf(11, 1), hitOf(14, 2)], tested: 12 });
    winners.scanned = 20;
    const one = winners.outcome(first, 'attempts');

    winners.next({ begun: one, wanted: 2 });
    const two = winners.outcome({ limit: 14 }, 'attempts');

    expect(two).toMatchObject({ tested: 14, winners: [11], overshoot: -2, ending: 'attempts' });
  });
});

describe('the closest', () => {
  it('below any number is the closest of the scans below it', () => {
    fc.assert(
      fc.property(hitsInAnyOrder(), fc.integer({ min: 0, max: ATTEMPTS_MAX }), (hits, end) => {
        const winners = new Winners(CLOSEST, orderOf({ wanted: 1 }));
        for (const hit of hits) winners.add({ hits: [hit], tested: 1 });

        const below = hits.filter(({ attempt }) => attempt < end).sort(byDistance);
        expect(winners.numbers(end)).toEqual(below.slice(0, 1).map(({ attempt }) => attempt));
        winners.scanned = ATTEMPTS_MAX;
        const outcome = winners.outcome({ limit: ATTEMPTS_MAX }, 'attempts');
        expect(outcome.hits).toEqual([...hits].sort(byDistance).slice(0, 1));
      }),
      { seed: 2 },
    );
  });

  it('is always to be beaten, and ends no search', () => {
    const winners = new Winners(CLOSEST, orderOf({ wanted: 1 }));
    expect(winners.bar()).toEqual({});

    winners.add({ hits: [hitOf(7, 300)], tested: 1 });

    expect(winners.missing()).toBe(1);
    expect(winners.end()).toBe(Number.POSITIVE_INFINITY);
    expect(winners.bar()).toEqual({ closerThan: Uint8Array.of(1, 45) });
  });

  it.each([[[61_115, 109_243]], [[109_243, 61_115]]])(
    'is the first of equally close ones, in the order %j',
    (attempts) => {
      const winners = new Winners(CLOSEST, orderOf({ wanted: 1 }));

      for (const attempt of attempts) winners.add({ hits: [hitOf(attempt, 300)], tested: 1 });

      expect(winners.numbers()).toEqual([61_115]);
    },
  );

  it('has no bound at the largest distance', () => {
    const winners = new Winners(CLOSEST, orderOf({ wanted: 1 }));

    winners.add({ hits: [hitOf(7, 65_535)], tested: 1 });

    expect(winners.bar()).toEqual({});
  });

  it('goes on from that of before, whose distance it knows', () => {
    const goal = { type: 'near', nodeId: new Uint8Array(32), closerThan: null } as const;
    const task = taskWith({ goal });

    const winners = new Winners(task, orderOf({ wanted: 1, begun: [4] }));

    const distance = BigInt(`0x${bytesToHex(searcherOf(task).candidate(4).nodeId)}`);
    const above = (distance + 1n).toString(16).padStart(64, '0');
    expect(bytesToHex(winners.bar().closerThan ?? new Uint8Array())).toBe(above);
  });
});

/** Hits of distinct attempts and distances, to the ID zero. */
function hitsInAnyOrder(): fc.Arbitrary<Hit[]> {
  const numbers = fc.nat(ATTEMPTS_MAX - 1);
  const attempts = fc.uniqueArray(numbers, { maxLength: 12 });
  const distances = fc.uniqueArray(fc.nat(65_535), { minLength: 12, maxLength: 12 });
  return fc
    .tuple(attempts, distances)
    .map(([list, of]) => list.map((attempt, index) => hitOf(attempt, of[index] ?? 0)));
}

function hitOf(attempt: number, id: number): Hit {
  return { attempt, nodeId: Uint8Array.of(id >> 8, id & 255) };
}

function byDistance(left: Hit, right: Hit): number {
  return idOf(left) - idOf(right);
}

function idOf({ nodeId: [high = 0, low = 0] }: Hit): number {
  return 256 * high + low;
}

function orderOf(order: { readonly wanted: number; readonly begun?: number[] }): PhaseOrder {
  const { wanted, begun = [] } = order;
  const limit = ATTEMPTS_MAX;
  return { phase: { type: 'keys' }, begun: { tested: 8, winners: begun }, wanted, limit };
}
