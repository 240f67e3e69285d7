/**
 * @module
 * Is loaded into a server before it starts, and measures the turns of its event loop on request: the
 * longest one by processor time of the thread, which other programs do not extend, and by the clock. It
 * keeps the loop turning while it measures.
 */

import process from 'node:process';

/** The turns of the event loop since the measurement began. */
export interface Turns {
  readonly longestCpuMs: number;
  readonly longestMs: number;
}

let isMeasuring = false;
let longestCpuMs = 0;
let longestMs = 0;

process.on('message', (request) => {
  if (request === 'begin') begin();
  if (request === 'end') end();
});
// The server ends although it could receive more requests.
process.channel?.unref();

function begin(): void {
  longestCpuMs = 0;
  longestMs = 0;
  isMeasuring = true;
  let cpuMs = cpuMsNow();
  let ms = performance.now();
  const turn = () => {
    const [nowCpuMs, nowMs] = [cpuMsNow(), performance.now()];
    longestCpuMs = Math.max(longestCpuMs, nowCpuMs - cpuMs);
    longestMs = Math.max(longestMs, nowMs - ms);
    [cpuMs, ms] = [nowCpuMs, nowMs];
    if (isMeasuring) setImmediate(turn);
  };
  setImmediate(turn);
}

function end(): void {
  isMeasuring = false;
  const turns: Turns = { longestCpuMs, longestMs };
  process.send?.(turns);
}

function cpuMsNow(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
