/**
 * @module
 * A clock that runs fast in the test's own thread and in threads that are started meanwhile, such as those of a job, for what
 * measures a machine and of which no figure is asserted: a second of its pool passes in a tenth.
 */

import process from 'node:process';

import { vi } from 'vitest';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';

const HASTE = 10;
const HASTY_CLOCK = `data:text/javascript,const now = performance.now.bind(performance); performance.now = () => ${HASTE} * now();`;
/** Arguments of Node, which threads inherit. */
const HASTY_THREADS = ['--import', HASTY_CLOCK];

export function hasteClock(): void {
  const { wallSeconds } = threadClocks;
  vi.spyOn(threadClocks, 'wallSeconds').mockImplementation(() => HASTE * wallSeconds());
  process.execArgv.push(...HASTY_THREADS);
}

export function restoreClock(): void {
  vi.restoreAllMocks();
  const at = process.execArgv.indexOf(HASTY_CLOCK);
  if (at >= 0) process.execArgv.splice(at - 1, HASTY_THREADS.length);
}
