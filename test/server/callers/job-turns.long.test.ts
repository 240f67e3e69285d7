/**
 * @module
 * The turns of callers: a class can submit at once, and a long job of one does not delay the short ones of
 * the others until its end.
 */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import { CallerBudgets, SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { parseTokens } from '../../../server/callers/tokens.ts';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import type { QueuedJob } from '../../../server/jobs/job-queue.ts';
import { JOBS_BEGUN_MAX, JobQueue } from '../../../server/jobs/job-queue.ts';
import { JobStore } from '../../../server/jobs/job-store.ts';
import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import {
  OPERATION_KINDS,
  operationInThreads,
  parseOperation,
} from '../../../server/jobs/operations/operation-job.ts';
import { SERVER } from '../../../server/request/principal.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { readCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { stagedRuns } from '../jobs/staged-runs.ts';
import { principalOf } from '../principals.ts';

const TURN_MS = 10;

/** Threads start slowly on a busy machine. */
const PATIENT = { timeout: 60_000 };

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
    let { promise, resolve } = Promise.withResolvers<boolean>();
    const begun = Promise.withResolvers<void>();
    const note = (what: string) => void log.push(`${name} ${what}`);
    const job: QueuedJob = {
      ...{ caller, canPause, remainingMs: () => 1000 },
      start: () => {
        note('begins');
        begun.resolve();
        return promise;
      },
      ...{ stop: () => resolve(true), pause: () => note('pauses'), goOn: () => note('goes on') },
      giveUp: () => {
        note('gives up');
        resolve(false);
        ({ promise, resolve } = Promise.withResolvers<boolean>());
      },
    };
    queue.enqueue(job);
    const end = async () => {
      note('ends');
      resolve(true);
      await setTimeout(0);
    };
    return Object.assign(end, { begun: begun.promise });
  };
  return { queue, log, enqueue };
}

describe('a job of one caller', () => {
  it('gives way to the job of another after its turn, and goes on after it', async () => {
    const { queue, log, enqueue } = staged({ turnMs: 300 });
    const endLong = enqueue('a', 'long');
    enqueue('a', 'next');
    const endShort = enqueue('b', 'short');

    // At once, because its turn is short.
    await endShort.begun;
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

  it('has one turn if too many have begun, and then waits for the end of another', async () => {
    const { queue, log, enqueue } = staged();
    const callers = Array.from({ length: JOBS_BEGUN_MAX + 2 }, (_, index) => `caller ${index}`);
    const ends = callers.map((caller) => enqueue(caller, caller));
    const count = (what: string) => log.filter((line) => line.endsWith(what)).length;
    await expect.poll(() => count('gives up')).toBe(2);
    await setTimeout(5 * TURN_MS);
    expect([count('begins'), count('gives up')]).toEqual([JOBS_BEGUN_MAX + 2, 2]);
    expect(queue).toMatchObject({ executing: 1, waiting: 2 });

    await ends[0]?.();

    await expect.poll(() => count('begins')).toBe(JOBS_BEGUN_MAX + 3);
    await setTimeout(5 * TURN_MS);
    expect(count('gives up')).toBe(2);
    await queue.close();
    expect(queue).toMatchObject({ executing: 0, waiting: 0 });
  });

  it('waits for at most one turn of each caller before it, however long their jobs are', async () => {
    const { queue, log, enqueue } = staged({ turnMs: 200 });
    const longs = Array.from({ length: JOBS_BEGUN_MAX }, (_, index) => `long ${index}`);
    for (const caller of longs) enqueue(caller, caller);
    const begun = () => log.filter((line) => line.endsWith('begins')).length;
    await expect.poll(begun, PATIENT).toBe(JOBS_BEGUN_MAX);
    const before = log.length;
    const endShort = enqueue('new', 'short');

    await endShort.begun;
    await endShort();

    const turns = log.slice(before, log.indexOf('short begins'));
    expect(turns.filter((line) => line.endsWith('pauses')).length).toBeLessThanOrEqual(
      JOBS_BEGUN_MAX,
    );
    expect(log).not.toContain('short gives up');
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

/** The kind of the operation `run`. */
function runKind() {
  const kind = OPERATION_KINDS.find(({ name }) => name === 'run');
  if (kind === undefined) throw new TypeError('"kind" expected run, got none');
  return kind;
}

describe('a job that has lost its turn', () => {
  it('is queued without progress, begins again, and can be cancelled', async () => {
    const queue = new JobQueue({ concurrent: 1, turnMs: TURN_MS });
    const executions: { readonly signal: AbortSignal; readonly end: () => void }[] = [];
    const execute: Execute<OperationJob> = (_request, { signal, onProgress }) => {
      const { promise, resolve, reject } = Promise.withResolvers<RunReport>();
      signal.addEventListener('abort', () => reject(signal.reason));
      // No member of a report is read here.
      executions.push({ signal, end: () => resolve({} as RunReport) });
      onProgress({ now: 'runs', done: 1, total: 50 });
      return promise;
    };
    const store = new JobStore(runKind(), execute, {
      queue,
      nowMs: () => 0,
      onFault: () => undefined,
    });
    const models = { threatModels: await readCatalogue(), papers: [] };
    const ids = Array.from({ length: JOBS_BEGUN_MAX + 2 }, (_, index) => {
      const request = parseOperation('run', { threatModel: 'top-id', set: [] }, models);
      return store.submit(request, principalOf(`caller ${index}`)).id;
    });
    const last = (index: number) => store.get(String(ids.at(index)), SERVER);
    await expect.poll(() => executions.filter(({ signal }) => signal.aborted).length).toBe(2);

    await expect
      .poll(() => last(-1))
      .toMatchObject({ state: { status: 'queued' }, progress: { done: 0 } });
    store.cancel(last(-1).id, SERVER);
    executions[0]?.end();

    await expect.poll(() => last(-2).state.status).toBe('running');
    expect(last(-1).state.status).toBe('cancelled');
    executions.at(-1)?.end();
    await expect.poll(() => last(-2).state.status).toBe('done');
    await queue.close();
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

describe('real runs', () => {
  it('stand still for the runs of another caller, and end with the same report', async () => {
    const queue = new JobQueue({ concurrent: 1, turnMs: 1000 });
    const nowMs = () => performance.now();
    const store = new JobStore(runKind(), operationInThreads(1), {
      queue,
      nowMs,
      onFault: () => undefined,
    });
    const models = { threatModels: await readCatalogue(), papers: [] };
    const submit = (caller: string, runs: number) => {
      const body = { threatModel: 'top-id', runs, seed: '1', set: ['work=sampled'] };
      return store.submit(parseOperation('run', body, models), principalOf(caller)).id;
    };
    const now = (id: string) => store.get(id, SERVER);

    const long = submit('a', 10_000_000);
    await expect.poll(() => now(long).progress.done, PATIENT).toBeGreaterThan(0);
    const short = submit('b', 50);
    await expect.poll(() => now(short).state.status, PATIENT).toBe('done');
    const { done } = now(long).progress;
    expect(now(long).state.status).toBe('running');
    await expect.poll(() => now(long).progress.done, PATIENT).toBeGreaterThan(done);
    store.cancel(long, SERVER);
    await expect.poll(() => now(long).state.status, PATIENT).toBe('cancelled');

    const result = now(long).state.result as RunReport | null; // The output of this operation.
    expect(result?.elections.held).toBeGreaterThan(0);
    await queue.close();
  }, 240_000);
});
