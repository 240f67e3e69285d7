/**
 * @module
 * Quantities in request bodies: the texts of the command line mean the same as the numbers.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../lab-under-test.ts';

/** Without runs and elections a design is answered at once. */
const AT_ONCE = { check: false, elections: false };
const DESIGN = {
  ...{ epsilon: 0.05, time: 60, nodes: 16, rate: 2 ** 20 },
  ...{ joinTime: 3600, joinQuantile: 0.9, advantage: 2, window: 0.1 },
  ...AT_ONCE,
};

describe('quantities in bodies', () => {
  const { post } = labUnderTest();

  it('of a design', async () => {
    const numbers = await post('/v1/designs', DESIGN);
    const texts = await post('/v1/designs', {
      ...{ epsilon: '5%', time: '1m', nodes: '2^4', rate: '2^20' },
      ...{ joinTime: '1h', joinQuantile: '90%', advantage: '2', window: '100ms' },
      ...AT_ONCE,
    });

    expect(texts).toMatchObject({ status: 202, json: { result: numbers.json.result } });
  });

  it('of an election', async () => {
    const body = { protocol: 'bully-oneshot', seed: '1', run: true };

    const numbers = await post('/v1/elections', { ...body, nodes: 8, until: 1000 });
    const texts = await post('/v1/elections', { ...body, nodes: '2^3', until: '1e3' });

    expect(numbers.status).toBe(201);
    expect(texts.json).toMatchObject({ nodes: 8, time: numbers.json.time });
  });

  it.each([
    ['/v1/runs', { threatModel: 'top-id', runs: '1e2' }, { request: { runs: 100 } }],
    ['/v1/runs', { threatModel: 'top-id', set: { 'network.honest': '2^3' } }, {}],
    [
      '/v1/runs',
      {
        threatModel: 'top-id',
        set: { 'adversaries.main.budget': null, 'expect.probability': '5%' },
      },
      {},
    ],
    [
      '/v1/sweeps',
      {
        threatModel: 'top-id',
        axes: { 'expect.probability': ['1%', '5%'] },
        runs: '2^2',
        sample: '2',
      },
      { request: { runs: 4, sample: 2 }, grid: [{ path: 'expect.probability', values: 2 }] },
    ],
    [
      '/v1/forgeries',
      { c1: '2^2', attempts: '1e3', cpu: '5m', wall: '100ms' },
      {
        request: {
          policy: { c1: 4 },
          ...{ attempts: 1000, cpu: 300, wall: 0.1 },
        },
      },
    ],
  ])('of %s %j', async (path, body, members) => {
    const answer = await post(path, body);

    expect(answer).toMatchObject({ status: 202, json: members });
  });

  it.each([
    ['/v1/runs', { threatModel: 'top-id', runs: '0' }, '#/runs', '1000, 1e6 or 2^20'],
    ['/v1/designs', { ...DESIGN, epsilon: '5 %' }, '#/epsilon', '0.05 or 5%'],
    ['/v1/designs', { ...DESIGN, joinTime: '5min' }, '#/joinTime', '5m or 2h'],
    ['/v1/forgeries', { wall: '2h' }, '#/wall', 'at least 0.001, at most 3000, such as 100ms'],
    ['/v1/elections', { protocol: 'raft', nodes: '1e3' }, '#/nodes', 'from 1 to 500'],
  ])('are refused with their syntax: %s %j', async (path, body, pointer, syntax) => {
    const answer = await post(path, body);

    expect(answer).toMatchObject({
      status: 400,
      json: { code: 'schema', errors: [{ pointer, detail: expect.stringContaining(syntax) }] },
    });
  });
});
