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
  const open = async () => {
    const device = await openDevice();
    const { name, isSoftware } = device;
    return { facts: { name, isSoftware }, scan: deviceScanner(spec, device) };
  };
  let opened: ReturnType<typeof open> | null = null;
  return async ({ phase, ...order }: RangeOrder): Promise<RangeReport> => {
    const start = threadClocks.cpuSeconds();
    // Dawn ends the whole process if its thread ends during a call. A thread with an order is waited for.
    opened ??= open();
    const { facts, scan } = await opened;
    const { result, deviceSeconds } = await scan(phase, order);
    const cpuSeconds = threadClocks.cpuSeconds() - start;
    return { result, cpuSeconds, deviceSeconds, device: facts };
  };
});
