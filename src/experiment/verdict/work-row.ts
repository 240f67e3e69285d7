/**
 * @module
 * The work of honest nodes beside that of the adversary, by epoch, as reports, tables and charts have it.
 */

import type { Sides } from '../theory/epoch-conduct.ts';

/** Mean work of a run. */
export interface Expense {
  readonly attempts: number;
  /** Hash evaluations for node IDs and puzzles. */
  readonly hashes: number;
  readonly groupOperations: number;
  /** Measured if identities are mined, else at the known rate. Null if no rate is known. */
  readonly cpuSeconds: number | null;
}

/** The lower and the upper end. */
export type Interval = readonly number[];

/** Means over all runs, with intervals at the confidence of the document. */
export interface WorkRow {
  /** Number of the epoch, from 1. 0 is what was done before the first. */
  readonly epoch: number;
  /** Identities that were earned in the epoch. */
  readonly joins: Sides<number>;
  readonly inEpoch: Sides<Expense>;
  /** In all epochs up to this one. */
  readonly sum: Sides<Expense>;
  /** The intervals of the attempts in `sum`. Null for a single run. */
  readonly interval: Sides<Interval | null>;
  /** Attempts of the adversary for each one of the honest nodes, up to this epoch. Null if these made none. */
  readonly ratio: number | null;
  /** The share of the runs that would have the expected property if they ended with this epoch. Null before the first. */
  readonly chance: number | null;
  readonly chanceInterval: Interval | null;
}

/** Work in an epoch, on average over all epochs. */
export interface SpendRates {
  /** A: attempts of all honest nodes together. */
  readonly honest: number;
  /** T: attempts of the adversary. */
  readonly adversary: number;
  /** J: attempts that an identity costs in the first epoch, times the identities that honest nodes earned. */
  readonly joins: number;
  /** √(TJ) + J: to within a constant factor, A of the defence Ergo. */
  readonly ergo: number;
}
