/**
 * @module
 * The clocks of the machine. CPU time is that of the calling thread, user and system, so that a budget in CPU
 * seconds is not used up while a thread waits for a core. Wall time does not contain the times that were left
 * out, in which the thread was stopped for the work of others.
 */

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { Clocks } from '../../mining/search.ts';

export const threadClocks: Clocks = {
  cpuSeconds() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e6;
  },
  wallSeconds: () => performance.now() / 1e3 - leftOutSeconds,
};

/** Seconds for which this thread was stopped, which no clock counts. */
let leftOutSeconds = 0;

/** Says that this thread was stopped for this time. */
export function leaveOutWallTime(seconds: number): void {
  leftOutSeconds += seconds;
}
