/**
 * @module
 * 200 faults of a nemesis in ten minutes for each protocol, with no failure where the documents promise none, and each
 * failure that they promise within 50 faults. The seed can be given as NEMESIS_SEED; it is drawn by the day otherwise, and
 * printed.
 */

import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { expect, it } from 'vitest';
import { runNemesis } from './run.ts';

const seed = process.env.NEMESIS_SEED ?? String(Math.floor(Date.now() / 86_400_000));
const hasRedis = spawnSync('redis-server', ['--version']).error === undefined;
const RUN = { seed, kinds: 'kill,die-at,pause,partition,jump', latency: '30ms' };
const FAULTS_MIN = 200;
/** Within these the failures that are promised are found. */
const PROMISED_MAX = 50;

function print(about: string, outcome: object): void {
  process.stderr.write(`${about}, NEMESIS_SEED=${seed}: ${JSON.stringify(outcome)}\n`);
}

it.each([
  { protocol: 'raft' },
  { protocol: 'db-lease', store: 'sqlite', resource: 'fencing-max' },
  { protocol: 'kubernetes-lease', store: 'sqlite', resource: 'fencing-max' },
  { protocol: 'lease-local', store: 'redis', resource: 'fencing-max' },
])('200 faults of $protocol give no failure', async (run) => {
  if (run.store === 'redis' && !hasRedis) {
    process.stderr.write('skipped: redis-server is not installed\n');
    return;
  }
  const { code, nemesis, check } = await runNemesis({ ...RUN, ...run, time: '10m' });

  print(run.protocol, { code, ...nemesis, ...check, nodes: undefined });
  expect(nemesis.failure).toBeNull();
  expect(check).toMatchObject({ accepted: true, defect: null, epochClash: null });
  expect(nemesis.faults).toBeGreaterThanOrEqual(FAULTS_MIN);
});

it.each([
  { protocol: 'db-lease', store: 'sqlite' },
  { protocol: 'kubernetes-lease', store: 'sqlite' },
  { protocol: 'lease-local', store: 'redis' },
])('a late write of $protocol without a fence is found within 50 faults', async (run) => {
  if (run.store === 'redis' && !hasRedis) return;
  const more = ['--trials', '20'];
  const { nemesis, check } = await runNemesis({
    ...{ ...RUN, ...run, resource: 'unfenced', time: '10m', more },
  });

  print(`${run.protocol} unfenced`, { ...nemesis, ...check, nodes: undefined });
  expect(nemesis.failure).toBe('late-write');
  expect(nemesis.faults).toBeLessThanOrEqual(PROMISED_MAX);
  expect(check.accepted).toBe(true);
});
