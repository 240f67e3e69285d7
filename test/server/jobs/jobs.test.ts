/**
 * @module
 * The queue of all jobs and their stores, with staged jobs, and threads of jobs that do not end when they
 * are cancelled.
 */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Execute, JobHooks, StoredKind } from '../../../server/jobs/job-kind.ts';
import {
  JOBS_QUEUED_MAX,
  JOBS_QUEUED_PER_CALLER_MAX,
  JobQueue,
} from '../../../server/jobs/job-queue.ts';
import { JOB_SECONDS_MAX, JobStore } from '../../../server/jobs/job-store.ts';
import { executeInWorker } from '../../../server/jobs/worker-job.ts';
import { SERVER } from '../../../server/request/principal.ts';
import type { ServerFault } from '../../../server/request/refusals.ts';
import { OverloadError } from '../../../server/request/refusals.ts';
import { LabError } from '../../../src/errors.ts';
import { principalOf } from '../principals.ts';

/** Resolves when all pending work is done. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

interface StagedJob {
  readonly request: string;
  readonly progress: number;
  readonly result: string;
}

type Options = StoredKind<StagedJob> & JobHooks<StagedJob> & { execute: Execute<StagedJob> };

/** A store of jobs that end when the test says so. */
function staged(options: { readonly concurrent?: number } & Partial<Options> = {}) {
  const { concurrent = 1, execute, ...kind } = options;
  const queue = new JobQueue({ concurrent });
  const faults: ServerFault[] = [];
  const started: {
    readonly request: string;
    readonly signal: AbortSignal;
    readonly progress: (progress: number) => void;
    readonly resolve: (result: string) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const stage: Execute<StagedJob> = (request, { onProgress, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    started.push({ request, signal, progress: onProgress, resolve, reject });
    return promise;
  };
  const store = new JobStore<StagedJob>(
    {
      ...{ letter: 'r', name: 'job', plural: 'jobs', keptMax: 3, begun: 0 },
      remainingMs: () => 2500,
      ...kind,
    },
    execute ?? stage,
    { queue, onFault: (fault) => void faults.push(fault), nowMs: () => 0 },
    kind,
  );
  return { queue, store, started, faults };
}

describe('the queue', () => {
  it('serves callers in turn, each in the order of its own jobs', async () => {
    const { store, started } = staged();
    const submit = (names: readonly string[], caller: string) => {
      for (const name of names) store.submit(name, principalOf(caller));
    };
    submit(['a1', 'a2', 'a3', 'a4'], 'a');
    submit(['b1', 'b2'], 'b');
    submit(['c1'], 'c');

    for (let count = 0; count < 7; count += 1) {
      started[count]?.resolve('');
      await settle();
    }

    expect(started.map(({ request }) => request)).toEqual([
      ...['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4'],
    ]);
  });

  it('runs as many jobs at the same time as the limit allows', () => {
    const { queue, store, started } = staged({ concurrent: 2 });

    for (const name of ['x', 'y', 'z']) store.submit(name, principalOf('a'));

    expect(started.map(({ request }) => request)).toEqual(['x', 'y']);
    expect(queue).toMatchObject({ executing: 2, waiting: 1 });
  });

  it('refuses a job when the queue is full, with the time until a job ends', () => {
    const { store } = staged();
    for (let count = 0; count <= JOBS_QUEUED_MAX; count += 1)
      store.submit('x', principalOf(`caller ${count}`));

    const refusal = refusalOf(() => store.submit('x', principalOf('late')));

    expect(refusal).toBeInstanceOf(OverloadError);
    expect(refusal).toMatchObject({ code: 'limit.queue', retryAfterS: 3 });
  });

  it.each([
    [0, 1],
    [Number.POSITIVE_INFINITY, 60],
    [59_001, 65],
    [1e9, 3600],
  ])('with %s ms until a job ends, says to retry after %s s', (remainingMs, seconds) => {
    const { queue, store } = staged({ remainingMs: () => remainingMs });

    store.submit('x', principalOf('a'));

    expect(queue.retryAfterS()).toBe(seconds);
  });

  it('accepts another job when a queued job is cancelled', () => {
    const { queue, store } = staged();
    store.submit('running', principalOf('a'));
    const ids = Array.from(
      { length: JOBS_QUEUED_PER_CALLER_MAX },
      () => store.submit('x', principalOf('a')).id,
    );

    store.cancel(ids[0] ?? '', SERVER);

    expect(queue.waiting).toBe(JOBS_QUEUED_PER_CALLER_MAX - 1);
    expect(store.submit('y', principalOf('a')).state.status).toBe('queued');
  });
});

describe('a job', () => {
  it('can be cancelled twice, but not when it is done', async () => {
    const { store, started } = staged();
    const cancelled = store.submit('x', principalOf('a')).id;
    const done = store.submit('y', principalOf('a')).id;

    const states = [store.cancel(cancelled, SERVER).state, store.cancel(cancelled, SERVER).state];
    started[0]?.resolve('half');
    await settle();
    const after = store.cancel(cancelled, SERVER).state;
    started[1]?.resolve('whole');
    await settle();

    expect(states).toEqual([{ status: 'cancelling' }, { status: 'cancelling' }]);
    expect(started[0]?.signal.aborted).toBe(true);
    expect(after).toEqual({ status: 'cancelled', result: 'half' });
    expect(refusalOf(() => store.cancel(done, SERVER))).toMatchObject({ code: 'job.finished' });
  });

  it('that is over is kept up to a limit, and reported when it is forgotten', async () => {
    const forgotten: string[] = [];
    const { store, started } = staged({
      onForget: async ({ request }) => void forgotten.push(request),
    });
    const ids = ['1', '2', '3', '4', '5'].map((name) => store.submit(name, principalOf('a')).id);

    for (let count = 0; count < 5; count += 1) {
      started[count]?.resolve('');
      await settle();
    }

    const kept = ids.map((id) => refusalOf(() => store.get(id, SERVER)) === null);
    expect(kept).toEqual([false, false, true, true, true]);
    expect(forgotten).toEqual(['1', '2']);
  });

  it('is listed only for its caller, in the order of submission', () => {
    const { store } = staged();
    const mine = ['x', 'y', 'z'].map((name) => store.submit(name, principalOf('a')).id);
    store.submit('other', principalOf('b'));

    const listed = store.list(principalOf('a')).map(({ id }) => id);

    expect(listed).toEqual(mine);
    expect(store.counts()).toMatchObject({ running: 1, queued: 3, done: 0 });
  });

  it('that fails gives the reason, but a fault is reported to the operator only', async () => {
    const { store, started, faults } = staged();
    const refused = store.submit('x', principalOf('a')).id;
    const faulty = store.submit('y', principalOf('a')).id;

    started[0]?.reject(new LabError('job.memory', 'too much'));
    await settle();
    started[1]?.reject(new Error('/secret/path'));
    await settle();

    expect(store.get(refused, SERVER).state).toMatchObject({ error: { code: 'job.memory' } });
    expect(store.get(faulty, SERVER).state).toMatchObject({ error: { code: 'job.failed' } });
    expect(JSON.stringify(store.get(faulty, SERVER).state)).not.toContain('secret');
    expect(faults).toMatchObject([{ id: faulty }]);
  });

  describe('that runs too long', () => {
    afterEach(() => void vi.useRealTimers());

    it('is stopped, and fails with its partial result', async () => {
      vi.useFakeTimers();
      const { store, started } = staged();
      const { id } = store.submit('x', principalOf('a'));

      vi.advanceTimersByTime(1000 * JOB_SECONDS_MAX - 1);
      const before = started[0]?.signal.aborted;
      vi.advanceTimersByTime(1);
      started[0]?.resolve('half');
      await vi.advanceTimersByTimeAsync(1);

      expect([before, started[0]?.signal.aborted]).toEqual([false, true]);
      expect(store.get(id, SERVER).state).toMatchObject({
        ...{ status: 'failed', result: 'half', error: { code: 'job.deadline' } },
      });
    });
  });
});

describe('closing the queue', () => {
  it('cancels queued and running jobs, and waits for the running ones', async () => {
    const { queue, store, started } = staged();
    const ids = ['x', 'y'].map((name) => store.submit(name, principalOf('a')).id);

    const closing = queue.close();
    const late = refusalOf(() => store.submit('z', principalOf('a')));
    started[0]?.reject(new Error('aborted'));
    await closing;

    expect(ids.map((id) => store.get(id, SERVER).state.status)).toEqual(['cancelled', 'cancelled']);
    expect(late).toMatchObject({ code: 'limit.queue' });
    expect(started).toHaveLength(1);
  });
});

describe('the thread of a job', () => {
  const script = (text: string) =>
    new URL(`data:text/javascript,${encodeURIComponent(`${HEAD}${text}`)}`);
  const HEAD = "import { parentPort } from 'node:worker_threads'; const port = parentPort;";
  const execute = (text: string, signal = new AbortController().signal) =>
    executeInWorker<number, string>(script(text), {}, { signal, onProgress: () => undefined });

  it('is terminated after a cancel, whatever it does', async () => {
    const abort = new AbortController();
    const reported = Promise.withResolvers<number>();
    const text = "port.postMessage({ type: 'progress', progress: 1 }); for (;;) {}";
    const result = executeInWorker<number, string>(
      script(text),
      {},
      { signal: abort.signal, onProgress: reported.resolve },
    );
    await reported.promise;

    abort.abort();

    expect(await result).toBeNull();
  });

  it('can refuse, but the text of a fault of a file is not passed on', async () => {
    const refuse = (code: string) =>
      execute(`port.postMessage({ type: 'refusal', code: '${code}', detail: '/tmp/x' });`);

    await expect(refuse('arguments')).rejects.toMatchObject({ code: 'arguments' });
    await expect(refuse('file.unwritable')).rejects.not.toHaveProperty('code');
  });

  it.each([
    ["throw Object.assign(new Error('/tmp/x'), { code: 'ENOSPC' });", 'ENOSPC'],
    ["post({ type: 'refusal', code: 'file.unwritable', detail: '/tmp/x: EDQUOT' });", 'EDQUOT'],
  ])('passes on that the disk is full: %s', async (text, code) => {
    const post = 'const post = (message) => port.postMessage(message); ';
    const { store, faults } = staged({ execute: async () => (await execute(post + text)) ?? '' });
    const { id } = store.submit('a', SERVER);
    await expect.poll(() => store.get(id, SERVER).state.status).toBe('failed');

    const { error } = store.get(id, SERVER).state;
    expect(error?.code).toBe('storage.unavailable');
    expect(error?.detail).toBe(
      `the disk of the server is full (${code}); submit the job again when there is room`,
    );
    expect(faults).toEqual([]);
  });

  it('reports the newest progress before its result', async () => {
    const path = new URL('../../../server/jobs/worker-job.ts', import.meta.url);
    const text = `const { answerJob, rateLimited } = await import(${JSON.stringify(path)});
      await answerJob(async (_order, { onProgress }) => {
        const report = rateLimited(onProgress);
        for (let done = 1; done <= 59; done += 1) report(() => done);
        return 'over';
      });`;
    const progress: number[] = [];

    const result = await executeInWorker<number, string>(
      script(text),
      {},
      { signal: new AbortController().signal, onProgress: (done) => void progress.push(done) },
    );

    expect(result).toBe('over');
    expect([progress[0], progress.at(-1)]).toEqual([1, 59]);
  });

  it('that dies makes its job fail, and the next job runs', async () => {
    const { store, faults } = staged({
      execute: async (request) => (await execute(request)) ?? '',
    });
    const dying = store.submit('process.exit(3);', principalOf('a')).id;
    const next = store.submit(
      "port.postMessage({ type: 'result', result: 'well' });",
      principalOf('a'),
    ).id;

    await expect.poll(() => store.get(next, SERVER).state.status).toBe('done');

    expect(store.get(dying, SERVER).state).toMatchObject({
      ...{ status: 'failed', error: { code: 'job.failed' } },
    });
    expect(faults).toMatchObject([{ id: dying }]);
  });

  it('that dies is reported as a fault', async () => {
    await expect(execute("throw new TypeError('bug');")).rejects.toThrow('bug');
    await expect(execute('process.exit(3);')).rejects.toThrow('code 3');
  });
});

/** What `ask` throws; null if nothing. */
function refusalOf(ask: () => unknown): unknown {
  try {
    ask();
    return null;
  } catch (error) {
    return error;
  }
}

describe('a job that is cancelled', () => {
  it.each([
    ['everything', 'done'],
    ['a part', 'cancelled'],
  ])('and has %s nevertheless is %s', async (result, status) => {
    const { store, started } = staged({ isWhole: (whole) => whole === 'everything' });
    const { id } = store.submit('a', SERVER);
    store.cancel(id, SERVER);
    started[0]?.resolve(result);
    await settle();

    expect(store.get(id, SERVER).state).toMatchObject({ status, result });
  });
});

describe('a job on a full disk', () => {
  const failed = (code: string) => Object.assign(new Error(`${code}: no space left`), { code });

  it.each([
    failed('ENOSPC'),
    failed('EDQUOT'),
    new LabError('file.unwritable', '/tmp/rows.csv could not be written: ENOSPC'),
  ])('fails for this reason, which is no fault of the server: %s', async (error) => {
    const { store, started, faults } = staged();
    const { id } = store.submit('a', SERVER);
    started[0]?.reject(error);
    await settle();

    const { status, error: shown } = store.get(id, SERVER).state;
    expect([status, shown?.code]).toEqual(['failed', 'storage.unavailable']);
    expect(shown?.detail).toContain('the disk of the server is full');
    expect(faults).toEqual([]);
  });

  it.each([failed('EIO'), new Error('ENOSPC')])('is not assumed: %s', async (error) => {
    const { store, started } = staged();
    const { id } = store.submit('a', SERVER);
    started[0]?.reject(error);
    await settle();

    expect(store.get(id, SERVER).state.error?.code).toBe('job.failed');
  });
});
