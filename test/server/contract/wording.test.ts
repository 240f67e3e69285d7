/**
 * @module
 * Refusals use the terms of the request: they point at its members and name the limits of this server,
 * not the terms of the simulator.
 */

import { describe, expect, it } from 'vitest';

import { labUnderTest } from '../lab-under-test.ts';

const { post, call } = labUnderTest();

describe('a refused election', () => {
  it.each([
    [{ initiators: [4] }, '#/initiators', 'rank must be a whole number in 1..3, not 4'],
    [{ initiators: [1, 1] }, '#/initiators', 'must not name a rank twice'],
    [{ initiators: [3], crash: 'highest', run: true }, '#/initiators', 'node 3 has crashed'],
    [{ crash: [{ rank: 1 }, { rank: 9 }] }, '#/crash/1/rank', 'must be at most 3'],
    [{ crash: [{ rank: 2 }, { rank: 2 }] }, '#/crash/1', 'node 2 cannot crash'],
    [{ crash: [{ rank: 2, at: 4 }, { rank: 2 }] }, '#/crash/0', 'node 2 cannot crash at 4'],
    [{ crash: [{ rank: 1 }, { rank: 2 }, { rank: 3 }] }, '#/crash', 'none of 3 nodes alive'],
    [{ latency: '2000000' }, '#/latency', 'in 1..1000,'],
    [{ latency: 1001 }, '#/latency', 'whole ticks in 1..1000,'],
    [{ network: { loss: '5%', churn: '30@0-500:20%:9' } }, '#/network/churn', 'joins/0'],
  ])('by %j points there and says why', async (members, pointer, detail) => {
    const { status, json } = await post('/v1/elections', {
      ...{ protocol: 'cr-join', nodes: 3 },
      ...members,
    });

    expect(status).toBe(400);
    expect(json).toMatchObject({ errors: [{ pointer }] });
    expect(json.detail).toContain(detail);
    expect(json.detail).not.toMatch(/crashedBefore|faults|schedule:|1000000/);
  });

  it('may have initiators that crashed before and recover', async () => {
    const body = { protocol: 'bully-oneshot', nodes: 3, crash: 'highest', initiators: [3] };

    expect(await post('/v1/elections', body)).toMatchObject({ status: 201 });
  });
});

describe('an action of no known type', () => {
  it.each(['explode', undefined])('%s is answered with the types that exist', async (type) => {
    const { json } = await post('/v1/elections', { protocol: 'cr-join', nodes: 3 });

    const answer = await post(`/v1/elections/${json.id}/actions`, { type });

    expect(answer).toMatchObject({ status: 400, json: { errors: [{ pointer: '#/type' }] } });
    expect(answer.json.detail).toMatch(/must be one of start, crash, .*advance/);
  });
});

describe('a refused sweep', () => {
  it('is refused by the limits of the server', async () => {
    const axes = {
      'network.honest': 'range(1,1000,1)',
      'network.identity.c1': 'range(1,200,1)',
    };

    const { status, json } = await post('/v1/sweeps', { threatModel: 'top-id', axes });

    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'job.size', errors: [{ pointer: '#/axes' }] });
    expect(json.detail).toContain('at most 10000 cells');
    expect(json.detail).not.toContain('--');
  });

  it.each(['rows', 'cells'])('that was cancelled never has %s', async (table) => {
    const sweep = { threatModel: 'top-id', axes: { 'network.honest': [4, 8] } };
    // The first sweep executes forever.
    await post('/v1/sweeps', sweep);
    const { json } = await post('/v1/sweeps', sweep);
    await call('POST', `/v1/jobs/${json.id}/cancel`);

    const answer = await call('GET', `/v1/jobs/${json.id}/results/${table}`);

    expect(answer).toMatchObject({ status: 404, json: { code: 'not_found' } });
    expect(answer.json.detail).toContain('has no tables');
    expect(answer.json.detail).not.toContain('when it is done');
  });
});
