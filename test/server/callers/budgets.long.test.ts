/**
 * @module
 * The limits of one caller: requests, time of elections, streams, storage. The Retry-After of each refusal
 * is sufficient, other callers are not affected, and a refusal is cheap.
 */

import process from 'node:process';

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  BUCKETS_MAX,
  CallerBudgets,
  NO_LIMITS,
  SHARED_LIMITS,
  TokenBuckets,
} from '../../../server/callers/caller-budgets.ts';
import { OverloadError } from '../../../server/request/refusals.ts';
import { labUnderTest } from '../lab-under-test.ts';
import { bearer, limited } from './limited-lab.ts';

describe('a budget that refills', () => {
  it('refuses when it is used up, and gives the exact time until it is not', () => {
    const clock = { ms: 0 };
    const buckets = new TokenBuckets({ perSecond: 2, burst: 3 }, () => clock.ms);

    buckets.take('a', 5);
    const wait = buckets.waitS('a');
    clock.ms = 1000 * wait + 1;

    expect(wait).toBe(1);
    expect(buckets.waitS('a')).toBe(0);
    expect(buckets.waitS('b')).toBe(0);
  });

  it('never exceeds its burst, however long nothing is taken', () => {
    const clock = { ms: 0 };
    const buckets = new TokenBuckets({ perSecond: 1, burst: 3 }, () => clock.ms);
    buckets.take('a', 1);

    clock.ms = 1e9;
    for (let count = 0; count < 3; count += 1) buckets.take('a', 1);

    expect(buckets.waitS('a')).toBeGreaterThan(0);
  });

  it('remembers a limited number of keys, and prefers those in debt', () => {
    const clock = { ms: 0 };
    const buckets = new TokenBuckets({ perSecond: 1, burst: 10 }, () => clock.ms);
    buckets.take('deep in debt', 1e6);

    for (let key = 0; key < 3 * BUCKETS_MAX; key += 1) {
      clock.ms += 100;
      buckets.take(`${key}`, 1);
    }

    expect(buckets.size).toBeLessThanOrEqual(BUCKETS_MAX);
    expect(buckets.waitS('deep in debt')).toBeGreaterThan(0);
  });
});

describe('Retry-After', () => {
  it('is sufficient: a caller that waits as long is accepted, whatever it took before', () => {
    const limits = { ...NO_LIMITS, requestsPerSecond: 7, electionMsPerSecond: 50 };

    fc.assert(
      fc.property(
        fc.array(fc.record({ pauseMs: fc.nat(900), cost: fc.nat(3000) }), { maxLength: 60 }),
        (steps) => {
          const clock = { ms: 0 };
          const budgets = new CallerBudgets(limits, () => clock.ms);
          for (const { pauseMs, cost } of steps) {
            clock.ms += pauseMs;
            for (const ask of [
              () => budgets.takeRequest('a'),
              () => budgets.assertElectionTime('a'),
            ]) {
              const refusal = refusalOf(ask);
              if (refusal === null) continue;
              clock.ms += 1000 * refusal.retryAfterS;
              ask();
            }
            budgets.chargeElectionTime('a', cost);
          }
        },
      ),
      { seed: 8, numRuns: 200 },
    );
  });

  it('is sent with the refusal in whole seconds, and is long enough', async () => {
    const { get, clock } = limited({ requestsPerSecond: 2 });
    for (let count = 0; count < 2; count += 1) await get('ann', '/v1/protocols');

    const refused = await get('ann', '/v1/protocols');
    clock.ms += 1000 * Number(refused.headers.get('Retry-After'));
    const taken = await get('ann', '/v1/protocols');

    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.rate', retryAfterS: 1 } });
    expect(taken.status).toBe(200);
  });
});

describe('requests', () => {
  it('of a caller that floods are limited to its share, and those of others are not', () => {
    const clock = { ms: 0 };
    const budgets = new CallerBudgets(SHARED_LIMITS, () => clock.ms);
    const taken = { flooder: 0, other: 0 };
    const ask = (caller: keyof typeof taken) => {
      if (refusalOf(() => budgets.takeRequest(caller)) === null) taken[caller] += 1;
    };

    for (; clock.ms < 10_000; clock.ms += 1) {
      ask('flooder');
      ask('flooder');
      if (clock.ms % 5 === 0) ask('other');
    }

    expect(taken.other).toBe(2000);
    expect(taken.flooder).toBeGreaterThan(10 * SHARED_LIMITS.requestsPerSecond);
    expect(taken.flooder).toBeLessThanOrEqual(11 * SHARED_LIMITS.requestsPerSecond);
  });

  it('for health checks are never counted', async () => {
    const { app, get } = limited({ requestsPerSecond: 1 });
    for (let count = 0; count < 5; count += 1) await get('ann', '/v1/protocols');

    const statuses = [];
    for (const path of ['/healthz', '/readyz']) {
      statuses.push((await app.request(path, { headers: bearer('ann') })).status);
    }

    expect(statuses).toEqual([200, 200]);
  });

  it('are counted before their bodies are read', async () => {
    const { post, get } = limited({ requestsPerSecond: 1 });
    await get('ann', '/v1/protocols');

    const refused = await post('/v1/elections', '{{{', bearer('ann'));

    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.rate' } });
  });

  it('that are refused are counted in the metrics, by budget', async () => {
    const clock = { ms: 0 };
    const limits = { requestsPerSecond: 1 };
    const { app, call } = labUnderTest({ limits, nowMs: () => clock.ms });
    const statuses = [];
    for (let count = 0; count < 4; count += 1) {
      statuses.push((await call('GET', '/v1/protocols')).status);
    }
    clock.ms = 2000;

    const scrape = await (await app.request('/metrics')).text();

    expect(statuses).toEqual([200, 429, 429, 429]);
    expect(scrape).toContain('usurp_caller_refusals_total{budget="requests"} 3');
    expect(scrape).toContain('usurp_caller_refusals_total{budget="jobs"} 0');
  });

  it('that are refused cost less than 0.2 ms', async () => {
    const { app, get } = limited({ requestsPerSecond: 1 });
    const headers = { ...bearer('ann'), 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify({ pad: 'x'.repeat(10_000) }) };
    const batchMs = async () => {
      const before = process.threadCpuUsage();
      for (let count = 0; count < 100; count += 1) await app.request('/v1/elections', init);
      const { user, system } = process.threadCpuUsage(before);
      return (user + system) / 1e5;
    };
    await get('ann', '/v1/protocols');

    const costs = [];
    for (let batch = 0; batch < 10; batch += 1) costs.push(await batchMs());

    // The fastest of ten, because other work of this thread (such as compiling) is not its cost.
    expect(Math.min(...costs)).toBeLessThan(0.2);
  });
});

describe('elections', () => {
  it('use time on the thread that answers, and the next one of the caller waits if it is used up', async () => {
    const { post, get, call, clock } = limited({ electionMsPerSecond: 0.01 });
    const make = (name: string) =>
      post('/v1/elections', { protocol: 'bully-oneshot', nodes: 200 }, bearer(name));
    const { json, status } = await make('ann');
    const headers = { ...bearer('ann'), 'Last-Event-ID': '3' };

    const costly = [];
    for (const path of ['trace', 'events', 'messages']) {
      costly.push((await call('GET', `/v1/elections/${json.id}/${path}`, { headers })).status);
    }
    const read = await get('ann', `/v1/elections/${json.id}`);
    const refused = await make('ann');
    const others = await make('bob');
    clock.ms += 1000 * Number(refused.headers.get('Retry-After'));
    const later = await make('ann');

    expect(refused).toMatchObject({ status: 429, json: { code: 'limit.rate' } });
    expect(costly).toEqual([429, 429, 429]);
    expect([status, read.status, others.status, later.status]).toEqual([201, 200, 201, 201]);
  });

  it('also use time when they are streamed: a stream that is opened again replays again', async () => {
    const { elect, app, clock, post } = limited({ electionMsPerSecond: 4 });
    // A caller that has used it up pauses until some of it is back.
    const ticking = setInterval(() => (clock.ms += 50), 10);
    const { json } = await elect('ann', 60);
    const events = { headers: { ...bearer('ann'), Accept: 'application/jsonl' } };
    clock.ms += 1e6;

    let opened = 0;
    for (; opened < 100; opened += 1) {
      const response = await app.request(`/v1/elections/${json.id}/events`, events);
      await response.text();
      if (response.status === 429) break;
    }
    clearInterval(ticking);
    const act = await post(`/v1/elections/${json.id}/actions`, { type: 'start' }, bearer('ann'));

    expect(opened).toBeGreaterThan(0);
    expect(opened).toBeLessThan(100);
    expect(act.status).toBe(429);
  });

  it('of one caller are limited in bytes, with their actions; deleting one makes room', async () => {
    const { elect, post, call } = limited({ storedBytes: 150_000 });
    const { json } = await elect('ann');
    await elect('ann');

    const refused = await elect('ann');
    const others = await elect('bob');
    const fork = await post(`/v1/elections/${json.id}/fork`, {}, bearer('ann'));
    await call('DELETE', `/v1/elections/${json.id}`, { headers: bearer('ann') });
    const again = await elect('ann');

    expect(refused).toMatchObject({ status: 413, json: { code: 'limit.storage' } });
    expect([others.status, fork.status, again.status]).toEqual([201, 413, 201]);
  });
});

describe('streams', () => {
  it('of one caller are limited, and one that ends makes room', async () => {
    const { elect, app, elections } = limited({ streams: 8 });
    const { json } = await elect('ann');
    const { json: theirs } = await elect('bob');
    const open = (name: string, id: unknown) =>
      app.request(`/v1/elections/${id}/events?follow=true`, { headers: bearer(name) });
    const streams = [];
    for (let count = 0; count < 8; count += 1) streams.push(await open('ann', json.id));

    const ninth = await open('ann', json.id);
    const others = await open('bob', theirs.id);
    await streams[0]?.body?.cancel();
    const again = await open('ann', json.id);

    expect(ninth.status).toBe(429);
    expect(await ninth.json()).toMatchObject({ code: 'limit.connections', retryAfterS: 5 });
    expect([others.status, again.status]).toEqual([200, 200]);
    for (const stream of [...streams.slice(1), others, again]) await stream.body?.cancel();
    expect(elections.streams.open).toBe(0);
  });
});

it('the parameters contain the limits, and 0 if there is none', async () => {
  const bounded = await limited({ jobs: 3, streams: 8 }).get('ann', '/v1/params');

  expect(bounded.json.limits).toMatchObject({
    ...{ jobsPerCaller: 3, streamsPerCaller: 8, requestsPerSecondPerCaller: 0 },
    ...{ cpuSecondsPerHourPerCaller: 0, electionMsPerSecondPerCaller: 0 },
    slowCheckMsPerSecondPerCaller: 0,
    electionBytesPerCaller: 0,
  });
});

/** The refusal of `ask`; null if it is accepted. */
function refusalOf(ask: () => void): OverloadError | null {
  try {
    ask();
    return null;
  } catch (error) {
    if (error instanceof OverloadError) return error;
    throw error;
  }
}
