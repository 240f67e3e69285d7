/**
 * @module
 * One thread of the mining pool: scans the ranges it is given and reports what it found with the CPU
 * time of the scan. It decides nothing; the pool does.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { Phase } from '../mining/search.ts';
import { scanner } from '../mining/search.ts';
import type { ScanResult, SearchSpec } from '../mining/strategy.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import { READY } from './range-pool.ts';

export interface RangeOrder {
  readonly phase: Phase;
  readonly from: number;
  readonly count: number;
}

export interface RangeReport {
  readonly result: ScanResult;
  readonly cpuSeconds: number;
}

if (parentPort === null) throw new TypeError('mining-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const scan = scanner(workerData as SearchSpec, kernelSource());

port.on('message', ({ phase, from, count }: RangeOrder) => {
  const start = threadClocks.cpuSeconds();
  const result = scan(phase, from, count);
  const report: RangeReport = { result, cpuSeconds: threadClocks.cpuSeconds() - start };
  port.postMessage(report);
});
port.postMessage(READY);
