/**
 * @module
 * The clocks of the machine: CPU seconds are the calling thread's own and stand still while it waits.
 */

import { describe, expect, it } from 'vitest';
import { threadClocks } from '../../../src/runtime/threads/clocks.ts';

describe('CPU seconds', () => {
  it('pass while this thread works', () => {
    const start = threadClocks.cpuSeconds();

    let rounds = 0;
    while (threadClocks.cpuSeconds() - start < 0.02 && rounds < 1e7) rounds += 1;

    expect(threadClocks.cpuSeconds() - start).toBeGreaterThanOrEqual(0.02);
  });

  it('stand still while it waits', () => {
    const start = { cpu: threadClocks.cpuSeconds(), wall: threadClocks.wallSeconds() };

    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);

    expect(threadClocks.wallSeconds() - start.wall).toBeGreaterThanOrEqual(0.19);
    expect(threadClocks.cpuSeconds() - start.cpu).toBeLessThan(0.1);
  });
});
