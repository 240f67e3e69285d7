/**
 * @module
 * One thread of the mining pool: scans ranges and reports its hits and the CPU time of the scan. All
 * decisions are made by the pool.
 */

import type { DeviceFacts } from '../../mining/device/device.ts';
import { scanner } from '../../mining/strategies.ts';
import type { Phase, ScanOrder, ScanResult, SearchSpec } from '../../mining/strategy.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import { serveRanges } from './range-pool.ts';

export interface RangeOrder extends ScanOrder {
  readonly phase: Phase;
}

export interface RangeReport {
  readonly result: ScanResult;
  readonly cpuSeconds: number;
  /** The device that scanned the range, and its time. */
  readonly device?: DeviceFacts;
  readonly deviceSeconds?: number;
}

serveRanges((spec: SearchSpec) => {
  const scan = scanner(spec, kernelSource());
  return ({ phase, ...order }: RangeOrder): RangeReport => {
    const start = threadClocks.cpuSeconds();
    const result = scan(phase, order);
    return { result, cpuSeconds: threadClocks.cpuSeconds() - start };
  };
});
