/**
 * @module
 * Designs and calibrations over HTTP: the answer from closed forms, its check in a thread, and a measurement
 * after the jobs that were queued before.
 */

import { describe, expect, it } from 'vitest';

import type { OperationJob } from '../../../server/jobs/operations/operation-job.ts';
import { operationInThreads } from '../../../server/jobs/operations/operation-job.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { NATIVE_CORE } from '../../../src/mining/native.ts';
import { CHECK_DRAWS_MAX, CHECK_RUNS_MAX } from '../../../src/operations/design.ts';
import type { Answer } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

/** What the answer depends on. */
const ASKED = {
  ...{ epsilon: 0.1, time: 60, nodes: 16, rate: 1e6 },
  ...{ joinTime: 3600, advantage: 2 },
};
/** Answered at once. */
const QUESTION = { ...ASKED, check: false, elections: false };
const CALIBRATION = {
  ...{ replay: 'usurp calibrate', threads: 1, keys: [], solutions: [], times: [] },
  ...{ stock: { tests: { perSecond: 1, perCpuSecond: 1 } }, native: NATIVE_CORE },
};
/** The answer waits for the end of the job. */
const WAIT = { Prefer: 'wait=60' };

describe('POST /v1/designs', () => {
  it('is done at once by closed forms, with every default and without a check', async () => {
    const { post, call, jobs } = labUnderTest();

    const answer = await post('/v1/designs', QUESTION);

    const expected = design(ASKED);
    const [first] = answersOf(answer.json);
    expect(answer).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^design_[a-z2-7]{16}$/),
        ...{ kind: 'design', status: 'done', progress: { done: 1, total: 1 } },
        request: { ...QUESTION, advantage: [2] },
        result: {
          verdict: {
            value: 'true',
            reason: 'computed with the closed form; no run was sampled to confirm it',
          },
        },
      },
    });
    expect(first).toMatchObject({
      request: { ...ASKED, joinQuantile: 0.95, window: 3600 },
      ...{ needed: expected.needed, isPossible: true, check: null },
    });
    expect(first?.remedies).toHaveLength(expected.remedies.length);
    expect(jobs.queue.executing).toBe(0);
    expect((await call('GET', `/v1/jobs/${answer.json.id}`)).json).toEqual(answer.json);
  });

  it('does not wait for the jobs before it unless it needs elections or a check', async () => {
    const { post } = labUnderTest();
    await post('/v1/runs', { threatModel: 'top-id' });

    const closed = await post('/v1/designs', QUESTION);
    const checked = await post('/v1/designs', { ...QUESTION, check: true });
    const measured = await post('/v1/designs', { ...QUESTION, elections: true });

    expect([closed, checked, measured].map(({ json }) => json.status)).toEqual([
      ...['done', 'queued', 'queued'],
    ]);
  });

  it('compares the answer with sampled runs on request, with equal results for equal seeds', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, check: true, seed: '1', runs: 2000 };

    const [first, second] = [
      await post('/v1/designs', body, WAIT),
      await post('/v1/designs', body, WAIT),
    ];

    expect(first.json).toMatchObject({
      ...{ status: 'done', request: { check: true, seed: '1', runs: 2000 } },
      result: { answers: [{ check: { runs: 2000, confidence: 0.95, agrees: true } }] },
    });
    expect(second.json.result).toEqual(first.json.result);
  });

  it('has one answer for each advantage of a list, with the worst verdict', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, advantage: [2, 1e6], check: true, runs: 20_000, seed: '1' };

    const { json } = await post('/v1/designs', body, WAIT);

    expect(json).toMatchObject({
      result: {
        verdict: { value: 'false' },
        answers: [
          { request: { advantage: 2 }, check: { runs: 20_000 }, verdict: { value: 'true' } },
          { request: { advantage: 1e6 }, check: { runs: 20_000 }, verdict: { value: 'false' } },
        ],
      },
    });
  });

  it('asks about a majority of Raft, and simulates its elections on request', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, protocol: 'raft', question: 'majority-captured' };

    const without = await post('/v1/designs', body);
    const measured = await post(
      '/v1/designs',
      { ...body, elections: true, defences: ['pre-vote'] },
      WAIT,
    );

    expect(answersOf(without.json)).toMatchObject([
      {
        request: { protocol: 'raft', question: 'majority-captured' },
        assumes: expect.stringContaining('every quorum alone'),
        honestCost: { join: { repeats: 'once' }, elections: [], defences: [] },
      },
    ]);
    expect(answersOf(measured.json)).toMatchObject([
      {
        honestCost: {
          elections: [{ protocol: 'raft', nodes: 16, messages: expect.any(Number) }],
          defences: [{ defence: 'pre-vote', messages: expect.any(Number) }],
        },
      },
    ]);
  });

  // One lab for the whole table, because a refusal changes nothing in it.
  const refusing = labUnderTest();

  it.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['schema', '#/epsilon', { epsilon: '10 %' }],
    ['schema', '#/epsilon', { epsilon: undefined }],
    ['schema', '#/epsilon', { epsilon: 0 }],
    ['schema', '#/epsilon', { epsilon: 1 }],
    ['schema', '#/nodes', { nodes: 1.5 }],
    ['schema', '#/joinTime', { joinTime: '5min' }],
    ['schema', '#/nodes', { nodes: 1e9 }],
    ['schema', '#/time', { time: -1 }],
    ['arguments', '#/time', { time: 1e8, rate: 1e10 }],
    ['schema', '#/rate', { rate: 0 }],
    ['schema', '#/joinQuantile', { joinQuantile: 1 }],
    ['arguments', '#/preparation', { preparation: 61 }],
    ['schema', '#/check', { check: {} }],
    ['schema', '#/runs', { check: true, runs: 0 }],
    ['schema', '#/confidence', { check: true, confidence: 1 }],
    ['schema', '#/runs', { check: true, runs: CHECK_RUNS_MAX + 1 }],
    ['job.size', '#/runs', { nodes: 1000, check: true, runs: CHECK_DRAWS_MAX / 1000 + 1 }],
    ['schema', '#/advantage', { advantage: [] }],
    ['schema', '#/protocol', { protocol: 'paxos' }],
    ['schema', '#/question', { question: 'split' }],
    ['arguments', '#/question', { question: 'no-leader' }],
    ['arguments', '#/protocol', { protocol: 'ring-attr' }],
    ['arguments', '#/defences', { defences: ['receipts'] }],
    ['schema', '#/bits', { bits: 5 }],
  ])('refuses as %s at %s: %j', async (code, pointer, members) => {
    const { post } = refusing;

    const answer = await post('/v1/designs', { ...QUESTION, ...members });

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
  });
});

describe('POST /v1/calibrations', () => {
  it('measures as a job after the jobs before it, and GET starts nothing', async () => {
    const started: unknown[] = [];
    const { post, call, jobs } = labUnderTest({
      executions: {
        operation: ({ name }, { onProgress }) => {
          onProgress({ now: 'measuring walk', done: 9, total: 16 });
          const { promise, resolve } = Promise.withResolvers<OperationJob['result']>();
          if (name === 'calibrate') started.push(resolve);
          return promise;
        },
      },
    });
    const before = await call('GET', '/v1/calibrations');
    const run = await post('/v1/runs', { threatModel: 'top-id' });

    const queued = await post('/v1/calibrations', {});
    await call('POST', `/v1/jobs/${run.json.id}/cancel`);
    const first = await post('/v1/calibrations', {});

    expect(before.status).toBe(405);
    expect(queued).toMatchObject({
      status: 202,
      json: {
        id: expect.stringMatching(/^calibrate_/),
        status: 'queued',
        progress: { now: 'waiting' },
      },
    });
    expect(first.json.status).toBe('queued');
    expect([started.length, jobs.queue.waiting]).toEqual([0, 2]);
  });

  it('needs a JSON body, so that no other site can start it without asking the browser', async () => {
    const { call, post } = labUnderTest();

    const simple = await call('POST', '/v1/calibrations', { headers: { Origin: 'http://x.test' } });
    const text = await post('/v1/calibrations', '{}', { 'Content-Type': 'text/plain' });

    expect([simple.status, text.status]).toEqual([415, 415]);
  });

  it('keeps the rates when it is done', async () => {
    const { post } = labUnderTest({ executions: { operation: async () => CALIBRATION } });

    const { json } = await post('/v1/calibrations', {}, WAIT);

    expect(json).toMatchObject({ kind: 'calibrate', status: 'done', result: CALIBRATION });
  });

  it('is measured in a thread, which ends with the server', async () => {
    const { call, post, jobs } = labUnderTest({
      executions: { operation: operationInThreads(1) },
    });
    const { headers } = await post('/v1/calibrations', {});
    const progress = async () => (await call('GET', String(headers.get('Location')))).json.progress;
    await expect
      .poll(progress, { timeout: 60_000 })
      .toMatchObject({ now: expect.stringMatching(/^measuring /) });

    await jobs.close();

    expect(jobs.queue.executing).toBe(0);
  });
});

/** The answers of a design. */
function answersOf({ result }: Answer['json']) {
  return (result as { readonly answers: readonly Answer['json'][] }).answers; // By the schema.
}
