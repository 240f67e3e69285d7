/**
 * @module
 * What an operation needs of the machine that it runs on: threads and clocks. The runtime provides it.
 */

import type { ThreatModel } from '../experiment/document/threat-model.ts';
import type { Tally } from '../experiment/runs/tally.ts';
import type { SchemeName } from '../identity/keys/scheme.ts';
import type { Seed } from '../random.ts';
import type { Calibration } from './calibration.ts';

/** Threads to use, and when to stop. */
export interface Threads {
  readonly threads: number;
  readonly signal: AbortSignal;
}

export interface Machine {
  /** Candidates per second of an honest node on these threads. */
  miningRate(scheme: SchemeName, threads: Threads): Promise<number>;
  /** Executes runs of a threat model. After an abort it returns those that were finished. */
  runs(
    asked: { readonly model: ThreatModel; readonly seed: Seed; readonly runs: number },
    how: Threads & { readonly onProgress: (done: number) => void },
  ): Promise<Tally>;
  /** Measures every search for keys and solutions. */
  calibrate(how: Threads & { readonly onProgress: (what: string) => void }): Promise<Calibration>;
  /** Lets an abort arrive during a long computation. */
  pause(): Promise<void>;
}
