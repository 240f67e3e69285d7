/**
 * @module
 * The size of churn that a request may ask for: networks that would take minutes are refused before the work.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../lab-under-test.ts';

describe('POST /v1/churn-costs', () => {
  it.each([
    ['2e9 purges', { defences: ['ccom:purge=0.001'], nodes: 1000, rate: [1e8], time: 10 }],
    ['4e10 IDs', { defences: ['age:lifetime=1s'], nodes: 1e5, rate: [0], time: 4e5 }],
    ['1e8 tests', { defences: ['sybil-control:every=1s'], nodes: 2, rate: [0], time: 1e8 }],
    ['windows of an estimate', { defences: ['ergo:estimate=0.01'], rate: [1e8], time: 1e5 }],
  ])('refuses %s: %j', async (_, body) => {
    const { post } = labUnderTest();

    const answer = await post('/v1/churn-costs', body);

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'job.size', errors: [{ pointer: '#/time' }] },
    });
  });

  it('counts the sessions of a trace', async () => {
    const { post } = labUnderTest();
    const trace = 'joinS,leaveS\n0,\n';

    const answer = await post('/v1/churn-costs', {
      ...{ defences: ['ccom'], trace, rate: [1e9], time: 100 },
    });

    expect(answer).toMatchObject({ status: 400, json: { code: 'job.size' } });
  });

  it('accepts the rates of the published curve', async () => {
    const { post } = labUnderTest();
    const rate = [1000, 1e4, 1e5, 1e6];

    const answer = await post('/v1/churn-costs', {
      ...{ defences: ['ergo'], laws: ['pareto:1.5:10m'], rate, time: 10_000 },
    });

    expect(answer.status).toBe(202);
  });
});
