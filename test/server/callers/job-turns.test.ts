/**
 * @module
 * The turns of callers: a class can submit at once, and a long job of one does not delay the short ones of
 * the others until its end.
 */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { CallerBudgets, SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { parseTokens } from '../../../server/callers/tokens.ts';
import type { QueuedJob } from '../../../server/jobs/job-queue.ts';
import { JOBS_BEGUN_MAX, JobQueue } from '../../../server/jobs/job-queue.ts';
import { JobStore } from '../../../server/jobs/job-store.ts';
import { parseRunRequest, RUN, runInThreads } from '../../../server/jobs/run.ts';
import { SERVER } from '../../../server/request/principal.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { stagedRuns } from '../jobs/staged-runs.ts';
import { principalOf } from '../principals.ts';

const TURN_MS = 10;

/** A queue whose jobs end when the test says so, and what they did in order. */
function staged({
  canPause = true,
  turnMs = TURN_MS,
  budgets,
}: {
  readonly canPause?: boolean;
  readonly turnMs?: number;
  readonly budgets?: CallerBudgets;
} = {}) {
  const queue = new JobQueue({ concurrent: 1, turnMs, ...(budgets && { budgets }) });
  const log: string[] = [];
  const enqueue = (caller: string, name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const note = (what: string) => void log.push(`${name} ${what}`);
    const job: QueuedJob = {
      ...{ caller, canPause, remainingMs: () => 1000 },
      start: () => {
        note('begins');
        return promise;
      },
      ...{ stop: resolve, pause: () => note('pauses'), goOn: () => note('goes on') },
    };
    queue.enqueue(job);
    return async () => {
      note('ends');
      resolve();
      await setTimeout(0);
    };
  };
  return { queue, log, enqueue };
}

describe('a job of one caller', () => {
  it('gives way to the job of another after its turn, and goes on after it', async () => {
    const { queue, log, enqueue } = staged({ turnMs: 300 });
    const endLong = enqueue('a', 'long');
    enqueue('a', 'next');
    const endShort = enqueue('b', 'short');

    await expect.poll(() => log.at(-1)).toBe('short begins');
    await endShort();
    await endLong();

    expect(log).toEqual([
      ...['long begins', 'long pauses', 'short begins', 'short ends'],
      ...['long goes on', 'long ends', 'next begins'],
    ]);
    await queue.close();
  });

  it('gives way at once to a caller that comes after its turn', async () => {
    const { queue, log, enqueue } = staged();
    enqueue('a', 'long');
    await setTimeout(2 * TURN_MS);

    enqueue('b', 'short');

    expect(log).toEqual(['long begins', 'long pauses', 'short begins']);
    await queue.close();
  });

  it('takes turns with the long job of another', async () => {
    const { queue, log, enqueue } = staged();
    enqueue('a', 'one');
    enqueue('b', 'other');

    await expect.poll(() => log.length).toBeGreaterThan(7);

    expect(log.slice(0, 8)).toEqual([
      ...['one begins', 'one pauses', 'other begins', 'other pauses'],
      ...['one goes on', 'one pauses', 'other goes on', 'other pauses'],
    ]);
    await queue.close();
  });

  it('does not give way to the other jobs of its caller, or if it measures time', async () => {
    const same = staged();
    same.enqueue('a', 'one');
    same.enqueue('a', 'other');
    const measuring = staged({ canPause: false });
    measuring.enqueue('a', 'one');
    measuring.enqueue('b', 'other');

    await setTimeout(5 * TURN_MS);

    expect(same.log).toEqual(['one begins']);
    expect(measuring.log).toEqual(['one begins']);
    await Promise.all([same.queue.close(), measuring.queue.close()]);
  });

  it('waits for the end of another if too many have begun', async () => {
    const { queue, log, enqueue } = staged();
    const callers = Array.from({ length: JOBS_BEGUN_MAX + 2 }, (_, index) => `caller ${index}`);
    const ends = callers.map((caller) => enqueue(caller, caller));
    const begun = () => log.filter((line) => line.endsWith('begins')).length;
    await expect.poll(begun).toBe(JOBS_BEGUN_MAX);
    await setTimeout(5 * TURN_MS);
    expect(begun()).toBe(JOBS_BEGUN_MAX);
    expect(queue).toMatchObject({ executing: 1, waiting: 2 });

    await ends[0]?.();

    await expect.poll(begun).toBe(JOBS_BEGUN_MAX + 1);
    await queue.close();
  });

  it('pays for its own turns only', async () => {
    let nowMs = 0;
    const budgets = new CallerBudgets({ ...SHARED_LIMITS, cpuSecondsPerHour: 25 }, () => nowMs, 2);
    const { queue, enqueue } = staged({ budgets, turnMs: 10_000 });
    const endLong = enqueue('a', 'long');
    nowMs = 10_000;
    const endShort = enqueue('b', 'short');
    nowMs = 40_000;
    await endShort();
    expect(budgets.owesCpu('a')).toBe(false);
    expect(budgets.owesCpu('b')).toBe(true);
    nowMs = 70_000;
    await endLong();

    expect(budgets.owesCpu('a')).toBe(true);
    await queue.close();
  });

  it('is stopped with the queue while it stands still', async () => {
    const { queue, log, enqueue } = staged();
    enqueue('a', 'long');
    enqueue('b', 'other');
    await expect.poll(() => log.length).toBeGreaterThan(2);

    await queue.close();

    expect(queue).toMatchObject({ executing: 0, waiting: 0 });
  });
});

describe('a class of forty', () => {
  it('can submit a run each at the same time', async () => {
    const lines = Array.from(
      { length: 40 },
      (_, index) => `student s${index} ${`${index}`.padStart(2, '0')}-0123456789abcdef`,
    );
    const { call } = stagedRuns({ tokens: parseTokens(lines.join('\n'), 'tokens') });

    const answers = await Promise.all(
      lines.map((line) =>
        call('POST', '/v1/runs', {
          body: JSON.stringify({ threatModel: 'top-id', runs: 50 }),
          headers: {
            'Content-Type': 'application/json',
            Authorization: `Bearer ${line.split(' ')[2]}`,
          },
        }),
      ),
    );

    expect(answers.map(({ status }) => status)).toEqual(lines.map(() => 202));
  });
});

/** Threads start slowly on a busy machine. */
const PATIENT = { timeout: 60_000 };

describe('real runs', () => {
  it('stand still for the runs of another caller, and end with the same report', async () => {
    const queue = new JobQueue({ concurrent: 1, turnMs: 1000 });
    const nowMs = () => performance.now();
    const store = new JobStore(RUN, runInThreads(1), { queue, nowMs, onFault: () => undefined });
    const models = await readCatalogue();
    const submit = (caller: string, runs: number) => {
      const body = { threatModel: 'top-id', runs, seed: '1', set: { work: 'sampled' } };
      return store.submit(parseRunRequest(body, models), principalOf(caller)).id;
    };
    const now = (id: string) => store.get(id, SERVER);

    const long = submit('a', 10_000_000);
    await expect.poll(() => now(long).progress, PATIENT).toBeGreaterThan(0);
    const short = submit('b', 50);
    await expect.poll(() => now(short).state.status, PATIENT).toBe('done');
    const { progress } = now(long);
    expect(now(long).state.status).toBe('running');
    await expect.poll(() => now(long).progress, PATIENT).toBeGreaterThan(progress);
    store.cancel(long, SERVER);
    await expect.poll(() => now(long).state.status, PATIENT).toBe('cancelled');

    expect(now(long).state.result?.elections.held).toBeGreaterThan(0);
    await queue.close();
  }, 240_000);
});
