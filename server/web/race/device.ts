/**
 * @module
 * The graphics card of the visitor, which a thread of its own uses (threads/device-thread.ts). It runs races, and its rate is
 * compared with that of one honest core. The processor never replaces it silently.
 */

import { LabError } from '../../../src/errors.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../../../src/identity/puzzles/puzzle.ts';
import type { Device, DeviceFacts } from '../../../src/mining/device/device.ts';
import { deviceScanner } from '../../../src/mining/device/device-scan.ts';
import { deviceUnsuited } from '../../../src/mining/device/suited.ts';
import { openBy } from '../../../src/mining/device/webgpu.ts';
import { phaseStep } from '../../../src/mining/phases.ts';
import { scanner } from '../../../src/mining/strategies.ts';
import type { SearchSpec } from '../../../src/mining/strategy.ts';
import { parseSeed } from '../../../src/random.ts';
import type { DeviceSearch, Means, MeasuredDevice, Rules } from './contest.ts';
import type { Refusal } from './racer.ts';
import { clocks, kernelSource } from './racer.ts';

/** The rates of a device and of one honest core, for Ed25519 and a strict policy. */
export interface DeviceRates extends MeasuredDevice {
  /** Keys per second that the device makes and tests. */
  readonly rate: number;
}

/** Order to measure the rates. */
export interface MeasureOrder {
  readonly type: 'measure';
}

export type RatesMessage = { readonly type: 'rates'; readonly rates: DeviceRates } | Refusal;

const HONEST_SECONDS = 0.3;
const MEASURED_SECONDS = 1.5;
/** Time at the start of a search that is not measured, because the device is still slow. */
const WARM_UP_SECONDS = 0.5;
const RANGE_SECONDS = 0.1;
const RANGE_COUNT_MAX = 2 ** 28;

/** What a race on the device needs. Rejects with LabError if the device cannot run it. */
export async function deviceMeans(rules: Rules): Promise<Means> {
  const { plan, policy } = rules;
  const reason = deviceUnsuited({ strategy: plan.strategy, policy });
  if (reason !== null) throw new LabError('arguments', `a graphics card ${reason}`);
  const device = await openDevice();
  const measured = { ...factsOf(device), honestRate: honestRate(policy) };
  return {
    clocks,
    kernels: await kernelSource(),
    device: { measured, searchOf: (spec) => searchOn(device, spec) },
  };
}

/** Measures the device with the fastest search, and noble on one core. */
export async function measureDevice(): Promise<DeviceRates> {
  const device = await openDevice();
  const honest = honestRate(ENDLESS.policy);
  const { scan, seconds, rangeCount } = searchOn(device, ENDLESS);
  const step = phaseStep(ENDLESS, KEYS);
  let [from, warm] = [0, { from: 0, seconds: 0 }];
  while (seconds() < WARM_UP_SECONDS + MEASURED_SECONDS) {
    const count = Math.ceil(rangeCount() / step) * step;
    await scan(KEYS, { from, count, wanted: 1 });
    from += count;
    if (seconds() < WARM_UP_SECONDS) warm = { from, seconds: seconds() };
  }
  const rate = (from - warm.from) / (seconds() - warm.seconds);
  return { ...factsOf(device), honestRate: honest, rate };
}

function factsOf({ name, isSoftware }: Device): DeviceFacts {
  return { name, isSoftware };
}

/** A search that finds nothing. */
const ENDLESS: SearchSpec = {
  scheme: 'ed25519',
  policy: { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX },
  goal: { type: 'any' },
  strategy: 'siblings',
  dynamicStrategy: 'dynamic',
  seed: parseSeed('0'),
};

const KEYS = { type: 'keys' } as const;

/** Keys per second that noble makes and tests, one after the other. */
function honestRate(policy: SearchSpec['policy']): number {
  const scan = scanner({ ...ENDLESS, policy, strategy: 'fresh' });
  const test = (from: number) => scan(KEYS, { from, count: 1, wanted: 1 });
  const started = clocks.wallSeconds();
  let seconds = 0;
  let keys = 0;
  for (; seconds < HONEST_SECONDS; seconds = clocks.wallSeconds() - started) {
    test(keys);
    keys += 1;
  }
  return keys / seconds;
}

function searchOn(device: Device, spec: SearchSpec): DeviceSearch {
  const scan = deviceScanner(spec, device);
  let [count, total] = [1, 0];
  return {
    rangeCount: () => count,
    seconds: () => total,
    async scan(phase, order) {
      const { result, deviceSeconds } = await scan(phase, order);
      total += deviceSeconds;
      const fitting = Math.floor((order.count * RANGE_SECONDS) / Math.max(deviceSeconds, 1e-6));
      count = Math.max(1, Math.min(fitting, 2 * order.count, RANGE_COUNT_MAX));
      return result;
    },
  };
}

/** Opens the device of this browser. Rejects with LabError `device.missing` if there is none. */
async function openDevice(): Promise<Device> {
  const { gpu } = navigator as { readonly gpu?: GPU }; // Absent in older browsers and on pages without TLS.
  if (gpu === undefined) {
    throw new LabError(
      'device.missing',
      'this browser lets this page use no graphics card: it has no WebGPU, or the page comes neither over https nor from this machine',
    );
  }
  const after = (seconds: number, late: () => void) => {
    const timer = setTimeout(late, 1e3 * seconds);
    return () => clearTimeout(timer);
  };
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter !== null) return openBy(adapter, { nowSeconds: clocks.wallSeconds, after });
  throw new LabError(
    'device.missing',
    'this browser finds no graphics card with a driver for WebGPU, or does not allow its use',
  );
}
