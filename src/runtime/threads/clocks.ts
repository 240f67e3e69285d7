/**
 * @module
 * The clocks of the machine. CPU time is the calling thread's own, user and system, as the operating
 * system accounts it (`process.threadCpuUsage`), so that a budget in CPU seconds does not run while
 * a thread waits for a core.
 */

import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { Clocks } from '../../mining/search.ts';

export const threadClocks: Clocks = {
  cpuSeconds() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1e6;
  },
  wallSeconds: () => performance.now() / 1e3,
};
