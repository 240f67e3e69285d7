/**
 * @module
 * Mining on threads gives what mining on one thread gives, whatever their number; budgets in seconds
 * and cancelling end it in time and leave no thread behind. `POOL_CPU_SECONDS` makes the budgets larger,
 * `THREADS=all` the tables.
 */

import { describe, expect, it } from 'vitest';
import { freshStrategy } from '../../../src/mining/noble-strategies.ts';
import type { SearchState } from '../../../src/mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../../src/mining/phases.ts';
import type { MiningProgress, MiningTask } from '../../../src/mining/search.ts';
import { mine } from '../../../src/mining/search.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { attemptsLedger, HIGHEST_ID, STOPPED_CLOCKS, taskWith } from '../../mining/tasks.ts';

import { threadCounts } from '../../mining/thread-counts.ts';
import { watchThreads } from './thread-watch.ts';

const CPU_SECONDS = Number(process.env.POOL_CPU_SECONDS ?? 0.6);
/** No ID is above the highest, so that only a budget or a cancel ends these. */
const ENDLESS = taskWith({ goal: { type: 'above', nodeId: HIGHEST_ID } });

describe('the number of threads changes neither identity nor attempts ledger', () => {
  const upperEighth = new Uint8Array(32).fill(0xdf);

  it.each([
    ['ed25519 with concat', 0, taskWith({ policy: { c1: 7, c2: 10 } })],
    [
      'secp256k1 with xor',
      1,
      taskWith({ scheme: 'secp256k1', seed: '4', policy: { c1: 6, c2: 10, dynamic: 'xor' } }),
    ],
    [
      'above an ID',
      2,
      taskWith({ policy: { c1: 4 }, goal: { type: 'above', nodeId: upperEighth } }),
    ],
  ])('%s', async (_name, row, task) => {
    const alone = mine(task, STOPPED_CLOCKS);
    expect(alone.found).toBe(true);

    for (const threads of threadCounts(row)) {
      const shared = await mineInThreads(task, { threads });

      expect(shared.identity, `${threads} threads`).toEqual(alone.identity);
      expect(shared.measured).toEqual(alone.measured);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
    }
  });

  it.each([
    ['attempts', taskWith({ policy: { c1: 7 }, budget: { attempts: 80 } }), 5],
    ['hashes, before a key', taskWith({ policy: { c1: 7 }, budget: { hashes: 161 } }), 2],
    ['hashes, before an X', taskWith({ policy: { c1: 7, c2: 12 }, budget: { hashes: 200 } }), 2],
  ])('where the budget ends first: %s', async (_name, task, threads) => {
    const alone = mine(task, STOPPED_CLOCKS);

    const shared = await mineInThreads(task, { threads });

    expect(alone).toMatchObject({ found: false, ending: 'attempts' });
    expect(shared).toMatchObject({ found: false, ending: 'attempts' });
    expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
  });
});

describe('the lowest winner', () => {
  it.each([2, 5])(
    'wins where each of %d threads finds one; the others are overshoot',
    async (n) => {
      const task = taskWith({ policy: { c1: 1 } });
      const { scan } = freshStrategy.searcher(task);
      // The first ranges hold 8 attempts each and all have a winner here. A thread that was loaded too
      // late gets none, so the overshoot is that of the first few others.
      const firsts = Array.from({ length: n }, (_, index) =>
        scan({ from: 8 * index, count: 8, wanted: 1 }),
      );
      expect(firsts.every(({ hits }) => hits.length === 1)).toBe(true);

      const { ledger } = await mineInThreads(task, { threads: n });

      const [lowest = 0, ...others] = firsts.map(({ tested }) => tested);
      expect(ledger.attempts).toBe(lowest);
      const sums = others.map((_, index) =>
        others.slice(0, index + 1).reduce((sum, tested) => sum + tested, 0),
      );
      expect([0, ...sums]).toContain(ledger.overshoot);
    },
  );
});

describe('overshoot', () => {
  it.each([1, 2])('on %d threads is what was tested beyond the winner', async (threads) => {
    const task = taskWith({ seed: '2', policy: { c1: 6 } });
    const seen: MiningProgress[] = [];

    const { ledger } = await mineInThreads(task, { threads, onProgress: (p) => seen.push(p) });

    expect(seen.at(-1)?.tested).toBe(ledger.attempts + ledger.overshoot);
    if (threads === 1) expect(ledger.overshoot).toBe(0);
  });
});

describe('progress', () => {
  it('of a stock says nothing of a puzzle, because none is tested', async () => {
    const task = taskWith({ strategy: 'stockpile', stockpile: 10_000, policy: { c1: 5 } });
    const seen: MiningProgress[] = [];

    await mineInThreads(task, { threads: 1, onProgress: (progress) => seen.push(progress) });

    const stock = seen.filter(({ phase }) => phase === 'stock');
    expect(stock.at(-1)?.tested).toBe(10_000);
    expect(stock.map(({ bestBits }) => bestBits)).toEqual(stock.map(() => -1));
  });

  it('rises to what the ledger says, phase by phase', async () => {
    const task = taskWith({ policy: { c1: 5, c2: 8 } });
    const seen: MiningProgress[] = [];

    const { ledger, measured } = await mineInThreads(task, {
      threads: 1,
      onProgress: (progress) => seen.push(progress),
    });

    const keys = seen.filter(({ phase }) => phase === 'keys');
    const solutions = seen.filter(({ phase }) => phase === 'solutions');
    expect(seen).toEqual([...keys, ...solutions]);
    expect(keys.at(-1)).toMatchObject({ tested: ledger.attempts, bestBits: measured?.c1 });
    expect(solutions.at(-1)?.tested).toBe(ledger.hashes - 2 * ledger.attempts);
    expect(solutions.at(-1)?.bestBits).toBe(measured?.c2);
    for (const [index, { tested, cpuSeconds, wallSeconds }] of keys.slice(1).entries()) {
      expect(tested).toBeGreaterThan(keys[index]?.tested ?? 0);
      // CPU time is brought up to date by the scheduler's tick, so a short range may take none.
      expect(cpuSeconds).toBeGreaterThanOrEqual(keys[index]?.cpuSeconds ?? 0);
      expect(wallSeconds).toBeGreaterThan(keys[index]?.wallSeconds ?? 0);
    }
  });
});

describe('a budget in seconds', () => {
  it.each([
    ['by noble', 'fresh'],
    ['by the kernel', 'siblings'],
  ] as const)(
    `over two threads ends at ${CPU_SECONDS}..+0.2 s of CPU: %s`,
    async (_name, strategy) => {
      const task = { ...ENDLESS, strategy, budget: { cpuSeconds: CPU_SECONDS } };

      const result = await mineInThreads(task, { threads: 2 });

      const { cpuSeconds, wallSeconds, attempts } = result.ledger;
      expect(result).toMatchObject({ found: false, ending: 'time' });
      expect(cpuSeconds).toBeGreaterThanOrEqual(CPU_SECONDS);
      expect(cpuSeconds).toBeLessThan(CPU_SECONDS + 0.2);
      expect(wallSeconds, 'no thread has two cores').toBeGreaterThan(cpuSeconds / 2);
      expect(attempts).toBeGreaterThan(0);
    },
  );

  it('of wall time ends with the attempts made till then', async () => {
    const task = { ...ENDLESS, budget: { wallSeconds: 0.3 } };

    const result = await mineInThreads(task, { threads: 2 });

    expect(result).toMatchObject({ found: false, ending: 'time', identity: null });
    expect(result.ledger.wallSeconds).toBeGreaterThanOrEqual(0.3);
  });

  it('ends the search for X as well', async () => {
    // The first key alone takes a tenth of a second on a slow machine.
    const task = taskWith({ policy: { c2: 256 }, budget: { cpuSeconds: 0.5 } });

    const result = await mineInThreads(task, { threads: 2 });

    expect(result).toMatchObject({ found: false, ending: 'time', ledger: { attempts: 1 } });
    expect(result.ledger.hashes).toBeGreaterThan(1);
  });

  it('does not spoil an answer that was found within it', async () => {
    const task = taskWith({ policy: { c1: 4 }, budget: { cpuSeconds: 60, wallSeconds: 60 } });

    const result = await mineInThreads(task, { threads: 2 });

    expect(result).toMatchObject({ found: true, ending: 'found' });
  });
});

describe('an end before the threads are loaded', () => {
  it('by wall time comes as soon as one is', async () => {
    const result = await mineInThreads(
      { ...ENDLESS, budget: { wallSeconds: 0.001 } },
      { threads: 2 },
    );

    expect(result).toMatchObject({ found: false, ending: 'time', ledger: { attempts: 0 } });
  });

  it('by cancelling comes as soon as one is', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);

    const result = await mineInThreads(ENDLESS, { threads: 2, signal: controller.signal });

    expect(result.ending).toBe('cancelled');
  });
});

describe('cancelling', () => {
  it('before the start tests nothing', async () => {
    const result = await mineInThreads(ENDLESS, { threads: 2, signal: AbortSignal.abort() });

    expect(result).toMatchObject({ found: false, ending: 'cancelled', ledger: { attempts: 0 } });
  });

  it.each([
    ['for a key', ENDLESS, 'keys'],
    ['for a key by the kernel', { ...ENDLESS, strategy: 'siblings' }, 'keys'],
    ['for an X', taskWith({ policy: { c2: 256 } }), 'solutions'],
  ] as const)('in the midst of the search %s ends it at once', async (_name, task, phase) => {
    const seen = await cancelAfter(task, 300, phase);

    expect(seen.result).toMatchObject({ found: false, ending: 'cancelled', identity: null });
    expect(seen.result.ledger.attempts).toBeGreaterThan(0);
    expect(seen.secondsToEnd).toBeLessThan(1);
  });

  it('while a stock is made ends it at once, and leaves what was begun as it was', async () => {
    const task = taskWith({ strategy: 'stockpile', stockpile: 2 ** 36, policy: { c1: 4 } });
    const begun = { ...SEARCH_NOT_BEGUN, keys: { tested: 7, winners: [3] }, cpuSeconds: 5 };

    const { result, secondsToEnd, states } = await cancelAfter(task, 300, 'stock', begun);

    expect(result).toMatchObject({ found: false, ending: 'cancelled', identity: null });
    expect(result.state).toEqual(begun);
    expect(result.ledger).toMatchObject({ attempts: 7, cpuSeconds: 5 });
    expect(new Set(states)).toEqual(new Set([begun]));
    expect(secondsToEnd).toBeLessThan(1);
  });

  it('before a stock is begun makes no key of it', async () => {
    const task = taskWith({ strategy: 'stockpile', stockpile: 2 ** 36, policy: { c1: 4 } });

    const result = await mineInThreads(task, { threads: 2, signal: AbortSignal.abort() });

    expect(result).toMatchObject({ found: false, ending: 'cancelled', ledger: { attempts: 0 } });
  });

  it('leaves no thread', async () => {
    const { running } = watchThreads();
    const controller = new AbortController();
    let runningThen = 0;

    await mineInThreads(ENDLESS, {
      threads: 2,
      signal: controller.signal,
      onProgress: () => {
        runningThen = running();
        controller.abort();
      },
    });

    expect(runningThen).toBe(2);
    expect(running()).toBe(0);
  });
});

describe('what breaks a thread', () => {
  it('rejects and leaves no thread', async () => {
    const { started, running } = watchThreads();
    // @ts-expect-error: no type lets this in; a bug elsewhere would be needed.
    const broken: MiningTask = { ...taskWith(), scheme: 'dsa' };

    await expect(mineInThreads(broken, { threads: 2 })).rejects.toThrow(
      '"scheme" expected one of ed25519, secp256k1, got dsa',
    );

    expect([started(), running()]).toEqual([2, 0]);
  });

  it('is what the listener of progress throws, too', async () => {
    const { started, running } = watchThreads();
    const onProgress = () => {
      throw new TypeError('no terminal');
    };

    await expect(mineInThreads(ENDLESS, { threads: 2, onProgress })).rejects.toThrow(
      new TypeError('no terminal'),
    );

    expect([started(), running()]).toEqual([2, 0]);
  });
});

/** Cancels when a phase has tested this number of candidates. Returns how long the end took. */
async function cancelAfter(
  task: MiningTask,
  tested: number,
  phase: MiningProgress['phase'],
  begun?: SearchState,
) {
  const controller = new AbortController();
  const states: SearchState[] = [];
  let cancelled = 0;
  const result = await mineInThreads(task, {
    threads: 2,
    begun,
    signal: controller.signal,
    onProgress: (progress) => {
      states.push(progress.state());
      if (controller.signal.aborted || progress.phase !== phase || progress.tested < tested) return;
      cancelled = performance.now();
      controller.abort();
    },
  });
  return { result, states, secondsToEnd: (performance.now() - cancelled) / 1e3 };
}
