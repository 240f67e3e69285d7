/**
 * @module
 * The contract of all kinds of runs.
 */

import type { Clocks } from '../../mining/search.ts';
import type { KernelSource } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import type { RunOutcome } from './tally.ts';

/** What runs need of the world. */
export interface Services {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  /** Candidates per second of this machine; needed if `needsMeasuredRate(model)`. */
  readonly rateMeasured: number | null;
}

/** Executes single runs of a model; what is the same in all of them was worked out once. */
export type Runner = (of: { readonly seed: Seed; readonly run: number }) => RunOutcome;
