/**
 * @module
 * The server under load, as counts. While one caller floods it, all other callers are answered and every
 * follower gets every event once. Afterwards nothing stays open. `npm run bench:load` measures the speed.
 */

import { afterAll, beforeAll, expect, it } from 'vitest';

import { hangUp } from '../../bench/load/client.ts';
import type { Ground, Measured } from '../../bench/load/stretch.ts';
import { prepareGround, stretch } from '../../bench/load/stretch.ts';
import { BURST_SECONDS, SHARED_LIMITS } from '../../server/callers/caller-budgets.ts';

const STREAMS = 300;
const LOAD = { seconds: 20, perSecond: 200, streams: STREAMS, flood: 2000 };

let ground: Ground;
let measured: Measured;

beforeAll(async () => {
  ground = await prepareGround({ isStored: true, profile: null });
  measured = await stretch(ground, LOAD);
}, 300_000);

afterAll(async () => {
  hangUp();
  await ground.server.close();
});

it('answers all callers but the flooder', () => {
  const refused = measured.samples.filter(({ status }) => status < 200 || status >= 300);

  expect(measured.samples).toHaveLength(LOAD.seconds * LOAD.perSecond);
  expect(refused.map(({ operation, status }) => `${operation}: ${status}`)).toEqual([]);
});

it('accepts no more requests of the flooder than its budget, and aborts no answer', () => {
  const { statuses = {}, errors, seconds = 0 } = measured.flooded ?? {};
  const { requestsPerSecond } = SHARED_LIMITS;

  const passed = Object.entries(statuses).filter(([status]) => status !== '429');
  const count = passed.reduce((sum, [, each]) => sum + each, 0);

  expect(passed.filter(([status]) => Number(status) >= 500)).toEqual([]);
  expect(count).toBeGreaterThan(0);
  // One second more, because the flooder's clock differs from the server's.
  expect(count).toBeLessThanOrEqual(requestsPerSecond * (seconds + BURST_SECONDS.requests + 1));
  expect(errors).toBe(0);
});

it('sends every event and the end once to every follower', () => {
  const { followed, silent } = measured;

  expect(followed.events).toBeGreaterThan(STREAMS);
  expect({ faults: followed.faults, silent }).toEqual({ faults: 0, silent: 0 });
});

it('keeps nothing open afterwards', async () => {
  const { resources } = await ground.server.testify();

  const left = {
    streams: await ground.server.metric('usurp_streams_open'),
    elections: await ground.server.metric('usurp_elections_kept'),
    sockets: resources.TCPSocketWrap ?? 0,
  };

  // The metrics use one connection, or two.
  expect(left).toEqual({ streams: 0, elections: 0, sockets: expect.any(Number) });
  expect(left.sockets).toBeLessThanOrEqual(2);
});
