/**
 * @module
 * The words of sweeps, shared by whoever plans, executes, stores and draws them. A sweep is all cells
 * times all repetitions; a cell is one point of its axes, a threat model with settings applied. A run
 * depends on its cell's model and its own seed alone, so that no row depends on order, engine or
 * number of workers.
 */

import type { Seed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import type { Observations } from '../runs/observations.ts';

/** A value on an axis. */
export type AxisValue = string | number | boolean | null;

/** One dimension: a path of the document and the values it takes, in order. */
export interface Axis {
  readonly path: string;
  readonly values: readonly AxisValue[];
}

export interface SweepCell {
  /** 0, 1, … in the order of the grid, the last axis fastest. */
  readonly index: number;
  /** One value for each axis. */
  readonly values: readonly AxisValue[];
  /** As `usurp run --set` takes them: those of the sweep, then those of the axes, all `path=value`. */
  readonly settings: readonly string[];
  /** Null where the document does not allow these values together; then `refusal` says why. */
  readonly model: ThreatModel | null;
  readonly refusal: string | null;
  /** Hex of SHA-256 over the canonical JSON of the model: what rows and seeds know of the cell. */
  readonly digest: string;
}

/** How seeds of rows are derived: of the repetition alone, so that cells are paired, or of both. */
export const SEED_RULES = ['paired', 'independent'] as const;
export type SeedRule = (typeof SEED_RULES)[number];

/** What is handed to engines: plain JSON. */
export interface SweepSpec {
  readonly cells: readonly SweepCell[];
  /** The base seed. */
  readonly seed: Seed;
  readonly seedRule: SeedRule;
  /** Repetitions of each cell. */
  readonly runs: number;
  /** Package version and digest of the sources; rows of another are never taken over. */
  readonly codeVersion: string;
}

/** Repetitions from..from+count−1 of one cell: what an engine hands to a worker. */
export interface Chunk {
  readonly cell: number;
  readonly from: number;
  readonly count: number;
}

/** One run of a cell, as engines and journals carry it: plain JSON. */
export interface RunRecord {
  readonly repetition: number;
  /** Whether it had the property of `expect`; null where it failed. */
  readonly won: boolean | null;
  readonly observations: Observations;
  /** Why there is no outcome; null where there is. */
  readonly failure: string | null;
}

/** A finished chunk. */
export interface ChunkReport {
  readonly chunk: Chunk;
  readonly records: readonly RunRecord[];
  readonly wallSeconds: number;
}

/** A finished chunk whose records are packed where they were made (`packRecords`). */
export interface PackedReport {
  readonly chunk: Chunk;
  readonly packed: string;
  /** Records with a failure among them. */
  readonly failed: number;
  readonly wallSeconds: number;
}

/** What an engine is told by whoever asked for the sweep. */
export interface SweepDriver {
  /** The next chunk that is wanted; null where none is left. Never gives one out twice. */
  next(): Chunk | null;
  /** Takes a finished chunk; the same chunk reported twice counts once. */
  accept(report: ChunkReport | PackedReport): void;
  readonly signal: AbortSignal;
}

/** Executes chunks somewhere: on threads of this process, or on a fleet. */
export interface SweepEngine {
  /** Resolves when the driver has no chunk left and all that were handed out came back, or at an abort. */
  execute(spec: SweepSpec, driver: SweepDriver): Promise<void>;
  /** For the line of progress, such as `2 threads` or `3 workers live, 12 jobs waiting`. */
  status(): string;
  /** Frees what it holds; pending work is cancelled. */
  close(): Promise<void>;
}
