/**
 * @module
 * This folder runs sweeps on a fleet of machines. This file is the engine: chunks are jobs of a BullMQ queue
 * in Redis, which each `usurp worker` with the same code takes. The queue holds only jobs that the workers can
 * take soon, so that neither Redis nor this process stores much work.
 */

import { Queue } from 'bullmq';
import { LabError } from '../../errors.ts';
import type { SweepDriver, SweepEngine, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { FleetSweep } from './fleet-sweep.ts';
import type { Fleet } from './redis.ts';
import { connectRedis, reportLosses, unusable } from './redis.ts';
import { jobsQueue, keyPrefix, QUEUE_DEFAULT, QUEUE_NAME } from './wire.ts';

export interface BullmqOptions {
  /** Such as `redis://127.0.0.1:6379`. */
  readonly redis: string;
  /** Workers of another queue in the same Redis ignore the sweep. */
  readonly queue?: string | undefined;
  /** Receives a line for the user when the fleet changes. */
  readonly say?: ((line: string) => void) | undefined;
}

/** Connects to the Redis of a fleet. Throws LabError `storage.unavailable` if that fails. */
export async function createBullmqEngine(options: BullmqOptions): Promise<SweepEngine> {
  const { queue = QUEUE_DEFAULT, say = () => undefined } = options;
  if (!QUEUE_NAME.test(queue)) {
    throw new LabError(
      'arguments',
      `queue ${JSON.stringify(queue)} must be lower-case letters, digits and hyphens, at most 40`,
    );
  }
  const link = await connectRedis(options.redis);
  try {
    const waiting = await connectRedis(options.redis);
    return engineOver({ link, waiting, queue, say });
  } catch (error) {
    link.close();
    throw error;
  }
}

function engineOver(fleet: Fleet): SweepEngine {
  let current: FleetSweep | null = null;
  let running: Promise<void> = Promise.resolve();
  const closing = new AbortController();
  const { address } = fleet.link;
  reportLosses(fleet.link, fleet.say);
  return {
    execute(spec: SweepSpec, driver: SweepDriver): Promise<void> {
      const signal = AbortSignal.any([driver.signal, closing.signal]);
      const execution = withJobs(fleet, spec.codeVersion, async (jobs) => {
        current = new FleetSweep(fleet, jobs, { spec, driver, signal });
        await current.run();
      });
      running = execution.catch(() => undefined);
      return execution;
    },
    status: () => current?.status() ?? `Redis at ${address}`,
    async close() {
      closing.abort();
      await running;
      fleet.waiting.close();
      fleet.link.close();
    },
  };
}

/** Works with the queue of a version of the code. Throws LabError `storage.unavailable`. */
async function withJobs(
  { link, queue }: Fleet,
  codeVersion: string,
  work: (jobs: Queue<unknown, null, string>) => Promise<void>,
): Promise<void> {
  const jobs = new Queue<unknown, null, string>(jobsQueue(codeVersion), {
    connection: link.client,
    prefix: keyPrefix(queue),
  });
  // The link reports lost connections. Other errors reject the command.
  jobs.on('error', () => undefined);
  try {
    await jobs.waitUntilReady().catch((error) => {
      throw unusable(link, error);
    });
    await work(jobs);
  } finally {
    await jobs.close();
  }
}
