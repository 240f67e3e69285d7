/**
 * @module
 * Jobs after a restart: finished ones have their results, others are interrupted, none is lost or doubled.
 */

import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { FIRST_EVENT_AFTER_RESTART } from '../../../server/jobs/job-feed.ts';
import type { JobSnapshot } from '../../../server/jobs/job-kind.ts';
import { JobQueue } from '../../../server/jobs/job-queue.ts';
import { JobStore } from '../../../server/jobs/job-store.ts';
import { SERVER } from '../../../server/request/principal.ts';
import type { ServerFault } from '../../../server/request/refusals.ts';
import { OverloadError } from '../../../server/request/refusals.ts';
import { LabError } from '../../../src/errors.ts';
import { scratchFolder } from '../../cli/shell.ts';
import { principalOf } from '../principals.ts';
import type { Logs } from '../store/store-files.ts';
import { copyOf, firstOf, openLogs } from '../store/store-files.ts';

const REFUSAL = new LabError('job.memory', 'too large', [{ pointer: '/runs', detail: 'fewer' }]);

interface StagedJob {
  readonly request: string;
  readonly progress: number;
  readonly result: Uint8Array;
}

/** Executes a request: a result, a failure, or a wait until it is cancelled. */
async function carryOut(
  request: string,
  { onProgress, signal }: { onProgress(done: number): void; signal: AbortSignal },
): Promise<Uint8Array> {
  onProgress(7);
  if (request === 'fail') throw REFUSAL;
  if (request !== 'wait') return new TextEncoder().encode(request);
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  return new Uint8Array([1]);
}

function jobsOver(logs: Logs, keptMax = 10) {
  const faults: ServerFault[] = [];
  const queue = new JobQueue({ concurrent: 1 });
  const store = new JobStore<StagedJob>(
    {
      ...{ letter: 'r', name: 'run', plural: 'runs', keptMax, begun: 0 },
      remainingMs: () => 1000,
    },
    carryOut,
    { queue, onFault: (fault) => void faults.push(fault), nowMs: () => 0, logOf: () => logs.jobs },
  );
  return { queue, store, faults };
}

function scratchLogs(): Logs {
  return openLogs(join(scratchFolder(), 'lab.sqlite'));
}

/** The jobs after the server is killed now. */
function afterKill(logs: Logs, keptMax?: number) {
  const copy = openLogs(copyOf(logs.file.path));
  const jobs = jobsOver(copy, keptMax);
  jobs.store.restore();
  return { ...jobs, logs: copy };
}

const brief = ({ id, request, state }: JobSnapshot<StagedJob>) => ({
  ...{ id, request },
  status: state.status,
});

describe('jobs after a kill', () => {
  it('are all restored: results are complete, and unfinished jobs are interrupted', async () => {
    const logs = scratchLogs();
    const { store } = jobsOver(logs);
    for (const request of ['one', 'fail', 'two']) store.submit(request, principalOf('a'));
    await setImmediate();
    const cancelled = store.submit('wait', principalOf('a'));
    store.cancel(cancelled.id, SERVER);
    await setImmediate();
    for (const request of ['wait', 'three']) store.submit(request, principalOf('b'));
    const before = store.list(SERVER);

    const { store: after, logs: copy } = afterKill(logs);

    const statusOf = (status: string) =>
      ['queued', 'running'].includes(status) ? 'interrupted' : status;
    expect(before.map(({ state }) => state.status)).toEqual([
      ...['done', 'failed', 'done', 'cancelled', 'running', 'queued'],
    ]);
    expect(after.list(SERVER).map(brief)).toEqual(
      before.map(brief).map((job) => ({ ...job, status: statusOf(job.status) })),
    );
    expect(after.list(SERVER).slice(0, 4)).toEqual(before.slice(0, 4));
    expect(after.list(SERVER)[5]?.state).toMatchObject({ error: { code: 'job.interrupted' } });
    copy.file.close();
    logs.file.close();
  });

  it('number their events from a number that no caller has seen, the same after every restart', async () => {
    const logs = scratchLogs();
    const { store } = jobsOver(logs);
    const [running, queued] = [
      store.submit('wait', principalOf('a')),
      store.submit('wait', principalOf('a')),
    ];
    const seen = [running, queued].map(({ id }) => store.feed(id, SERVER).last);

    const { store: after, logs: second } = afterKill(logs);
    const { store: third, logs: last } = afterKill(second);

    const feeds = [running, queued].map(({ id }) => after.feed(id, SERVER));
    expect(Math.max(...seen)).toBeLessThan(FIRST_EVENT_AFTER_RESTART);
    expect(feeds.map(({ first, last }) => [first, last])).toEqual([
      [FIRST_EVENT_AFTER_RESTART, FIRST_EVENT_AFTER_RESTART],
      [FIRST_EVENT_AFTER_RESTART, FIRST_EVENT_AFTER_RESTART],
    ]);
    expect(third.feed(queued.id, SERVER).last).toBe(after.feed(queued.id, SERVER).last);
    for (const each of [logs, second, last]) each.file.close();
  });

  it('stay interrupted after the next restart, in the same number', async () => {
    const logs = scratchLogs();
    jobsOver(logs).store.submit('wait', principalOf('a'));
    const { store, logs: second } = afterKill(logs);

    const { store: third, logs: last } = afterKill(second);

    expect(third.list(SERVER)).toEqual(store.list(SERVER));
    expect(() => third.cancel(third.list(SERVER)[0]?.id ?? '', SERVER)).toThrow(
      'interrupted already',
    );
    expect(third.counts()).toMatchObject({ interrupted: 1, running: 0 });
    for (const each of [logs, second, last]) each.file.close();
  });

  it('are limited to the newest', async () => {
    const logs = scratchLogs();
    const { store } = jobsOver(logs, 3);
    for (const request of ['1', '2', '3', '4', '5']) store.submit(request, principalOf('a'));
    while (store.counts().done !== 3 || store.counts().queued !== 0) await setImmediate();

    const { store: after, logs: copy } = afterKill(logs, 2);

    expect(firstOf(logs.file, 'SELECT count(*) FROM jobs')).toBe(3);
    expect(after.list(SERVER).map(({ request }) => request)).toEqual(['4', '5']);
    expect(firstOf(copy.file, 'SELECT count(*) FROM jobs')).toBe(2);
    copy.file.close();
    logs.file.close();
  });
});

describe('jobs of a server that stops', () => {
  it('are interrupted with their partial results, not cancelled', async () => {
    const logs = scratchLogs();
    const { store, queue } = jobsOver(logs);
    for (const request of ['wait', 'later']) store.submit(request, principalOf('a'));

    store.closing();
    await queue.close();

    const { store: after, logs: copy } = afterKill(logs);
    const inOrder = store.list(SERVER);
    // The queued job ended first.
    expect(after.list(SERVER)).toEqual(inOrder.toReversed());
    expect(inOrder.map(({ state }) => state)).toMatchObject([
      { status: 'interrupted', result: new Uint8Array([1]) },
      { status: 'interrupted', result: null },
    ]);
    copy.file.close();
    logs.file.close();
  });
});

describe('a job on a full disk', () => {
  it('is refused and not executed, while other jobs can be read', async () => {
    const logs = scratchLogs();
    const { store, faults } = jobsOver(logs);
    store.submit('one', principalOf('a'));
    await setImmediate();
    logs.file.database.exec(`PRAGMA max_page_count = ${firstOf(logs.file, 'PRAGMA page_count')}`);

    const submit = () => store.submit('x'.repeat(100_000), principalOf('a'));

    expect(submit).toThrow('nothing of this request was kept');
    await setImmediate();
    expect(store.list(SERVER)).toMatchObject([{ request: 'one', state: { status: 'done' } }]);
    logs.file.database.exec('PRAGMA max_page_count = 10000');
    submit();
    await setImmediate();
    expect(store.counts().done).toBe(2);
    expect(faults).toEqual([]);
    logs.file.close();
  });
});

describe('a job that ends on a full disk', () => {
  it('is stored when there is room again', async () => {
    const logs = scratchLogs();
    const { store, faults } = jobsOver(logs);
    const { id } = store.submit('wait', principalOf('a'));
    let isFull = true;
    const over = logs.jobs.over;
    const refusal = new OverloadError('storage.unavailable', 'full', 10);
    Object.assign(logs.jobs, {
      over: (...args: Parameters<typeof over>) => {
        if (isFull) throw refusal;
        over(...args);
      },
    });
    store.cancel(id, SERVER);
    await setImmediate();
    const status = store.get(id, SERVER).state.status;
    isFull = false;
    store.submit('one', principalOf('a'));

    const { store: after, logs: copy } = afterKill(logs);

    expect(status).toBe('cancelled');
    expect(after.get(id, SERVER).state.status).toBe('cancelled');
    expect(faults).toEqual([]);
    copy.file.close();
    logs.file.close();
  });
});

it('a job that ended on a full disk is stored by itself when the disk has room again', async () => {
  const logs = scratchLogs();
  const { store } = jobsOver(logs);
  // Its result is as large as its request.
  const { id } = store.submit('x'.repeat(100_000), principalOf('a'));
  const pages = Number(firstOf(logs.file, 'PRAGMA page_count'));
  logs.file.database.exec(`PRAGMA max_page_count = ${pages}`);
  await expect.poll(() => store.get(id, SERVER).state.status).toBe('done');
  const stored = () => afterKill(logs).store.get(id, SERVER).state.status;
  const during = stored();

  logs.file.database.exec(`PRAGMA max_page_count = ${10 * pages}`);

  await expect.poll(stored).toBe('done');
  expect(during).toBe('interrupted');
});
