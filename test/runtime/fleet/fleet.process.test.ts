/**
 * @module
 * Sweeps on a fleet give the records that there are without one, whatever happens to its workers and
 * its Redis, and leave nothing there.
 */

import type { ChildProcess } from 'node:child_process';
import type { Job } from 'bullmq';
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { executeChunk } from '../../../src/experiment/sweep/chunk.ts';
import { packRecords } from '../../../src/experiment/sweep/packing.ts';
import { createBullmqEngine } from '../../../src/runtime/fleet/engine.ts';
import {
  jobsQueue,
  keyPrefix,
  readOrder,
  resultsKey,
  resultText,
} from '../../../src/runtime/fleet/wire.ts';
import { STILL, topId } from '../../experiment/models.ts';
import type { RedisServer } from '../../redis-server.ts';
import { freePort, HAS_REDIS, startRedis } from '../../redis-server.ts';
import {
  CODE,
  endWorker,
  keysLeft,
  recordsAlone,
  rememberingDriver,
  sortedRecords,
  spawnWorker,
  sweepKeysLeft,
  sweepOf,
} from './fleets.ts';

const MINED = topId(
  'network.honest=3',
  'network.identity.c1=2',
  'adversaries.main.budget.attempts=9',
);
const SAMPLED = topId('work=sampled');
/** A few milliseconds a run, for its elections. */
const DEAR = topId('work=sampled', 'network.honest=150');
const DEAR_SWEEP = sweepOf([DEAR], { runs: 160 });
const REFUSED = { code: 'arguments' };

describe.skipIf(!HAS_REDIS)('a fleet', () => {
  let server: RedisServer;
  let dearRecords: ReturnType<typeof recordsAlone> | null = null;
  const dearAlone = () => {
    dearRecords ??= recordsAlone(DEAR_SWEEP);
    return dearRecords;
  };
  const workers: ChildProcess[] = [];
  /** Ensures this number of workers. Workers of earlier tests continue. */
  const hire = async (count: number, codeVersion = CODE) => {
    const missing = Array.from({ length: Math.max(0, count - workers.length) });
    const hired = missing.map(() => spawnWorker(server.url, codeVersion));
    workers.push(...(await Promise.all(hired)));
  };
  const dismissAll = () => Promise.all(workers.splice(0).map(endWorker));
  beforeAll(async () => {
    server = await startRedis({ log: true });
  });
  afterAll(async () => {
    await dismissAll();
    await server.close();
  });

  it('gives the records of a sweep without one, and keeps no key', async () => {
    const spec = sweepOf([MINED, SAMPLED], { runs: 24 });
    const driver = rememberingDriver(spec, { chunkRuns: 8 });
    await hire(2);
    const engine = await createBullmqEngine({ redis: server.url });

    await engine.execute(spec, driver);

    const status = engine.status();
    await engine.close();
    const keys = await sweepKeysLeft(server.url);
    await dismissAll();
    expect(sortedRecords(driver.reports)).toEqual(recordsAlone(spec));
    expect(driver.outMax()).toBeLessThanOrEqual(4);
    expect(status).toMatch(/^2 workers live, 2 threads, \d+ jobs? waiting$/);
    expect(keys).toEqual([]);
    expect(await keysLeft(server.url)).toEqual([]);
  });

  it('loses and doubles nothing when a worker is killed', async () => {
    const driver = rememberingDriver(DEAR_SWEEP, { chunkRuns: 20 });
    await hire(2);
    const engine = await createBullmqEngine({ redis: server.url });
    const execution = engine.execute(DEAR_SWEEP, driver);
    await driver.reported(2);

    workers.shift()?.kill('SIGKILL');
    await execution;

    await engine.close();
    expect(driver.reports).toHaveLength(driver.chunks);
    expect(sortedRecords(driver.reports)).toEqual(dearAlone());
    expect(await sweepKeysLeft(server.url)).toEqual([]);
  });

  it('loses and doubles nothing when Redis is started again', async () => {
    const driver = rememberingDriver(DEAR_SWEEP, { chunkRuns: 20 });
    await hire(2);
    const said: string[] = [];
    const engine = await createBullmqEngine({ redis: server.url, say: (line) => said.push(line) });
    const execution = engine.execute(DEAR_SWEEP, driver);
    await driver.reported(2);

    await server.stop();
    await server.start();
    await execution;

    await engine.close();
    expect(driver.reports).toHaveLength(driver.chunks);
    expect(sortedRecords(driver.reports)).toEqual(dearAlone());
    expect(said.join('\n')).toMatch(/is away; waiting for it[\s\S]*Redis is back/);
    expect(await sweepKeysLeft(server.url)).toEqual([]);
  });

  it('puts everything again that a Redis forgot', async () => {
    const driver = rememberingDriver(DEAR_SWEEP, { chunkRuns: 40 });
    await hire(1);
    const engine = await createBullmqEngine({ redis: server.url });
    const execution = engine.execute(DEAR_SWEEP, driver);
    await driver.reported(1);

    const client = new Redis(server.url);
    await client.flushall();
    client.disconnect();
    await execution;

    await engine.close();
    expect(driver.reports).toHaveLength(driver.chunks);
    expect(sortedRecords(driver.reports)).toEqual(dearAlone());
  });

  it('leaves no job behind when it is cancelled', async () => {
    const spec = sweepOf([DEAR], { runs: 4000 });
    const driver = rememberingDriver(spec, { chunkRuns: 1000 });
    await hire(1);
    const engine = await createBullmqEngine({ redis: server.url });
    const execution = engine.execute(spec, driver);
    setTimeout(() => driver.abort(), 500);

    await execution;

    await engine.close();
    expect(driver.reports).toEqual([]);
    expect(await sweepKeysLeft(server.url)).toEqual([]);
  });

  it('is cancelled also while Redis is away', async () => {
    const spec = sweepOf([MINED], { runs: 10 });
    const driver = rememberingDriver(spec, { chunkRuns: 10 });
    await dismissAll();
    const engine = await createBullmqEngine({ redis: server.url });
    const execution = engine.execute(spec, driver);
    await expect.poll(() => engine.status()).toContain('no worker is live');
    await server.stop();
    await expect.poll(() => engine.status()).toMatch(/^Redis is away for \d+ s$/);

    driver.abort();
    await execution;

    await engine.close();
    await server.start();
    expect(driver.reports).toEqual([]);
  });

  it('waits for workers, and says when those that live have other code', async () => {
    const spec = sweepOf([MINED], { runs: 10 });
    const driver = rememberingDriver(spec, { chunkRuns: 10 });
    await dismissAll();
    await hire(1, '2.0.0+other');
    const said: string[] = [];
    const engine = await createBullmqEngine({ redis: server.url, say: (line) => said.push(line) });
    const execution = engine.execute(spec, driver);
    await expect.poll(() => said.length).toBe(1);

    const status = engine.status();
    await engine.close();
    await execution;

    expect(status).toContain(`no live worker has code ${CODE}, 1 worker has 2.0.0+other;`);
    expect(said).toEqual([status]);
    expect(driver.reports).toEqual([]);
  });
});

describe.skipIf(!HAS_REDIS)('a worker that errs', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ log: false });
  });
  afterAll(() => server.close());

  it('makes failed rows of its chunks, and the sweep goes on', async () => {
    const spec = sweepOf([SAMPLED, MINED, DEAR], { runs: 4 });
    const driver = rememberingDriver(spec, { chunkRuns: 4 });
    const client = new Redis(server.url, { maxRetriesPerRequest: null });
    const work = async ({ id = '', data }: Job) => {
      const order = readOrder(data);
      if (order?.cell === 1) throw new TypeError('a bug');
      const chunk = { cell: order?.cell ?? 0, from: 0, count: 4 };
      const packed = order?.cell === 0 ? '{}' : packRecords(executeChunk(spec, chunk, STILL));
      const text = resultText(id, { packed, wallSeconds: 0 });
      // Nonsense before it, and the result twice.
      await client.rpush(resultsKey('default', order?.sweep ?? ''), 'nonsense', text, text);
    };
    const prefix = keyPrefix('default');
    const worker = new Worker(jobsQueue(CODE), work, { connection: client, prefix });
    const engine = await createBullmqEngine({ redis: server.url });

    await engine.execute(spec, driver);

    await engine.close();
    await worker.close();
    client.disconnect();
    const failures = driver.reports.map(({ chunk, records }) => [
      chunk.cell,
      ...new Set(records.map((record) => record.failure)),
    ]);
    expect(failures.toSorted()).toEqual([
      [0, 'job.failed: no result had the right shape'],
      [1, 'job.failed: a bug'],
      [2, null],
    ]);
    expect(await sweepKeysLeft(server.url)).toEqual([]);
  });
});

describe('an engine is refused', () => {
  it('if no Redis answers', async () => {
    const redis = `redis://127.0.0.1:${await freePort()}`;

    const refusal = createBullmqEngine({ redis });

    await expect(refusal).rejects.toMatchObject({ code: 'storage.unavailable' });
    await expect(refusal).rejects.toThrow(`no Redis can be used at ${redis} (connect ECONNREFUSED`);
  });

  it.each(['http://127.0.0.1', '127.0.0.1:6379', 'redis://'])('at %s', async (redis) => {
    const refusal = createBullmqEngine({ redis });

    await expect(refusal).rejects.toMatchObject(REFUSED);
    await expect(refusal).rejects.toThrow('has the form redis://127.0.0.1:6379');
  });

  it('for a queue that is no name, and never prints a password', async () => {
    const redis = `redis://:secret@127.0.0.1:${await freePort()}`;

    await expect(createBullmqEngine({ redis, queue: 'a:b' })).rejects.toMatchObject(REFUSED);
    await expect(createBullmqEngine({ redis })).rejects.not.toThrow('secret');
  });
});
