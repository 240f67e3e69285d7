/**
 * @module
 * Messages that multiply: where every node of Peterson's prose relays no node takes a TID off the ring,
 * and a network that copies has more of them in each lap. Such a run can be cut off, and refuses to
 * fill the memory.
 */

import { describe, expect, it } from 'vitest';

import { parseSeed } from '../../../src/random.ts';
import { assertRoomForCopy, COPIED_FLIGHTS_LIMIT } from '../../../src/simulation/engine/network.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { scheduleOf } from '../schedules.ts';

describe('copies that multiply', () => {
  it('are cut off after as many events as they were allowed', () => {
    const bounds = Array.from({ length: 40 }, (_, number) => {
      const simulation = createSimulation({
        protocol: 'peterson-prose',
        nodes: 4,
        seed: parseSeed(String(number)),
        schedule: scheduleOf({ type: 'duplication', share: 0.5, from: 0, to: null }),
      });
      simulation.start();
      return simulation.advance({ until: 'idle', events: 5000 });
    });

    expect(bounds).toContain('events');
    expect(bounds).toContain('idle');
  });

  it('are refused when too many messages are in flight', () => {
    expect(() => assertRoomForCopy(COPIED_FLIGHTS_LIMIT - 1, { type: 'PROBE' })).not.toThrow();
    expect(() => assertRoomForCopy(COPIED_FLIGHTS_LIMIT, { type: 'PROBE' })).toThrow(
      expect.objectContaining({ code: 'job.size' }),
    );
  });

  it('are refused earlier where messages carry lists, also wrapped ones', () => {
    const list = { type: 'ELECTION', ids: Array.from({ length: 196 }, (_, index) => index) };
    const limit = COPIED_FLIGHTS_LIMIT / 50;

    for (const message of [list, { type: 'ELECTION', message: list }]) {
      expect(() => assertRoomForCopy(limit - 1, message)).not.toThrow();
      expect(() => assertRoomForCopy(limit, message)).toThrow('of this size');
    }
  });
});
