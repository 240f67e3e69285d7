/**
 * @module
 * An experiment on threads. Each thread executes ranges of runs. The sum of the tallies is the same for any
 * number of threads. After an interruption it stops at once, and keeps the runs 0..k−1 below the first
 * unfinished run. `--runs k` with the same seed repeats them.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { needsMeasuredRate } from '../../experiment/runs/budget.ts';
import type { Tally } from '../../experiment/runs/tally.ts';
import { EMPTY_TALLY, mergeTallies } from '../../experiment/runs/tally.ts';
import { intervalWidth, nextLook } from '../../experiment/theory/statistics.ts';
import type { Seed } from '../../random.ts';
import { measureRate } from './calibration.ts';
import type { ExperimentSpec, RunsReport } from './experiment-worker.ts';
import type { Range, RangePlan, RangePool } from './range-pool.ts';
import { ReportsInOrder, untilAborted, withPool } from './range-pool.ts';

export interface Experiment {
  readonly model: ThreatModel;
  readonly seed: Seed;
  /** Number of runs. The maximum if `untilWidth` is given. */
  readonly runs: number;
  /** The experiment stops when the interval is this narrow. The verdict has no effect on that. */
  readonly untilWidth?: number | undefined;
}

/** Runs before the first look at the width. */
const FIRST_LOOK = 100;

export interface ExperimentProgress {
  readonly done: number;
  readonly total: number;
  readonly wins: number;
}

export interface ExperimentOptions {
  readonly threads: number;
  readonly onProgress?: ((progress: ExperimentProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExperimentResult {
  readonly tally: Tally;
  /** Whether all runs were executed, or enough of them for `untilWidth`. */
  readonly isComplete: boolean;
  /** Whether the interval is as narrow as `untilWidth`. Null without `untilWidth`. */
  readonly isNarrow: boolean | null;
  /** Candidates per second of this machine. Null if the model does not need them. */
  readonly rateMeasured: number | null;
}

const RANGE_SECONDS = 0.1;
const RANGE_COUNT_MAX = 2 ** 20;
const EXPERIMENT_WORKER = new URL('./experiment-worker.ts', import.meta.url);

/** Executes the runs on `threads` worker threads, and ends the threads. */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions,
): Promise<ExperimentResult> {
  const { model, seed, runs } = experiment;
  const { signal } = options;
  const rateMeasured = await rateFor(model, signal);
  const threads = Math.min(options.threads, runs);
  const workerData: ExperimentSpec = { model, seed, rateMeasured };
  const plan = new RunsPlan(runs, options);
  await withPool(EXPERIMENT_WORKER, { threads, workerData }, (pool) =>
    untilAborted(signal, () => pullUntilNarrow(pool, plan, experiment)),
  );
  const { tally } = plan;
  const isNarrow = isNarrowEnough(experiment, tally);
  const isComplete = tally.runs === runs || isNarrow === true;
  return { tally, isComplete, isNarrow, rateMeasured };
}

/** Executes all runs, or up to the first look at which the interval is narrow enough. */
async function pullUntilNarrow(
  pool: RangePool,
  plan: RunsPlan,
  experiment: Experiment,
): Promise<void> {
  const { runs, model, untilWidth } = experiment;
  let look = untilWidth === undefined ? runs : Math.min(FIRST_LOOK, runs);
  let done = 0;
  for (;;) {
    plan.goOnTo(look);
    done = await pool.pull(plan, done);
    const { tally } = plan;
    if (done >= runs || plan.isStopped() || untilWidth === undefined) return;
    if (isNarrowEnough(experiment, tally) === true) return;
    const { confidence } = model.expect;
    look = Math.min(runs, nextLook({ ...tally, confidence }, untilWidth));
  }
}

function isNarrowEnough({ model, untilWidth }: Experiment, tally: Tally): boolean | null {
  if (untilWidth === undefined) return null;
  if (tally.runs === 0) return false;
  const { wins, runs } = tally;
  return intervalWidth({ wins, runs, confidence: model.expect.confidence }) <= untilWidth;
}

/** A CPU second of an adversary is a second of one thread, so one thread is measured. */
async function rateFor(model: ThreatModel, signal?: AbortSignal): Promise<number | null> {
  const [first] = adversariesOf(model);
  if (!needsMeasuredRate(model) || first === undefined) return null;
  const { scheme } = model.network.identity;
  const { strategy } = first[1];
  return measureRate({ scheme, strategy, threads: 1, signal });
}

/** Hands out runs, and merges the tallies of runs without a gap below them. */
class RunsPlan implements RangePlan<RunsReport> {
  tally: Tally = EMPTY_TALLY;
  readonly #runs: number;
  readonly #options: ExperimentOptions;
  readonly #reports = new ReportsInOrder<Tally>();
  #end = 0;
  #rangeCount = 1;
  #done = 0;
  #wins = 0;

  constructor(runs: number, options: ExperimentOptions) {
    this.#runs = runs;
    this.#options = options;
  }

  end(): number {
    return this.#end;
  }

  /** Lets runs below `end` be handed out. */
  goOnTo(end: number): void {
    this.#end = end;
  }

  rangeCount(): number {
    return this.#rangeCount;
  }

  isStopped(): boolean {
    return this.#options.signal?.aborted === true;
  }

  order(range: Range): Range {
    return range;
  }

  accept({ tally, wallSeconds }: RunsReport, range: Range): void {
    this.#done += tally.runs;
    this.#wins += tally.wins;
    for (const next of this.#reports.take(tally, range))
      this.tally = mergeTallies(this.tally, next);
    const fitting = Math.floor((range.count * RANGE_SECONDS) / Math.max(wallSeconds, 1e-6));
    this.#rangeCount = Math.max(1, Math.min(fitting, 4 * this.#rangeCount, RANGE_COUNT_MAX));
    this.#options.onProgress?.({ done: this.#done, total: this.#runs, wins: this.#wins });
  }
}
