/**
 * @module
 * Time with nodes that are played from outside: it waits only for the awaited nodes, and their events stay
 * until they are answered, up to a bound.
 */

import { describe, expect, it } from 'vitest';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import { INBOX_EVENTS_MAX } from '../../../src/simulation/run/inboxes.ts';
import { INJECTED_EFFECTS_LIMIT } from '../../../src/simulation/run/outside-play.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';

const OPTIONS: SimulationOptions = {
  ...{ protocol: 'bully-oneshot', nodes: 4, seed: SEED, trace: true, ring: 'by-id' },
  outside: [{ rank: 2, waits: true }],
};

describe('time', () => {
  it('stops where somebody awaited was told something, and goes on with the answer', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([1]);

    const first = simulation.advance({ until: 'idle' });
    const at = simulation.status();
    const again = simulation.advance({ until: 100 });

    expect([first, again]).toEqual(['outside', 'outside']);
    expect(at).toMatchObject({ ticks: 1, awaiting: [2], idle: false });
    expect(simulation.status().ticks).toBe(1);
    expect(simulation.inbox(2)).toEqual({
      events: [
        { number: 1, at: 1, event: { type: 'deliver', from: 1, message: { type: 'ELECTION' } } },
      ],
      ...{ lost: 0, answered: 0 },
    });

    simulation.answered(2, 1);
    const then = simulation.advance({ until: 'idle' });

    expect(simulation.inbox(2)).toMatchObject({ answered: 1, events: [{ number: 2 }] });
    expect(then).toBe('outside');
  });

  it('stops right after the event, so that others of its tick are still to come', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start([1]);

    simulation.advance({ until: 'idle' });
    const before = simulation.flights().filter(({ due }) => due === 1);
    simulation.answered(2, 1);
    simulation.advance({ until: 1 });

    // Node 1 asked 2, 3 and 4 at once.
    expect(before.map(({ to }) => to)).toEqual([3, 4]);
    expect(simulation.flights().filter(({ due }) => due === 1)).toEqual([]);
  });

  it('does not wait for who lapsed, until it answers again', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.start();

    const bounds = [simulation.advance({ until: 'idle' })];
    simulation.lapse(2);
    bounds.push(simulation.advance({ until: 'idle' }));
    const { awaiting, ticks } = simulation.status();
    simulation.answered(2, 1);
    bounds.push(simulation.advance({ until: 'idle' }));

    expect(bounds).toEqual(['outside', 'idle', 'outside']);
    expect(awaiting).toEqual([]);
    expect(ticks).toBeGreaterThan(1);
  });

  it('does not wait for who does not ask for it, nor for the dead', () => {
    const heedless = createSimulation({ ...OPTIONS, outside: [{ rank: 2, waits: false }] });
    heedless.start();
    const simulation = createSimulation(OPTIONS);
    simulation.start();
    simulation.crash(2);

    expect(heedless.advance({ until: 'idle' })).toBe('idle');
    expect(simulation.status().awaiting).toEqual([]);
    expect(simulation.advance({ until: 'idle' })).toBe('idle');
  });

  it('keeps the newest events of a node that does not answer, and says how many are lost', () => {
    const simulation = createSimulation({ ...OPTIONS, outside: [{ rank: 2, waits: false }] });
    const words = Array.from({ length: INJECTED_EFFECTS_LIMIT }, () => {
      return { type: 'send', to: 2, message: { type: 'HELLO' } } as const;
    });
    simulation.inject(1, words);
    simulation.inject(1, words.slice(0, 7));

    simulation.advance({ until: 'idle' });
    const { events, lost, answered } = simulation.inbox(2);

    expect([events.length, lost, answered]).toEqual([INBOX_EVENTS_MAX, 7, 0]);
    expect(events[0]?.number).toBe(8);

    simulation.answered(2, 1_000);

    expect(simulation.inbox(2).events.map(({ number }) => number)).toEqual([
      1_001, 1_002, 1_003, 1_004, 1_005, 1_006, 1_007,
    ]);
  });

  it('brings the timers that a program sets, and takes them back', () => {
    const simulation = createSimulation(OPTIONS);
    simulation.inject(2, [
      { type: 'set-timer', timer: 'once', ticks: 30, periodic: false },
      { type: 'set-timer', timer: 'never', ticks: 20, periodic: false },
      { type: 'cancel-timer', timer: 'never' },
      { type: 'elect', leader: 3, epoch: 5 },
    ]);

    simulation.advance({ until: 'idle' });

    expect(simulation.inbox(2).events).toEqual([
      { number: 1, at: 30, event: { type: 'timeout', timer: 'once' } },
    ]);
    expect(simulation.nodes()[1]).toMatchObject({ leader: 3 });
  });

  it('goes on far enough for what was said to arrive, in elections that are never silent', () => {
    const simulation = createSimulation({
      ...OPTIONS,
      protocol: 'raft',
      outside: [],
      level: 'L0',
    });
    simulation.start();
    simulation.advance({ until: 'idle' });
    const { leader } = simulation.status();
    const byzantine = leader === 1 ? 2 : 1;
    const message = { type: 'HEARTBEAT', term: 1_000_000 };

    simulation.inject(byzantine, [{ type: 'send', to: leader ?? 0, message }]);
    simulation.advance({ until: 'idle' });

    expect(simulation.status().messages.total).toBeGreaterThan(0);
    expect(JSON.stringify(simulation.stateOf(leader ?? 0))).toContain('100000');
  });
});
