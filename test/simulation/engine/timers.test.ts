/**
 * @module
 * The order in which timers fire, and those that never do.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Timers } from '../../../src/simulation/engine/timers.ts';
import { createTimers } from '../../../src/simulation/engine/timers.ts';

function set(timers: Timers, now: number, timer: string, ticks: number, periodic = false): void {
  timers.set(now, { node: 1, timer, ticks, periodic });
}

/** What fires up to and including `until`, as `tick timer`. */
function fireUntil(timers: Timers, until: number): string[] {
  const fired: string[] = [];
  for (let now = timers.earliest(); now <= until; now = timers.earliest()) {
    for (let due = timers.take(now); due !== null; due = timers.take(now)) {
      fired.push(`${now} ${due.timer}`);
    }
  }
  return fired;
}

/** The plain semantics: one list of timers, of which the earliest is taken. */
function plainTimers(): Timers {
  type Entry = { node: number; timer: string; ticks: number; periodic: boolean };
  let set: (Entry & { at: number; order: number })[] = [];
  const paused = new Set<number>();
  let order = 0;
  let longestPeriodTicks = 0;
  const first = () =>
    set
      .filter(({ node }) => !paused.has(node))
      .toSorted((left, right) => left.at - right.at || left.order - right.order)[0];
  const remove = (node: number, timer: string | null) => {
    set = set.filter((each) => each.node !== node || (timer !== null && each.timer !== timer));
  };
  const add = (now: number, entry: Entry) => {
    remove(entry.node, entry.timer);
    set.push({ ...entry, at: now + entry.ticks, order });
    order += 1;
    if (entry.periodic) longestPeriodTicks = Math.max(longestPeriodTicks, entry.ticks);
  };
  return {
    oneShots: () => set.filter(({ periodic }) => !periodic).length,
    longestPeriodTicks: () => longestPeriodTicks,
    set: add,
    cancel: remove,
    cancelAll(node) {
      remove(node, null);
      paused.delete(node);
    },
    pause: (node) => paused.add(node),
    resume: (node) => paused.delete(node),
    jump(now, node, ticks) {
      const moved = set.filter((each) => each.node === node && each.at > now);
      moved.sort((left, right) => left.at - right.at || left.order - right.order);
      for (const each of moved) {
        each.at = Math.max(now, each.at - ticks);
        each.order = order;
        order += 1;
      }
    },
    earliest: () => first()?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const due = first();
      if (due === undefined || due.at > now) return null;
      remove(due.node, due.timer);
      if (due.periodic) add(now, due);
      return due;
    },
  };
}

const node = fc.integer({ min: 1, max: 3 });
const timer = fc.constantFrom('a', 'b', 'c');
const command = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant('set' as const),
      ...{ node, timer, ticks: fc.integer({ min: 1, max: 9 }), periodic: fc.boolean() },
    }),
  },
  { weight: 6, arbitrary: fc.record({ type: fc.constant('fire' as const) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('cancel' as const), node, timer }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('jump' as const),
      node,
      ticks: fc.integer({ min: -9, max: 9 }),
    }),
  },
  fc.record({
    type: fc.constantFrom('cancelAll' as const, 'pause' as const, 'resume' as const),
    node,
  }),
);

type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

/** Performs commands and returns all that can be seen of the timers. */
function performAll(timers: Timers, commands: readonly Command[]): unknown[] {
  const paused = new Set<number>();
  let now = 0;
  return commands.flatMap((each) => {
    if (each.type === 'set') timers.set(now, each);
    else if (each.type === 'jump') timers.jump(now, each.node, each.ticks);
    else if (each.type === 'cancel') timers.cancel(each.node, each.timer);
    else if (each.type === 'fire') {
      const at = timers.earliest();
      if (Number.isFinite(at)) now = Math.max(now, at);
      const due = timers.take(now);
      return [at, due && [due.node, due.timer], timers.oneShots(), timers.longestPeriodTicks()];
    } else {
      // A node pauses once until it resumes or crashes.
      const isPaused = paused.has(each.node);
      if (isPaused !== (each.type === 'resume') && each.type !== 'cancelAll') return [];
      if (each.type === 'pause') paused.add(each.node);
      else paused.delete(each.node);
      timers[each.type](each.node);
    }
    return [timers.oneShots()];
  });
}

describe('timers', () => {
  it('fire by tick, within a tick in the order they were set', () => {
    const timers = createTimers();
    set(timers, 0, 'late', 5);
    set(timers, 0, 'early', 3);
    set(timers, 2, 'also late', 3);

    expect(fireUntil(timers, 9)).toEqual(['3 early', '5 late', '5 also late']);
    expect(timers.earliest()).toBe(Number.POSITIVE_INFINITY);
  });

  it('of 0 ticks fire in the same tick, after those that were due', () => {
    const timers = createTimers();
    set(timers, 0, 'due', 4);
    set(timers, 4, 'now', 0);

    expect(fireUntil(timers, 4)).toEqual(['4 due', '4 now']);
  });

  it('are replaced when set again', () => {
    const timers = createTimers();
    set(timers, 0, 'answer', 3);
    set(timers, 1, 'answer', 7);

    expect(timers.oneShots()).toBe(1);
    expect(fireUntil(timers, 20)).toEqual(['8 answer']);
  });

  it('never fire once cancelled, alone or with all of their node', () => {
    const timers = createTimers();
    set(timers, 0, 'kept', 3);
    set(timers, 0, 'cancelled', 2);
    timers.set(0, { node: 2, timer: 'kept', ticks: 1, periodic: true });

    timers.cancel(1, 'cancelled');
    timers.cancel(1, 'never set');
    timers.cancelAll(2);

    expect(fireUntil(timers, 20)).toEqual(['3 kept']);
  });

  it('that are periodic fire until cancelled, and are no one-shots', () => {
    const timers = createTimers();
    set(timers, 0, 'beat', 4, true);

    expect(timers.oneShots()).toBe(0);
    expect(timers.longestPeriodTicks()).toBe(4);
    expect(fireUntil(timers, 12)).toEqual(['4 beat', '8 beat', '12 beat']);
    timers.cancel(1, 'beat');
    expect(fireUntil(timers, 20)).toEqual([]);
  });

  it.each([
    { ticks: -1, periodic: false },
    { ticks: 0.5, periodic: false },
    { ticks: Number.POSITIVE_INFINITY, periodic: false },
    { ticks: 0, periodic: true },
  ])('of $ticks ticks (periodic: $periodic) are refused', ({ ticks, periodic }) => {
    expect(() => set(createTimers(), 0, 'x', ticks, periodic)).toThrow(RangeError);
  });

  it('fire in the order of a sorted list, whatever is set', () => {
    const delays = fc.array(fc.nat(50), { maxLength: 200 });
    fc.assert(
      fc.property(delays, (ticks) => {
        const timers = createTimers();
        for (const [order, delay] of ticks.entries()) set(timers, 0, `${order}`, delay);

        const sorted = [...ticks.entries()].toSorted(([, left], [, right]) => left - right);

        expect(fireUntil(timers, 50)).toEqual(sorted.map(([order, delay]) => `${delay} ${order}`));
      }),
      { seed: 1979 },
    );
  });

  it('behave like one plain list, whatever is set again, cancelled, paused and fired', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 120 }), (commands) => {
        expect(performAll(createTimers(), commands)).toEqual(performAll(plainTimers(), commands));
      }),
      { seed: 1979, numRuns: 2000 },
    );
  });
});
