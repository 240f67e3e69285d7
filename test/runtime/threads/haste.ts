/**
 * @module
 * A clock that runs fast in the test's own thread, for what measures a machine and of which no figure is
 * asserted: a second of its pool passes in a tenth. The threads of the pool keep their own time.
 */

import { vi } from 'vitest';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';

const HASTE = 10;

export function hasteClock(): void {
  const { wallSeconds } = threadClocks;
  vi.spyOn(threadClocks, 'wallSeconds').mockImplementation(() => HASTE * wallSeconds());
}

export function restoreClock(): void {
  vi.restoreAllMocks();
}
