/**
 * @module
 * The pool of threads by itself, with threads that only echo or break: every number is handed out
 * once, and a thread that dies fails the pull instead of hanging it.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { Range, RangePlan } from '../../../src/runtime/threads/range-pool.ts';
import { RangePool, THREADS_MAX } from '../../../src/runtime/threads/range-pool.ts';

import { watchThreads } from './thread-watch.ts';

/** What a thread does with an order; `port` and `data` are its parent's port and data. */
const ECHO = scriptOf('port.on("message", (range) => port.postMessage(range))');
const THROWING = scriptOf('port.on("message", () => { throw new Error("broken") })');
const LEAVING = scriptOf('port.on("message", () => process.exit(3))');

const pools: RangePool[] = [];

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

describe('a pull', () => {
  it.each([1, 2, 5])('on %d threads hands out every number once', async (threads) => {
    const pool = poolOf(ECHO, threads);
    const seen: Range[] = [];

    const handedOut = await pool.pull(
      planOf({ end: () => 100, rangeCount: () => 7, accept: (range) => seen.push(range) }),
    );

    expect(handedOut).toBe(100);
    expect(numbersOf(seen)).toEqual(Array.from({ length: 100 }, (_, number) => number));
  });

  it('cuts the last range at the end', async () => {
    const pool = poolOf(ECHO, 2);
    const seen: Range[] = [];

    await pool.pull(planOf({ end: () => 10, rangeCount: () => 8, accept: (r) => seen.push(r) }));

    expect(seen.toSorted((a, b) => a.from - b.from)).toEqual([
      { from: 0, count: 8 },
      { from: 8, count: 2 },
    ]);
  });

  it('asks for the size of every range again', async () => {
    const pool = poolOf(ECHO, 1);
    const seen: Range[] = [];
    let count = 0;

    await pool.pull(
      planOf({ end: () => 10, rangeCount: () => ++count, accept: (r) => seen.push(r) }),
    );

    expect(seen.map((range) => range.count)).toEqual([1, 2, 3, 4]);
  });

  it('gives the report with the range that it is of', async () => {
    const pool = poolOf(ECHO, 5);
    const pairs: [object, Range][] = [];

    await pool.pull(
      planOf({ end: () => 50, accept: (report, range) => pairs.push([report, range]) }),
    );

    expect(pairs).toHaveLength(50);
    for (const [report, range] of pairs) expect(report).toEqual(range);
  });

  it.each([
    ['an end at 0', planOf({ end: () => 0 })],
    ['a plan that is stopped', planOf({ end: () => 10, isStopped: () => true })],
  ])('of %s hands out nothing', async (_name, plan) => {
    const pool = poolOf(ECHO, 2);

    expect(await pool.pull(plan)).toBe(0);
  });

  it('hands out nothing beyond an end that falls', async () => {
    const pool = poolOf(ECHO, 2);
    let end = Number.POSITIVE_INFINITY;
    const late: Range[] = [];

    await pool.pull(
      planOf({
        end: () => end,
        order: (range) => {
          if (end === 10) late.push(range);
          return range;
        },
        accept: ({ from }) => {
          if (from === 20) end = 10;
        },
      }),
    );

    expect(end).toBe(10);
    expect(late).toEqual([]);
  });

  it('waits for the ranges that are out when it is stopped', async () => {
    const pool = poolOf(ECHO, 3);
    const seen: Range[] = [];

    const handedOut = await pool.pull(
      planOf({
        end: () => Number.POSITIVE_INFINITY,
        isStopped: () => seen.length >= 10,
        accept: (range) => seen.push(range),
      }),
    );

    expect(numbersOf(seen)).toEqual(Array.from({ length: handedOut }, (_, number) => number));
  });

  it('can follow another on the same threads', async () => {
    const pool = poolOf(ECHO, 2);
    const first: Range[] = [];
    const second: Range[] = [];

    await pool.pull(planOf({ end: () => 9, accept: (range) => first.push(range) }));
    await pool.pull(planOf({ end: () => 5, accept: (range) => second.push(range) }));

    expect([numbersOf(first).length, numbersOf(second).length]).toEqual([9, 5]);
  });
});

describe('a pull fails', () => {
  it('when a thread throws', async () => {
    const pool = poolOf(THROWING, 2);

    await expect(pool.pull(planOf({ end: () => 10 }))).rejects.toThrow('broken');
  });

  it('when a thread ends by itself', async () => {
    const pool = poolOf(LEAVING, 2);

    await expect(pool.pull(planOf({ end: () => 10 }))).rejects.toThrow(
      'a worker thread ended by itself with code 3',
    );
  });

  it('when there is no such script', async () => {
    const pool = poolOf(new URL('./no-such-worker.ts', import.meta.url), 2);

    await expect(pool.pull(planOf({ end: () => 10 }))).rejects.toThrow('no-such-worker.ts');
  });

  it('when the plan refuses a report', async () => {
    const pool = poolOf(ECHO, 2);
    const refuse = () => {
      throw new TypeError('not a report');
    };

    await expect(pool.pull(planOf({ end: () => 10, accept: refuse }))).rejects.toThrow(
      new TypeError('not a report'),
    );
  });

  it('once, however many threads die of the same cause', async () => {
    const dead = new Int32Array(new SharedArrayBuffer(4));
    const ordered = new Int32Array(new SharedArrayBuffer(4));
    // The first to have an order waits for the second, so that both deaths are near each other.
    const dying = scriptOf(`
      process.on('exit', () => { Atomics.add(data.dead, 0, 1); Atomics.notify(data.dead, 0); });
      port.on('message', () => {
        Atomics.add(data.ordered, 0, 1);
        while (Atomics.load(data.ordered, 0) < 2) Atomics.wait(data.ordered, 0, 1, 5);
        throw new Error('broken');
      });`);
    const pool = poolOf(dying, 3, { dead, ordered });

    const pulling = pool.pull(planOf({ end: () => 10 }));

    // A death without a listener would end the test run.
    await expect(pulling).rejects.toThrow('broken');
    Atomics.wait(dead, 0, 1, 5000);
    expect(Atomics.load(dead, 0)).toBeGreaterThanOrEqual(2);
    await pool.close();
  });

  it('when a thread died before it', async () => {
    const pool = poolOf(THROWING, 1);
    await expect(pool.pull(planOf({ end: () => 10 }))).rejects.toThrow('broken');

    await expect(pool.pull(planOf({ end: () => 10 }))).rejects.toThrow('broken');
  });
});

describe('closing', () => {
  it('a pool that was never used is no failure', async () => {
    const { started, running } = watchThreads();
    const pool = new RangePool(ECHO, { threads: 2, workerData: {} });

    await pool.close();

    // An unhandled rejection would fail the test run.
    expect([started(), running()]).toEqual([2, 0]);
  });

  it('in the midst of a pull fails the pull and ends every thread', async () => {
    const { running } = watchThreads();
    const pool = poolOf(scriptOf('port.on("message", () => { for (;;); })'), 2);
    const pulling = pool.pull(planOf({ end: () => 10 }));

    await Promise.all([pool.close(), expect(pulling).rejects.toThrow('ended by itself')]);

    expect(running()).toBe(0);
  });
});

describe('the number of threads', () => {
  it.each([0, -1, 1.5, THREADS_MAX + 1, Number.NaN])('is not %d', (threads) => {
    expect(() => new RangePool(ECHO, { threads, workerData: {} })).toThrow(
      new RangeError(`"threads" expected 1..${THREADS_MAX}, got ${threads}`),
    );
  });
});

function poolOf(script: URL, threads: number, workerData: object = {}): RangePool {
  const pool = new RangePool(script, { threads, workerData });
  pools.push(pool);
  return pool;
}

function planOf(changes: Partial<RangePlan<Range>> & { end(): number }): RangePlan<Range> {
  return {
    rangeCount: () => 1,
    isStopped: () => false,
    order: (range) => range,
    accept: () => {},
    ...changes,
  };
}

function scriptOf(body: string): URL {
  const head =
    'import process from "node:process";' +
    'import { parentPort as port, workerData as given } from "node:worker_threads"; const { data } = given;';
  return new URL(
    `data:text/javascript,${encodeURIComponent(`${head}${body};port.postMessage("ready")`)}`,
  );
}

/** All numbers of some ranges, ascending. */
function numbersOf(ranges: readonly Range[]): number[] {
  return ranges
    .flatMap(({ from, count }) => Array.from({ length: count }, (_, index) => from + index))
    .sort((a, b) => a - b);
}
