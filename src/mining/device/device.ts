/**
 * @module
 * This folder contains the search on a graphics card: kernels as WGSL text, and what starts them and tests their results.
 * This file states what the search needs from a device. webgpu.ts makes one from an adapter of WebGPU, which `src/runtime/device`
 * or a browser provides.
 */

import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';

/** Which device it is. A software device computes on the CPU, so that its rates are not those of a graphics card. */
export interface DeviceFacts {
  readonly name: string;
  readonly isSoftware: boolean;
}

/** A graphics card, or a software device. */
export interface Device extends DeviceFacts {
  /** Compiles a program. Rejects with LabError `device.failed` if the device is lost. */
  load(order: ProgramOrder): Promise<Program>;
}

/** The kernels of one WGSL module, and their memory: the bindings of group 0. */
export interface ProgramOrder {
  readonly code: string;
  /** Binding 1, storage that is read. It is written once. */
  readonly table: Uint32Array<ArrayBuffer>;
  /** Words of binding 2, storage that remains on the device. */
  readonly scratchWords: number;
  /** Words of binding 3, storage that is zero at first, and is read back. */
  readonly resultWords: number;
}

/** One run of some entry points, one after another. */
export interface Dispatch {
  /** Binding 0, storage that is read. */
  readonly parameters: Uint32Array<ArrayBuffer>;
  /** Each with its number of workgroups. */
  readonly entries: readonly (readonly [name: string, workgroups: number])[];
}

/** What a run has written, and the time in which the device did nothing else. */
export interface Dispatched {
  readonly results: Uint32Array;
  readonly seconds: number;
}

export interface Program {
  /**
   * A second run may be ordered before the first has ended. Rejects with LabError `device.failed` if the device is lost or
   * does not answer in time.
   */
  dispatch(dispatch: Dispatch): Promise<Dispatched>;
}

/** The error of a device whose results contradict those of the CPU. No result of it counts. */
export function wrongValues({ name }: Device, what: string): LabError {
  return new LabError(
    'device.failed',
    `the device ${name} computes wrong values (${what}): nothing that it found counts. Update its driver, or use the processor`,
  );
}

/** Expected hits from which a quarter of them or less is no chance: below e^-50. */
const EXPECTED_MIN = 100;

/** The hits that a run of `count` candidates lists. Throws if one is outside of the run, or if hits are lost. */
export function listedHits(
  device: Device,
  listed: Uint32Array,
  { count, expected }: { readonly count: number; readonly expected: number },
): ReadonlySet<number> {
  const { length: hits } = listed;
  if (expected >= EXPECTED_MIN && hits < expected / 4) {
    throw wrongValues(device, `${hits} hits where about ${Math.round(expected)} are expected`);
  }
  const outside = listed.find((hit) => hit >= count);
  if (outside !== undefined) throw wrongValues(device, `a hit at ${outside}`);
  return new Set(listed);
}

/** Time of a run at which the next one is not larger, so that a device that hangs is noticed soon. */
const RUN_SECONDS = 0.05;

/** The size of the next run: it doubles until runs take long enough, and shrinks if they take too long. */
export class RunPace {
  #size = 1;
  readonly #sizeMax: number;

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes the time of a run. */
  read(size: number, seconds: number): void {
    const fitting = Math.floor((size * RUN_SECONDS) / Math.max(seconds, 1e-6));
    this.#size = Math.max(1, Math.min(fitting, 2 * size, this.#sizeMax));
  }
}

/** What the CPU computes again. */
export interface Sampling {
  readonly random: Random;
  readonly missesPerSample?: number | undefined;
}

/** Misses of which the CPU computes one again. */
const MISSES_PER_SAMPLE = 2 ** 16;
/** A few samples are computed one by one, and many together. Between these numbers none is due. */
const FEW_SAMPLES = 16;

/** How many candidates of each run the CPU computes again. The first run has at least one. */
export class SamplePlan {
  #due = 1;
  readonly #most: number;
  readonly #misses: number;

  constructor(most: number, missesPerSample = MISSES_PER_SAMPLE) {
    this.#most = most;
    this.#misses = missesPerSample;
  }

  /** The number of samples of a run of `size` candidates. */
  take(size: number): number {
    this.#due += size / this.#misses;
    const count = this.#due >= this.#most ? this.#most : Math.min(FEW_SAMPLES, this.#due);
    const taken = Math.min(size, Math.floor(count));
    this.#due -= taken;
    return taken;
  }
}
