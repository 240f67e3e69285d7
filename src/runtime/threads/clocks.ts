/**
 * @module
 * The clocks of the machine. CPU time is that of the calling thread, user and system, so that a budget in CPU
 * seconds is not used up while a thread waits for a core. Wall time does not contain the times that were left
 * out, in which the thread was stopped for the work of others.
 */

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
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

/** Milliseconds of computation after which events of the thread, such as an interrupt, are let in. */
const SLICE_MS = 200;

/** A function that lets events of the thread arrive, once in every slice of time. In between it returns at once. */
export function pauses(): () => Promise<void> {
  let due = performance.now() + SLICE_MS;
  return async () => {
    if (performance.now() < due) return;
    await setImmediate();
    due = performance.now() + SLICE_MS;
  };
}
