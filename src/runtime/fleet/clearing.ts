/**
 * @module
 * Removes the keys and the jobs of a sweep that ended, and the keys of BullMQ for a queue without jobs.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { resultsKey, sweepKey } from './wire.ts';

const CLEAR_MS_MAX = 5000;
const AGAIN_MS = 30;

// A job that is added meanwhile waits for the end of the script, and makes its keys again.
const CLEAR_IDLE = `
for at = 1, tonumber(ARGV[1]) do
  if redis.call('EXISTS', KEYS[at]) == 1 then return 0 end
end
for at = ARGV[1] + 1, #KEYS do redis.call('UNLINK', KEYS[at]) end
return 1`;
/** Keys that contain jobs, and the others. */
const JOB_KEYS = ['wait', 'active', 'delayed', 'prioritized', 'failed'] as const;
const OTHER_KEYS = ['meta', 'events', 'id', 'marker', 'stalled', 'stalled-check'] as const;

/**
 * Removes the data of a sweep and its jobs with these ids. A worker gives up such a job at its next run. The
 * lock of a dead worker runs out. A worker removes the jobs that are left after that when it takes them.
 */
export async function clearSweep(
  client: Redis,
  jobs: Queue<unknown, null, string>,
  {
    queue,
    sweep,
    ids,
  }: { readonly queue: string; readonly sweep: string; readonly ids: readonly string[] },
): Promise<void> {
  await client.unlink(sweepKey(queue, sweep), resultsKey(queue, sweep));
  const deadlineMs = performance.now() + CLEAR_MS_MAX;
  let left = ids;
  for (;;) {
    left = await removeJobs(jobs, left);
    const isIdle = left.length === 0 && (await clearIdle(client, jobs));
    if (isIdle || performance.now() > deadlineMs) break;
    await delay(AGAIN_MS);
  }
  // A worker may have put records there meanwhile.
  await client.unlink(resultsKey(queue, sweep));
}

/** Returns the ids of the jobs that could not be removed yet. */
async function removeJobs(
  jobs: Queue<unknown, null, string>,
  ids: readonly string[],
): Promise<readonly string[]> {
  const left: string[] = [];
  for (const id of ids) {
    const isRemoved = (await jobs.remove(id)) === 1;
    if (!isRemoved && (await jobs.getJobState(id)) !== 'unknown') left.push(id);
  }
  return left;
}

/** Removes the keys of a queue without jobs. Returns false if it has jobs. Live workers make some keys again. */
export async function clearIdle(
  client: Redis,
  jobs: { toKey(name: string): string },
): Promise<boolean> {
  const keys = [...JOB_KEYS, ...OTHER_KEYS].map((name) => jobs.toKey(name));
  return (await client.eval(CLEAR_IDLE, keys.length, ...keys, JOB_KEYS.length)) === 1;
}
