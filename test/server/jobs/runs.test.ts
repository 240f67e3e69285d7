/**
 * @module
 * Runs as jobs: queued, executed, cancelled, kept. Executions are staged.
 */

import { describe, expect, it } from 'vitest';
import type { Execute } from '../../../server/jobs/job-kind.ts';
import { JOBS_QUEUED_PER_CALLER_MAX } from '../../../server/jobs/job-queue.ts';
import type {
  OperationJob,
  OperationRequest,
} from '../../../server/jobs/operations/operation-job.ts';
import { OPERATION_JOBS_KEPT_MAX } from '../../../server/jobs/operations/operation-job.ts';
import { LabError } from '../../../src/errors.ts';
import { REMOTE_RUNS_MAX } from '../../../src/experiment/document/limits.ts';
import type { RunReport } from '../../../src/experiment/verdict/report.ts';
import { REPORT } from '../fuzz/staged-results.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

const BODY = { threatModel: 'top-id', runs: 50, seed: '1' };
const linkOf = (answer: Answer) => String(answer.headers.get('Location'));
const cancelOf = (answer: Answer) => `${linkOf(answer)}/cancel`;
/** Resolves when all pending work is done. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Executions that end when the test says so. */
function stagedExecutions() {
  const started: {
    readonly request: OperationRequest;
    readonly signal: AbortSignal;
    readonly progress: (done: number) => void;
    readonly resolve: (report: RunReport) => void;
    readonly reject: (error: unknown) => void;
  }[] = [];
  const execute: Execute<OperationJob> = (request, { onProgress, signal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<RunReport>();
    const progress = (done: number) => onProgress({ now: 'runs', done, total: 50 });
    started.push({ request, signal, progress, resolve, reject });
    return promise;
  };
  return { started, execute };
}

describe('POST /v1/runs', () => {
  it('answers 202 with a Location, and starts the run', async () => {
    const { started, execute } = stagedExecutions();
    const { post } = labUnderTest({ execute });

    const answer = await post('/v1/runs', {
      ...BODY,
      set: { work: 'sampled', 'network.honest': 9 },
    });

    expect(answer).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^run_[a-z2-7]{16}$/),
        status: 'running',
        request: { ...BODY, set: ['work=sampled', 'network.honest=9'] },
        progress: { done: 0 },
        links: { self: linkOf(answer) },
      },
    });
    expect(started[0]?.request.models.threatModel).toMatchObject({ name: 'top-id' });
  });

  it('chooses a seed by default', async () => {
    const { post } = labUnderTest();

    const answer = await post('/v1/runs', { threatModel: 'top-id' });

    const seed = expect.stringMatching(/^[0-9]+$/);
    expect(answer.json.request).toMatchObject({ threatModel: 'top-id', seed });
  });

  it('passes settings of every type as the command line spells them', async () => {
    const { started, execute } = stagedExecutions();
    const { post } = labUnderTest({ execute });
    const set = {
      'network.election.protocols': ['cr-join'],
      'network.election.latency': 'uniform:1:3',
      'network.identity.context': 'yes, (all)',
      'network.identity.lowS': false,
      'adversaries.main.budget.attempts': null,
      'adversaries.main.budget.cpuSeconds': 1.5,
    };

    const answer = await post('/v1/runs', { ...BODY, set });

    expect(answer.json.request).toMatchObject(BODY);
    expect(started[0]?.request.body.set).toEqual([
      'network.election.protocols=[cr-join]',
      'network.election.latency=uniform:1:3',
      'network.identity.context="yes, (all)"',
      'network.identity.lowS=false',
      'adversaries.main.budget.attempts=null',
      'adversaries.main.budget.cpuSeconds=1.5',
    ]);
  });

  it.each([
    [{}, '#/threatModel'],
    [{ threatModel: 'none' }, '#/threatModel'],
    [{ threatModel: '../top-id' }, '#/threatModel'],
    [{ threatModel: 'constructor' }, '#/threatModel'],
    [{ ...BODY, runs: 0 }, '#/runs'],
    [{ ...BODY, runs: 1.5 }, '#/runs'],
    [{ ...BODY, runs: '50 runs' }, '#/runs'],
    [{ ...BODY, seed: 1 }, '#/seed'],
    [{ ...BODY, set: 'work' }, '#/set'],
    [{ ...BODY, set: { work: { a: 1 } } }, '#/set/work'],
    [{ ...BODY, set: { 'a=b': 1 } }, '#/set/a%3Db'],
    [{ ...BODY, report: REPORT }, '#/report'],
  ])('refuses %j with the code schema and points at it', async (body, pointer) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/runs', body);

    expect(answer).toMatchObject({ status: 400, json: { code: 'schema', errors: [{ pointer }] } });
  });

  it.each<Readonly<Record<string, unknown>>>([
    { 'network.honest': 0 },
    { 'network.honest': 1e9 },
    { work: 'dreamt' },
    { 'adversaries.other.budget.attempts': 5 },
    { 'network.election.latency': '!!js/function x' },
  ])('refuses the settings %j, which the document does not allow', async (set) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/runs', { ...BODY, set });

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'arguments', errors: [{ pointer: '#/set' }] },
    });
  });

  it('points at a setting that is not known', async () => {
    const { post } = labUnderTest();

    const answer = await post('/v1/runs', { ...BODY, set: { 'network.honset': 9 } });

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'schema', errors: [{ pointer: '#/set/network.honset' }] },
    });
  });

  it('refuses more runs than the limit and states the limit', async () => {
    const { post } = labUnderTest();

    const atLimit = await post('/v1/runs', { ...BODY, runs: REMOTE_RUNS_MAX });
    const over = await post('/v1/runs', { ...BODY, runs: REMOTE_RUNS_MAX + 1 });

    expect(atLimit.status).toBe(202);
    expect(over).toMatchObject({ status: 400, json: { code: 'schema' } });
    expect(over.json.detail).toContain(String(REMOTE_RUNS_MAX));
  });

  it('limits the latency of settings as it does for elections', async () => {
    const { post } = labUnderTest();
    const set = (ticks: number) => ({ 'network.election.latency': `uniform:1:${ticks}` });

    const most = await post('/v1/runs', { ...BODY, set: set(1000) });
    const over = await post('/v1/runs', { ...BODY, set: set(1001) });

    expect(most.status).toBe(202);
    expect(over).toMatchObject({ status: 400, json: { code: 'job.size' } });
  });

  it('refuses with Retry-After when the queue is full', async () => {
    const { started, execute } = stagedExecutions();
    let now = 0;
    const { post, call } = labUnderTest({ execute, nowMs: () => now });
    const first = await post('/v1/runs', BODY);
    for (let count = 0; count < JOBS_QUEUED_PER_CALLER_MAX; count += 1)
      await post('/v1/runs', BODY);
    now = 4000;
    started[0]?.progress(20);

    const refused = await post('/v1/runs', BODY);
    started[0]?.resolve(REPORT);
    await settle();
    const accepted = await post('/v1/runs', BODY);

    expect(refused).toMatchObject({ status: 503, json: { code: 'limit.queue', retryAfterS: 7 } });
    expect(await call('GET', linkOf(first))).toMatchObject({ json: { status: 'done' } });
    expect(accepted).toMatchObject({ status: 202, json: { status: 'queued' } });
  });
});

describe('GET /v1/jobs/{id} of a run', () => {
  it('shows progress, then the report', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    const run = await post('/v1/runs', BODY);
    started[0]?.progress(20);

    const running = await call('GET', linkOf(run));
    started[0]?.resolve(REPORT);
    await settle();
    const done = await call('GET', linkOf(run));

    expect(running.json).toMatchObject({ status: 'running', progress: { done: 20, total: 50 } });
    expect(running.json).not.toHaveProperty('result');
    expect(done.json).toMatchObject({
      status: 'done',
      progress: { done: 1, total: 1 },
      result: REPORT,
    });
  });

  it('says why a run failed: a refusal with its detail, a fault only with its code', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call, faults } = labUnderTest({ execute });
    const refused = await post('/v1/runs', BODY);
    const faulty = await post('/v1/runs', BODY);
    const fault = new Error('the secret path');

    started[0]?.reject(new LabError('document', 'no rate is stated'));
    await settle();
    started[1]?.reject(fault);
    await settle();

    const first = await call('GET', linkOf(refused));
    const second = await call('GET', linkOf(faulty));
    expect(first.json).toMatchObject({
      status: 'failed',
      problem: { code: 'document', detail: 'no rate is stated' },
    });
    expect(second.json).toMatchObject({ status: 'failed', problem: { code: 'job.failed' } });
    expect(second.text).not.toContain('secret');
    expect(faults).toEqual([{ id: second.json.id, error: fault }]);
  });

  it('executes one request after the other, in the order of submission', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    await post('/v1/runs', { ...BODY, seed: '1' });
    const second = await post('/v1/runs', { ...BODY, seed: '2' });
    await post('/v1/runs', { ...BODY, seed: '3' });

    const waiting = await call('GET', linkOf(second));
    started[0]?.resolve(REPORT);
    await settle();
    started[1]?.resolve(REPORT);
    await settle();

    expect(waiting.json.status).toBe('queued');
    expect(started.map(({ request }) => request.body.seed)).toEqual(['1', '2', '3']);
  });

  it('keeps the newest results and forgets the oldest', async () => {
    const { post, call } = labUnderTest({ execute: async () => REPORT });
    const runs: Answer[] = [];
    for (let count = 0; count <= OPERATION_JOBS_KEPT_MAX; count += 1) {
      runs.push(await post('/v1/runs', BODY));
      await settle();
    }

    const statuses = [];
    for (const run of [runs[0], runs[1], runs.at(-1)]) {
      if (run !== undefined) statuses.push((await call('GET', linkOf(run))).status);
    }

    expect(statuses).toEqual([404, 200, 200]);
  });
});

describe('POST /v1/jobs/{id}/cancel', () => {
  it('removes a queued run from the queue', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    await post('/v1/runs', BODY);
    const waiting = await post('/v1/runs', BODY);

    const first = await call('POST', cancelOf(waiting));
    const second = await call('POST', cancelOf(waiting));
    started[0]?.resolve(REPORT);
    await settle();

    expect(first).toMatchObject({ status: 200, json: { status: 'cancelled' } });
    expect(second).toMatchObject({ status: 200, json: first.json });
    expect(started).toHaveLength(1);
  });

  it('stops a run and keeps its partial report', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    const run = await post('/v1/runs', BODY);

    const first = await call('POST', cancelOf(run));
    const second = await call('POST', cancelOf(run));
    const isAborted = started[0]?.signal.aborted;
    started[0]?.resolve({ ...REPORT, elections: { held: 40, messages: 400 } });
    await settle();
    const third = await call('POST', cancelOf(run));

    expect(first).toMatchObject({ status: 200, json: { status: 'cancelling' } });
    expect(second).toMatchObject({ status: 200, json: first.json });
    expect(isAborted).toBe(true);
    expect(third).toMatchObject({
      status: 200,
      json: { status: 'cancelled', result: { elections: { held: 40 } } },
    });
  });

  it('ends without a report if the execution rejects', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call, faults } = labUnderTest({ execute });
    const run = await post('/v1/runs', BODY);

    await call('POST', cancelOf(run));
    started[0]?.reject(new DOMException('aborted', 'AbortError'));
    await settle();

    const { json } = await call('GET', linkOf(run));
    expect(json.status).toBe('cancelled');
    expect(json).not.toHaveProperty('result');
    expect(faults).toEqual([]);
  });

  it('starts the next run in the queue', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    const first = await post('/v1/runs', BODY);
    const second = await post('/v1/runs', BODY);

    await call('POST', cancelOf(first));
    started[0]?.reject(new DOMException('aborted', 'AbortError'));
    await settle();

    expect(await call('GET', linkOf(second))).toMatchObject({ json: { status: 'running' } });
  });

  it('refuses to cancel a run that is done or failed', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call } = labUnderTest({ execute });
    const done = await post('/v1/runs', BODY);
    const failed = await post('/v1/runs', BODY);
    started[0]?.resolve(REPORT);
    await settle();
    started[1]?.reject(new Error('x'));
    await settle();

    for (const run of [done, failed]) {
      const answer = await call('POST', cancelOf(run));

      expect(answer).toMatchObject({ status: 409, json: { code: 'job.finished' } });
    }
  });
});

describe('GET /v1/jobs', () => {
  it('lists the runs in pages, the newest first', async () => {
    let wallMs = 0;
    const { post, call } = labUnderTest({ wallMs: () => (wallMs += 1) });
    const ids = [];
    for (let count = 0; count < 3; count += 1) ids.push((await post('/v1/runs', BODY)).json.id);

    const first = await call('GET', '/v1/jobs?pageSize=2');
    const token = String(first.json.nextPageToken);
    const rest = await call('GET', `/v1/jobs?pageSize=2&pageToken=${token}`);

    const items = [...(first.json.items as object[]), ...(rest.json.items as object[])];
    expect(items).toMatchObject(ids.toReversed().map((id) => ({ id, request: BODY })));
    expect(rest.json.nextPageToken).toBeNull();
  });
});

describe('closing the queue', () => {
  it('interrupts all runs, refuses new ones, and resolves when none is running', async () => {
    const { started, execute } = stagedExecutions();
    const { post, call, jobs } = labUnderTest({ execute });
    const running = await post('/v1/runs', BODY);
    const waiting = await post('/v1/runs', BODY);

    const closing = jobs.close();
    const late = await post('/v1/runs', BODY);
    started[0]?.resolve(REPORT);
    await closing;

    expect(late).toMatchObject({ status: 503, json: { code: 'limit.queue' } });
    expect(await call('GET', linkOf(running))).toMatchObject({ json: { status: 'interrupted' } });
    expect(await call('GET', linkOf(waiting))).toMatchObject({ json: { status: 'interrupted' } });
    expect(started).toHaveLength(1);
  });
});
