/**
 * @module
 * The limits of the jobs of one caller: number, processor time, kept results; and the order of callers.
 */

import { describe, expect, it } from 'vitest';

import { JOBS_QUEUED_MAX } from '../../../server/jobs/job-queue.ts';
import { bearer, limited, NAMES, settle } from '../callers/limited-lab.ts';

describe('jobs', () => {
  it('of one caller are limited in number, independently of other callers, until one ends', async () => {
    const { forge, started, clock } = limited({ jobs: 2 });
    await forge('ann');
    await forge('ann');

    const third = await forge('ann');
    const others = await forge('bob');
    clock.ms += 1000 * Number(third.headers.get('Retry-After'));
    started[0]?.end();
    await settle();
    const again = await forge('ann');

    expect(third).toMatchObject({ status: 429, json: { code: 'limit.concurrent' } });
    expect(third.json.retryAfterS).toBe(66);
    expect([others.status, again.status]).toEqual([202, 202]);
  });

  it('that wait give an estimate that includes the jobs of the callers before them', async () => {
    const { forge, started, clock } = limited({ jobs: 1 });
    await forge('c0');
    clock.ms = 10_000;
    started[0]?.end();
    await settle();
    await forge('bob');
    await forge('c1');
    await forge('ann');

    const refused = await forge('ann');

    // One minute for bob's job, ten seconds each for those of c1 and ann (as the one before), and a tenth more.
    expect(refused.json).toMatchObject({ code: 'limit.concurrent', retryAfterS: 88 });
  });

  it('use up processor time of their caller while they run, which refills', async () => {
    const { forge, started, clock, call } = limited({ cpuSecondsPerHour: 360 });
    const { json } = await forge('ann');
    clock.ms = 400_000;

    const during = await forge('ann');
    await call('POST', `/v1/jobs/${json.id}/cancel`, { headers: bearer('ann') });
    started[0]?.end();
    await settle();
    const after = await forge('ann');
    const others = await forge('bob');
    clock.ms += 1000 * Number(after.headers.get('Retry-After'));
    const later = await forge('ann');

    expect(during).toMatchObject({ status: 429, json: { code: 'limit.cpu' } });
    // 400 s were used: the budget of 360 s and 40 s that were refilled meanwhile.
    expect(after).toMatchObject({ status: 429, json: { code: 'limit.cpu', retryAfterS: 1 } });
    expect([others.status, later.status]).toEqual([202, 202]);
  });

  it('use up processor time twice as fast with a device, whose time counts as that of a thread', async () => {
    const statuses = [];
    for (const device of [undefined, 'gpu']) {
      const { forge, clock } = limited({ cpuSecondsPerHour: 360 });
      await forge('ann', '1', { device });
      // The budget of 360 s refills by a tenth of the time: it lasts for 400 s of a thread, and for 189 s of two.
      clock.ms = 200_000;
      statuses.push((await forge('ann', '2', { device })).status);
    }

    expect(statuses).toEqual([202, 429]);
  });

  it('of 30 callers run in turns: a first job waits for at most one job of each other caller', async () => {
    const { forge, started } = limited({});
    const asked = ['ann', 'ann', 'ann', ...NAMES.slice(1)];
    const statuses = [];
    for (const [index, name] of asked.entries()) {
      statuses.push((await forge(name, String(index))).status);
    }

    for (let count = 0; count < asked.length; count += 1) {
      started[count]?.end();
      await settle();
    }

    const order = started.map(({ seed }) => asked[Number(seed)]);
    expect(statuses).toEqual(asked.map(() => 202));
    // Ann's first job runs at once. Then it is her turn again, before the first jobs of the others.
    expect(order).toEqual(['ann', 'ann', ...NAMES.slice(1), 'ann']);
  });

  it('keep their position when the queue is full and others are refused', async () => {
    const { forge, get, started } = limited({});
    const { json: mine } = await forge('ann');
    const { json: waiting } = await forge('bob');
    for (let count = 1; count < JOBS_QUEUED_MAX; count += 1) {
      await forge(NAMES[1 + (count % (NAMES.length - 1))] ?? '');
    }

    const refused = await forge('c1');
    started[0]?.end();
    await settle();

    expect(refused).toMatchObject({ status: 503, json: { code: 'limit.queue' } });
    expect((await get('ann', `/v1/jobs/${mine.id}`)).json.status).toBe('done');
    expect((await get('bob', `/v1/jobs/${waiting.id}`)).json.status).toBe('running');
  });

  it('are forgotten in favour of newer jobs of the same caller only', async () => {
    const { forge, get, started } = limited({});
    const { json: mine } = await forge('ann');
    started[0]?.end();
    await settle();
    for (let count = 1; count <= 210; count += 1) {
      await forge('bob');
      started[count]?.end();
      await settle();
    }

    expect((await get('ann', `/v1/jobs/${mine.id}`)).status).toBe(200);
  });
});
