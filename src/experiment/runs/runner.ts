/**
 * @module
 * The contract of the runners, one for each kind of run.
 */

import type { PlainVerifier } from '../../identity/keys/scheme.ts';
import type { TextHasher } from '../../mining/kernel/text-kernel.ts';
import type { Clocks } from '../../mining/search.ts';
import type { KernelSource } from '../../mining/strategy.ts';
import type { Seed } from '../../random.ts';
import type { SearchRates } from '../document/threat-model.ts';
import type { Owners } from './registration.ts';
import type { RunOutcome } from './tally.ts';

/** What runs need from outside. */
export interface Services {
  readonly clocks: Clocks;
  readonly kernels: KernelSource;
  /** Verifies the signatures of mined claims faster than noble. */
  readonly plain?: PlainVerifier | null;
  /** Hashes the seeds of many drawn runs at once. Without it they are drawn one by one, with the same results. */
  readonly texts?: TextHasher | null;
  /** The rates of this machine. Required for `measuredAdversaries(model)`. */
  readonly rateMeasured: SearchRates;
  /** Limit of the messages of a watched election, if it is below the usual one. */
  readonly messagesMax?: number | undefined;
}

/** Executes single runs of a model. What all of them share is computed once. */
export type Runner = (of: { readonly seed: Seed; readonly run: number }) => RunOutcome;

/** The identities of a run and their cost. */
export interface Population extends Pick<RunOutcome, 'forges' | 'honestLedger' | 'observations'> {
  readonly owners: Owners;
}

/** Makes the identities of the run with this seed. */
export type Populate = (runSeed: Seed) => Population;

/** Decides for each group of protocols whether these owners give the run its property. */
export type Judge = (owners: Owners, runSeed: Seed) => RunOutcome['outcomes'];
