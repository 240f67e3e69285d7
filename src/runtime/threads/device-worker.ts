/**
 * @module
 * The thread that searches on a device: it orders the runs of the device and checks their results. The device of a thread
 * ends with it.
 */

import { deviceScanner } from '../../mining/device/device-scan.ts';
import type { SearchSpec } from '../../mining/strategy.ts';
import { openDevice } from '../device/webgpu.ts';
import { threadClocks } from './clocks.ts';
import type { RangeOrder, RangeReport } from './mining-worker.ts';
import { serveRanges } from './range-pool.ts';

serveRanges((spec: SearchSpec) => {
  const opened = openDevice().then((device) => {
    const { name, isSoftware } = device;
    return { facts: { name, isSoftware }, scan: deviceScanner(spec, device) };
  });
  opened.catch(() => {}); // The first order reports it.
  return async ({ phase, ...order }: RangeOrder): Promise<RangeReport> => {
    const start = threadClocks.cpuSeconds();
    const { facts, scan } = await opened;
    const { result, deviceSeconds } = await scan(phase, order);
    const cpuSeconds = threadClocks.cpuSeconds() - start;
    return { result, cpuSeconds, deviceSeconds, device: facts };
  };
});
