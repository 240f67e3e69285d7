/**
 * @module
 * The wheel of messages in flight against a sorted list.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { createCast } from '../../../src/election/world/cast.ts';
import { createNodes } from '../../../src/simulation/engine/simulated-node.ts';
import type { Wheel } from '../../../src/simulation/engine/wheel.ts';
import {
  createWheel,
  earliestArrival,
  pushFlight,
  releaseTaken,
  slotAt,
} from '../../../src/simulation/engine/wheel.ts';

const CAST = createCast({
  protocol: 'cr-join',
  timing: { latencyTicksMax: 1 },
  ring: [1],
  crashedBefore: [],
});
const [NODE] = createNodes(CAST, [1]);

function push(wheel: Wheel, tick: number, id: number): void {
  if (NODE === undefined) throw new RangeError('"NODE" expected a node, got none');
  pushFlight(wheel, tick, id, NODE.brandedRank, NODE, { type: 'X' });
}

/** Takes all that is due at `now`. */
function takeAll(wheel: Wheel, now: number): number[] {
  const slot = slotAt(wheel, now);
  if (slot === null) return [];
  const ids = slot.ids.slice(slot.next, slot.count);
  slot.next = slot.count;
  releaseTaken(wheel, now, ids.length);
  return ids;
}

describe('a wheel', () => {
  it.each([1, 2, 31, 32, 33, 1000])(
    'for %i ticks delivers by tick, then in send order',
    (ticksMax) => {
      const sends = fc.array(
        fc.record({ wait: fc.nat(3), latency: fc.integer({ min: 1, max: ticksMax }) }),
        { maxLength: 100 },
      );
      fc.assert(
        fc.property(sends, fc.nat(2 ** 40), (flights, start) => {
          const wheel = createWheel(ticksMax);
          const arrived: string[] = [];
          const expected: { at: number; id: number }[] = [];
          let now = start;
          const runTo = (tick: number) => {
            for (
              now = earliestArrival(wheel, now);
              now <= tick;
              now = earliestArrival(wheel, now)
            ) {
              for (const id of takeAll(wheel, now)) arrived.push(`${now} ${id}`);
            }
            now = tick;
          };

          let sentAt = start;
          for (const [id, { wait, latency }] of flights.entries()) {
            sentAt += wait;
            runTo(sentAt);
            push(wheel, sentAt + latency, id);
            expected.push({ at: sentAt + latency, id });
          }
          runTo(sentAt + ticksMax);

          expected.sort((left, right) => left.at - right.at);
          expect(arrived).toEqual(expected.map(({ at, id }) => `${at} ${id}`));
          expect(wheel.inFlight).toBe(0);
        }),
        { seed: 1979, numRuns: 50 },
      );
    },
  );

  it('has nothing due when nothing is in flight', () => {
    expect(earliestArrival(createWheel(5), 3)).toBe(Number.POSITIVE_INFINITY);
  });

  it('keeps what of a tick has not been taken', () => {
    const wheel = createWheel(5);
    for (const id of [0, 1, 2]) push(wheel, 4, id);
    const slot = slotAt(wheel, 4);
    if (slot !== null) slot.next = 1;

    releaseTaken(wheel, 4, 1);

    expect(earliestArrival(wheel, 4)).toBe(4);
    expect(takeAll(wheel, 4)).toEqual([1, 2]);
    expect(slotAt(wheel, 4)).toBeNull();
  });
});
