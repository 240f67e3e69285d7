/**
 * @module
 * Leaves nothing behind: the keys of a sweep that ended, its jobs, and what BullMQ keeps about a queue
 * in which no job is left.
 */

import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { resultsKey, sweepKey } from './wire.ts';

const CLEAR_MS_MAX = 5000;
const AGAIN_MS = 30;

// A job that is added meanwhile waits for the script's end, and brings its keys with it again.
const CLEAR_IDLE = `
for at = 1, tonumber(ARGV[1]) do
  if redis.call('EXISTS', KEYS[at]) == 1 then return 0 end
end
for at = ARGV[1] + 1, #KEYS do redis.call('UNLINK', KEYS[at]) end
return 1`;
/** Where jobs are, and what there is besides. */
const JOB_KEYS = ['wait', 'active', 'delayed', 'prioritized', 'failed'] as const;
const OTHER_KEYS = ['meta', 'events', 'id', 'marker', 'stalled', 'stalled-check'] as const;

/**
 * Removes what is stored for a sweep and the jobs of these ids. A worker gives up a job at its next
 * run, since nobody wants the sweep any more; the lock of a dead one runs out. What is then still left
 * goes when a worker meets it.
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
  // A worker may have been about to put records there.
  await client.unlink(resultsKey(queue, sweep));
}

/** Returns the ids of those that could not be removed yet. */
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

/** Whether the queue was without jobs and its keys are gone; live workers make some again. */
export async function clearIdle(
  client: Redis,
  jobs: { toKey(name: string): string },
): Promise<boolean> {
  const keys = [...JOB_KEYS, ...OTHER_KEYS].map((name) => jobs.toKey(name));
  return (await client.eval(CLEAR_IDLE, keys.length, ...keys, JOB_KEYS.length)) === 1;
}
