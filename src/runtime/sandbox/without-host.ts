/**
 * @module
 * Takes from this process what differs from run to run or from machine to machine, so that a submission cannot write it
 * into a report. Only the process of a submission does so: nothing gives it back.
 */

import process from 'node:process';
import { endClock } from '../load/without-clock.ts';

/** Globals with times, data of the machine, chance, or an order that the machine decides. */
const GLOBALS = [
  ...['performance', 'Performance', 'PerformanceEntry', 'PerformanceMark', 'PerformanceMeasure'],
  ...['PerformanceObserver', 'PerformanceResourceTiming', 'Event', 'CustomEvent', 'EventTarget'],
  ...['AbortController', 'AbortSignal', 'MessageEvent', 'MessageChannel', 'MessagePort', 'File'],
  ...['BroadcastChannel', 'WebSocket', 'EventSource', 'fetch', 'navigator', 'crypto', 'Crypto'],
  ...['CryptoKey', 'SubtleCrypto', 'CompressionStream', 'DecompressionStream', 'Intl', 'Atomics'],
  ...['SharedArrayBuffer', 'WeakRef', 'FinalizationRegistry', 'setImmediate', 'setInterval'],
];

const PROCESS_MEMBERS = [
  ...['report', 'uptime', 'memoryUsage', 'cpuUsage', 'threadCpuUsage', 'resourceUsage', 'config'],
  ...['availableMemory', 'constrainedMemory', 'getActiveResourcesInfo', 'arch', 'finalization'],
];

/** From now on this process has no clock, no chance and no data of the machine. A timer keeps it alive and never ends. */
export function withoutHost(who: string): void {
  endClock(who);
  for (const name of GLOBALS) Reflect.deleteProperty(globalThis, name);
  for (const name of PROCESS_MEMBERS) {
    Object.defineProperty(process, name, { value: undefined });
  }
  const wait = setTimeout;
  const never = () => void wait(() => undefined, LONGEST_MS);
  Object.defineProperty(globalThis, 'setTimeout', { value: never });
  // Memory that is not set has whatever was there before.
  Buffer.poolSize = 0;
  Object.assign(Buffer, { allocUnsafe: Buffer.alloc, allocUnsafeSlow: Buffer.alloc });
}

const LONGEST_MS = 2 ** 31 - 1;
