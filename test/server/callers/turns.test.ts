/**
 * @module
 * Turns on the thread that answers: their order, their length, and paused callers.
 */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Lane } from '../../../server/callers/work-turns.ts';
import { PAUSE_MS_MAX, TURN_MS, WorkTurns } from '../../../server/callers/work-turns.ts';
import { principalOf } from '../principals.ts';

/** Turns with a clock that the slices advance, and a record of every slice with its turn of the event loop. */
function staged(sliceMs: number) {
  const clock = { ms: 0 };
  const turns = new WorkTurns(() => clock.ms);
  const done: string[] = [];
  /** Number of slices in each turn of the event loop. */
  const together: number[] = [];
  let isFresh = true;
  const note = (what: string) => {
    clock.ms += sliceMs;
    done.push(what);
    if (isFresh) together.push(0);
    together[together.length - 1] = (together.at(-1) ?? 0) + 1;
    if (isFresh) void setImmediate().then(() => (isFresh = true));
    isFresh = false;
  };
  const work = (caller: string, slices: number, lane: Lane = 'act', waitMs = () => 0) =>
    repeat(slices, async () => {
      await turns.take(lane, principalOf(caller, { waitMs }));
      note(caller);
    });
  return { clock, turns, done, together, work };
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let count = 0; count < times; count += 1) await work();
}

describe('turns on the thread that answers', () => {
  it('are one long slice in each turn of the event loop, however many elections wait', async () => {
    const { together, work, turns } = staged(TURN_MS);

    await Promise.all(Array.from({ length: 40 }, () => work('one', 3)));

    expect(together).toEqual(Array(120).fill(1));
    expect(turns.waiting).toBe(0);
  });

  it('are several short slices', async () => {
    const { together, work } = staged(TURN_MS / 4);

    await Promise.all(Array.from({ length: 10 }, () => work('one', 4)));

    expect(Math.max(...together)).toBe(4);
    expect(together).toHaveLength(10);
  });

  it('alternate between callers, however much work one of them has', async () => {
    const { done, work } = staged(TURN_MS);
    const flood = Array.from({ length: 30 }, () => work('flooder', 2));
    await setImmediate();

    await work('other', 5);
    const meanwhile = done.length;
    await Promise.all(flood);

    expect(meanwhile).toBeLessThanOrEqual(12);
    expect(done).toHaveLength(65);
  });

  it('let the election of a caller advance while many streams replay it', async () => {
    const { done, work } = staged(TURN_MS);
    const listeners = Array.from({ length: 30 }, () => work('one', 2, 'replay'));

    await work('one', 5);
    const meanwhile = done.length;
    await Promise.all(listeners);

    expect(meanwhile).toBeLessThanOrEqual(12);
  });
});

describe('a caller whose time is used up', () => {
  it('pauses until it has time again, and no other caller pauses', async () => {
    const { clock, done, work } = staged(TURN_MS);
    let debtMs = 100;
    const poor = work('poor', 2, 'act', () => debtMs);

    await work('rich', 20);
    const before = [...done];
    debtMs = 0;
    await poor;

    expect(before).toEqual(Array(20).fill('rich'));
    expect(done.slice(20)).toEqual(['poor', 'poor']);
    expect(clock.ms).toBeLessThan(PAUSE_MS_MAX);
  });

  it('has one slice in each longest pause, and not one for each waiting action', async () => {
    const { clock, done, work } = staged(0);
    const poor = Array.from({ length: 3 }, () => work('poor', 1, 'act', () => 1e9));
    await setImmediate();

    const counts = [];
    for (let look = 0; look < 3; look += 1) {
      clock.ms += PAUSE_MS_MAX;
      await work('rich', 2);
      counts.push(done.filter((caller) => caller === 'poor').length);
    }
    await Promise.all(poor);

    expect(counts).toEqual([1, 2, 3]);
  });

  it('is still sent its answers', async () => {
    const { done, work } = staged(0);

    await work('poor', 1, 'send', () => 1e9);

    expect(done).toEqual(['poor']);
  });
});
