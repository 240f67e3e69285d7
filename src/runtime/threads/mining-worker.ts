/**
 * @module
 * One thread of the mining pool: scans the ranges it is given and reports what it found with the CPU
 * time of the scan. It decides nothing; the pool does.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { Phase } from '../../mining/phases.ts';
import { scanner } from '../../mining/search.ts';
import type { ScanOrder, ScanResult, SearchSpec } from '../../mining/strategy.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import { takeRanges } from './range-pool.ts';

export interface RangeOrder extends ScanOrder {
  readonly phase: Phase;
}

export interface RangeReport {
  readonly result: ScanResult;
  readonly cpuSeconds: number;
}

if (parentPort === null) throw new TypeError('mining-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const scan = scanner(workerData as SearchSpec, kernelSource());

takeRanges(port, ({ phase, ...order }: RangeOrder): RangeReport => {
  const start = threadClocks.cpuSeconds();
  const result = scan(phase, order);
  return { result, cpuSeconds: threadClocks.cpuSeconds() - start };
});
