/**
 * @module
 * `usurp worker` as people start it: works for a sweep of the same code, ends when it is told to, and
 * says what is wrong with a Redis.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeVersion } from '../../../src/runtime/files/code-version.ts';
import { createBullmqEngine } from '../../../src/runtime/fleet/engine.ts';
import { topId } from '../../experiment/models.ts';
import type { RedisServer } from '../../redis-server.ts';
import { freePort, HAS_REDIS, startRedis } from '../../redis-server.ts';
import {
  keysLeft,
  recordsAlone,
  rememberingDriver,
  sortedRecords,
  sweepOf,
} from '../../runtime/fleet/fleets.ts';
import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const QUEUE = 'lab-1';

describe.skipIf(!HAS_REDIS)('usurp worker', () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis({ log: false });
  });
  afterAll(() => server.close());

  it('computes sweeps of its queue until SIGTERM, then prints the counts', async () => {
    const spec = sweepOf([topId('work=sampled')], { runs: 40, codeVersion: codeVersion() });
    const driver = rememberingDriver(spec, { chunkRuns: 10 });
    const flags = ['--redis', server.url, '--queue', QUEUE, '--workers', '1', '--json'];
    const child = spawnUsurp(['worker', ...flags]);
    const end = ended(child);
    await once(child.stderr, 'data');
    const engine = await createBullmqEngine({ redis: server.url, queue: QUEUE });

    await engine.execute(spec, driver);

    await engine.close();
    child.kill('SIGTERM');
    const { code, stdout, stderr } = await end;
    expect(sortedRecords(driver.reports)).toEqual(recordsAlone(spec));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ chunks: 4, runs: 40 });
    expect(stderr).toMatch(/^ready: 1 thread, queue lab-1, code .*; Ctrl-C stops it\n/);
    // On a busy machine a line of progress can be printed before it.
    expect(stderr).toMatch(/^works for sweep /m);
    expect(await keysLeft(server.url)).toEqual([]);
  });

  it('gives a sweep the same tables as threads', async () => {
    const folder = scratchFolder();
    const sweep = ['sweep', 'top-id', '--runs', '20', '--seed', '5'];
    sweep.push('--set', 'work=sampled', '--set', 'network.identity.c1=4,6');
    const child = spawnUsurp(['worker', '--redis', server.url, '--workers', '1']);
    const end = ended(child);
    await once(child.stderr, 'data');
    const fleet = ['--engine', 'bullmq', '--redis', server.url];

    const alone = await usurp([...sweep, '--workers', '1', '--out', join(folder, 'a.csv')]);
    const together = await usurp([...sweep, ...fleet, '--out', join(folder, 'b.csv')]);

    child.kill('SIGTERM');
    const { stdout } = await end;
    const [a, b] = ['a.csv', 'b.csv'].map((name) => readFileSync(join(folder, name), 'utf8'));
    expect([alone.code, together.code]).toEqual([0, 0]);
    expect(b).toBe(a);
    expect(stdout).toMatch(/ 40 runs\n$/);
  });

  it('returns a chunk that would take too long when it must stop', async () => {
    const dear = topId('work=sampled', 'network.honest=200');
    const spec = sweepOf([dear], { runs: 50_000, codeVersion: codeVersion() });
    const driver = rememberingDriver(spec, { chunkRuns: 50_000 });
    const said: string[] = [];
    const child = spawnUsurp(['worker', '--redis', server.url, '--workers', '1']);
    const end = ended(child);
    await once(child.stderr, 'data');
    const engine = await createBullmqEngine({ redis: server.url, say: (line) => said.push(line) });
    const execution = engine.execute(spec, driver);
    await once(child.stderr, 'data');

    child.kill('SIGTERM');
    const { code, stdout } = await end;
    await expect.poll(() => engine.status(), { timeout: 5000 }).toContain('no worker is live');

    await engine.close();
    await execution;
    expect([code, stdout]).toEqual([0, '0 chunks, 0 runs\n']);
    expect(said.at(-1)).toContain(`start one: usurp worker --redis ${server.url}`);
    expect(await keysLeft(server.url)).toEqual([]);
  });
});

describe.skipIf(!HAS_REDIS)('usurp worker whose Redis went away', () => {
  it('stops on SIGTERM', async () => {
    const server = await startRedis({ log: false });
    const child = spawnUsurp(['worker', '--redis', server.url, '--workers', '1']);
    const end = ended(child);
    await once(child.stderr, 'data');
    await server.stop();
    await once(child.stderr, 'data');

    child.kill('SIGTERM');
    const { code, stdout } = await end;

    await server.close();
    expect([code, stdout]).toEqual([0, '0 chunks, 0 runs\n']);
  });
});

describe('usurp worker refuses', () => {
  it('a Redis that does not answer', async () => {
    const redis = `redis://127.0.0.1:${await freePort()}`;

    const { code, stderr } = await usurp(['worker', '--redis', redis]);

    expect(code).toBe(255);
    expect(stderr).toMatch(`usurp: no Redis can be used at ${redis} (connect ECONNREFUSED`);
    expect(stderr).toContain('start one (redis-server) or name it');
  });

  it.each([
    ['--queue', 'A b', 'lower-case letters'],
    ['--workers', '0', '1..256'],
    ['--redis', 'localhost', 'has the form redis://'],
  ])('%s %s', async (flag, value, remedy) => {
    const { code, stderr } = await usurp(['worker', flag, value]);

    expect(code).toBe(254);
    expect(stderr).toContain(remedy);
  });
});
