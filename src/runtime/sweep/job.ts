/**
 * @module
 * The input and the result of a sweep.
 */

import type { ComparisonExtras } from '../../experiment/charts/data.ts';
import type { SearchRates, ThreatModel } from '../../experiment/document/threat-model.ts';
import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import type { SweepOutline } from '../../experiment/sweep/plan.ts';
import type { SweepEngine, SweepSpec } from '../../experiment/sweep/sweep.ts';
import type { SweepProgress } from './driver.ts';
import type { SweepCounts, SweepFiles } from './files.ts';
import type { FinishedCell } from './tables.ts';
import type { SweepThreads } from './threads.ts';

export interface SweepJob {
  /** What starts usurp in printed commands, such as `npx usurp`. */
  readonly program: string;
  /** Options that every command needs to load the files of the user, such as `--load own.ts`. */
  readonly loading: readonly string[];
  /** Name or file of the threat model, as `usurp run` takes it. */
  readonly id: string;
  readonly model: ThreatModel;
  readonly outline: SweepOutline;
  readonly spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'codeVersion'>;
  /** The command line, for the manifest. */
  readonly command: string;
  /** What the pictures of a comparison show beside its cells. */
  readonly comparison?: ComparisonExtras | undefined;
}

/** What all rows of the sweep share. */
export function frameOf(job: SweepJob): SweepFrame {
  const { program, loading, id, outline, spec } = job;
  return { program, loading, id, axes: outline.axes, spec: { ...spec, runs: outline.runs } };
}

export interface SweepOptions {
  /** Null keeps no files. */
  readonly files: SweepFiles | null;
  /** Whether pictures are drawn beside the tables. */
  readonly pictures: boolean;
  /** Threads of this machine that plan, write long tables, and compute the rows unless an engine does. */
  readonly threads: number;
  /** Another engine than the threads. */
  readonly createEngine?: (() => Promise<SweepEngine>) | undefined;
  /** See `TablesRequest`. */
  readonly threadedRowsMin?: number | undefined;
  /** Replaces files of another sweep. */
  readonly force: boolean;
  /** Computes rows again that failed before. */
  readonly retryFailed: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: SweepProgress) => void) | undefined;
  /** Receives the planned cells before their rows are computed. */
  readonly onPlanned?: ((spec: SweepSpec) => void) | undefined;
  /** Receives the rates of this machine that rows have. */
  readonly onRated?: ((rates: NonNullable<SearchRates>) => void) | undefined;
  /** Each cell in order: of a complete sweep, and of an interrupted one without files. */
  readonly onCell?: ((finished: FinishedCell) => void) | undefined;
}

/** The options of a sweep with its threads. */
export interface ThreadedOptions extends Omit<SweepOptions, 'threads'> {
  readonly threads: SweepThreads;
}

export interface SweepResult {
  readonly isComplete: boolean;
  /** Rows that exist. */
  readonly rows: number;
  /** Rows among them that an earlier sweep had computed. */
  readonly reused: number;
  readonly counts: SweepCounts;
  /** Paths of the pictures, the page last. Empty if none were requested. */
  readonly pictures: readonly string[];
}
