/**
 * @module
 * Design and calibration over HTTP: the answer from closed forms, its check in a thread, and a measurement
 * that is made once, after the jobs that were queued before.
 */

import { describe, expect, it } from 'vitest';

import type { CalibrationProgress } from '../../../server/jobs/calibration.ts';
import { calibrateInThreads } from '../../../server/jobs/calibration.ts';
import { CHECK_DRAWS_MAX, CHECK_RUNS_MAX } from '../../../server/jobs/design.ts';
import { LabError } from '../../../src/errors.ts';
import { design } from '../../../src/experiment/design/design.ts';
import { NATIVE_CORE } from '../../../src/mining/native.ts';
import type { Calibration } from '../../../src/runtime/threads/calibration.ts';
import { labUnderTest } from '../lab-under-test.ts';

const QUESTION = {
  ...{ epsilon: 0.1, adversarySeconds: 60, nodes: 16, candidatesPerSecond: 1e6 },
  ...{ joinSeconds: 3600, advantage: 2 },
};
const settle = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('POST /v1/design', () => {
  it('answers from closed forms, with every default and without a check', async () => {
    const { post } = labUnderTest();

    const answer = await post('/v1/design', QUESTION);

    const expected = design(QUESTION);
    expect(answer).toMatchObject({
      status: 200,
      json: {
        verdict: { value: 'true', reason: 'by the closed form alone' },
        request: { ...QUESTION, joinQuantile: 0.95, windowSeconds: 3600 },
        ...{ needed: expected.needed, isPossible: true, check: null, seed: null },
      },
    });
    expect(answer.json.defences).toHaveLength(expected.defences.length);
  });

  it('compares the answer with sampled runs on request, with equal results for equal seeds', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, check: { seed: '1', runs: 2000 } };

    const [first, second] = [await post('/v1/design', body), await post('/v1/design', body)];

    expect(first).toMatchObject({
      status: 200,
      json: { check: { runs: 2000, confidence: 0.95, agrees: true }, seed: '1' },
    });
    expect(second.json).toEqual(first.json);
  });

  it('has one answer for each advantage of a list, with the worst verdict', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, advantage: [2, 1e6], check: { runs: 20_000, seed: '1' } };

    const { status, json } = await post('/v1/design', body);

    expect(status).toBe(200);
    expect(json).toMatchObject({
      verdict: { value: 'false' },
      answers: [
        { request: { advantage: 2 }, check: { runs: 20_000 }, verdict: { value: 'true' } },
        { request: { advantage: 1e6 }, check: { runs: 20_000 }, verdict: { value: 'false' } },
      ],
      seed: '1',
    });
  });

  it('asks about a majority of Raft, and simulates its elections on request', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, protocol: 'raft', question: 'majority-captured' };

    const [without, measured] = [
      await post('/v1/design', body),
      await post('/v1/design', { ...body, elections: true, electionDefences: ['pre-vote'] }),
    ];

    expect(without).toMatchObject({
      status: 200,
      json: {
        request: { protocol: 'raft', question: 'majority-captured' },
        assumes: expect.stringContaining('every quorum alone'),
        honestCost: { join: { repeats: 'once' }, elections: [], defences: [] },
      },
    });
    expect(measured).toMatchObject({
      status: 200,
      json: {
        honestCost: {
          elections: [{ protocol: 'raft', nodes: 16, messages: expect.any(Number) }],
          defences: [{ defence: 'pre-vote', messages: expect.any(Number) }],
        },
      },
    });
  });

  it('refuses a third check while two are running', async () => {
    const { post } = labUnderTest();
    const body = { ...QUESTION, check: { runs: 50_000 } };

    const answers = await Promise.all([1, 2, 3].map(() => post('/v1/design', body)));

    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 200, 503]);
  });

  // One lab for the whole table, because a refusal changes nothing in it.
  const refusing = labUnderTest();

  it.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['schema', '#/epsilon', { epsilon: '10 %' }],
    ['schema', '#/epsilon', { epsilon: undefined }],
    ['arguments', '#/epsilon', { epsilon: 0 }],
    ['arguments', '#/epsilon', { epsilon: 1 }],
    ['schema', '#/nodes', { nodes: 1.5 }],
    ['schema', '#/joinSeconds', { joinSeconds: '5min' }],
    ['arguments', '#/nodes', { nodes: 1e9 }],
    ['arguments', '#/adversarySeconds', { adversarySeconds: -1 }],
    ['arguments', '#/adversarySeconds', { adversarySeconds: 1e8, candidatesPerSecond: 1e10 }],
    ['arguments', '#/candidatesPerSecond', { candidatesPerSecond: 0 }],
    ['arguments', '#/joinQuantile', { joinQuantile: 1 }],
    ['arguments', '#/preparationSeconds', { preparationSeconds: 61 }],
    ['schema', '#/check', { check: true }],
    ['schema', '#/check/runs', { check: { runs: 0 } }],
    ['schema', '#/check/confidence', { check: { confidence: 1 } }],
    ['job.size', '#/check/runs', { check: { runs: CHECK_RUNS_MAX + 1 } }],
    ['job.size', '#/check/runs', { nodes: 1000, check: { runs: CHECK_DRAWS_MAX / 1000 + 1 } }],
    ['schema', '#/advantage', { advantage: [] }],
    ['schema', '#/protocol', { protocol: 'paxos' }],
    ['schema', '#/question', { question: 'split' }],
    ['arguments', '#/question', { question: 'no-leader' }],
    ['arguments', '#/protocol', { protocol: 'ring-attr' }],
    ['arguments', '#/electionDefences', { electionDefences: ['receipts'] }],
    ['schema', '#/bits', { bits: 5 }],
  ])('refuses as %s at %s: %j', async (code, pointer, members) => {
    const { post } = refusing;

    const answer = await post('/v1/design', { ...QUESTION, ...members });

    expect(answer).toMatchObject({ status: 400, json: { code, errors: [{ pointer }] } });
  });
});

describe('GET /v1/calibration', () => {
  const CALIBRATION: Calibration = {
    ...{ threads: 1, keys: [], solutions: [], times: [] },
    ...{ stock: { tests: { perSecond: 1, perCpuSecond: 1 } }, native: NATIVE_CORE },
  };

  /** A lab whose measurements end when the test says so. */
  function stagedLab(nowMs = () => 0) {
    const started: {
      readonly say: (progress: CalibrationProgress) => void;
      readonly resolve: (calibration: Calibration) => void;
      readonly reject: (error: unknown) => void;
    }[] = [];
    const calibration = (
      _request: null,
      { onProgress }: { onProgress: (progress: CalibrationProgress) => void },
    ) => {
      const { promise, resolve, reject } = Promise.withResolvers<Calibration>();
      started.push({ say: onProgress, resolve, reject });
      return promise;
    };
    return { started, ...labUnderTest({ nowMs, executions: { calibration } }) };
  }

  it('measures once, sends Retry-After, and then always gives the same answer', async () => {
    let now = 0;
    const { started, call } = stagedLab(() => now);

    const first = await call('GET', '/v1/calibration');
    now = 8000;
    started[0]?.say({ now: 'measuring walk', begun: 9 });
    const second = await call('GET', '/v1/calibration');
    started[0]?.resolve(CALIBRATION);
    await settle();
    const third = await call('GET', '/v1/calibration');

    expect(first).toMatchObject({ status: 202, json: { status: 'measuring', retryAfterS: 19 } });
    expect(second).toMatchObject({ json: { now: 'measuring walk', retryAfterS: 9 } });
    expect(second.headers.get('Retry-After')).toBe('9');
    expect(third).toMatchObject({ status: 200, json: CALIBRATION });
    expect(started).toHaveLength(1);
  });

  it('waits for the jobs that were queued before', async () => {
    const { started, post, call } = stagedLab();
    await post('/v1/runs', { threatModel: 'top-id' });

    const answer = await call('GET', '/v1/calibration');

    expect(answer.json).toMatchObject({ now: 'nothing, other jobs go before' });
    expect(started).toEqual([]);
  });

  it('reports a failure once and then measures again', async () => {
    const { started, call } = stagedLab();
    await call('GET', '/v1/calibration');
    started[0]?.reject(new LabError('job.memory', 'too much'));
    await settle();

    const failed = await call('GET', '/v1/calibration');
    const again = await call('GET', '/v1/calibration');

    expect(failed).toMatchObject({ status: 500, json: { code: 'job.memory' } });
    expect(again.status).toBe(202);
    expect(started).toHaveLength(2);
  });

  it('is measured in a thread, which ends with the server', async () => {
    const { call, jobs } = labUnderTest({ executions: { calibration: calibrateInThreads(1) } });
    const now = async () => (await call('GET', '/v1/calibration')).json.now;
    await expect.poll(now, { timeout: 20_000 }).toMatch(/^measuring /);

    await jobs.close();

    expect(jobs.queue.executing).toBe(0);
  });
});
