/**
 * @module
 * An experiment on many threads: each executes ranges of runs, the tallies add up to the same whatever
 * the number of threads. Interrupted, it stops at once and keeps the runs 0..k−1 that are finished
 * without a gap, which `--runs k` under the same seed would give again.
 */

import { once } from 'node:events';
import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { needsMeasuredRate } from '../../experiment/runs/budget.ts';
import type { Tally } from '../../experiment/runs/tally.ts';
import { EMPTY_TALLY, mergeTallies } from '../../experiment/runs/tally.ts';
import { intervalWidth, nextLook } from '../../experiment/theory/statistics.ts';
import type { Seed } from '../../random.ts';
import { measureRate } from './calibration.ts';
import type { ExperimentSpec, RunsReport } from './experiment-worker.ts';
import type { Range, RangePlan } from './range-pool.ts';
import { RangePool } from './range-pool.ts';

export interface Experiment {
  readonly model: ThreatModel;
  readonly seed: Seed;
  /** As many, or at most as many where `untilWidth` may end it before. */
  readonly runs: number;
  /** The width of the interval that is enough; the verdict has no say in when to stop. */
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
  /** Whether all runs that were to be executed were. */
  readonly isComplete: boolean;
  /** Whether the interval is as narrow as was asked for; null where nothing was. */
  readonly isNarrow: boolean | null;
  /** Candidates per second of this machine, where the model asked for them. */
  readonly rateMeasured: number | null;
}

const RANGE_SECONDS = 0.1;
const RANGE_COUNT_MAX = 2 ** 20;
const EXPERIMENT_WORKER = new URL('./experiment-worker.ts', import.meta.url);

/** Executes the runs on `threads` worker threads; leaves none running. */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions,
): Promise<ExperimentResult> {
  const { model, seed, runs } = experiment;
  const { signal } = options;
  const rateMeasured = await rateFor(model, signal);
  const threads = Math.min(options.threads, runs);
  const workerData: ExperimentSpec = { model, seed, rateMeasured };
  const pool = new RangePool(EXPERIMENT_WORKER, { threads, workerData });
  const plan = new RunsPlan(runs, options);
  try {
    const interrupted = new AbortController();
    const pulling = pullUntilNarrow(pool, plan, experiment);
    const stopping = signal && once(signal, 'abort', { signal: interrupted.signal });
    stopping?.catch(() => undefined);
    await (stopping === undefined ? pulling : Promise.race([pulling, stopping]));
    interrupted.abort();
  } finally {
    await pool.close();
  }
  const tally = plan.prefixTally();
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
    const tally = plan.prefixTally();
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

/** The runs in flight and the tallies that came back, by the first run of their range. */
class RunsPlan implements RangePlan<RunsReport> {
  readonly #runs: number;
  #end = 0;
  readonly #options: ExperimentOptions;
  readonly #reports = new Map<number, Tally>();
  #rangeCount = 1;
  #done = 0;
  #wins = 0;
  /** Runs 0..#prefix.runs−1, merged as soon as there is no gap below them. */
  #prefix: Tally = EMPTY_TALLY;

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
    this.#reports.set(range.from, tally);
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      this.#prefix = mergeTallies(this.#prefix, next);
    }
    const fitting = Math.floor((range.count * RANGE_SECONDS) / Math.max(wallSeconds, 1e-6));
    this.#rangeCount = Math.max(1, Math.min(fitting, 4 * this.#rangeCount, RANGE_COUNT_MAX));
    this.#options.onProgress?.({ done: this.#done, total: this.#runs, wins: this.#wins });
  }

  prefixTally(): Tally {
    return this.#prefix;
  }

  #take(): Tally | undefined {
    const tally = this.#reports.get(this.#prefix.runs);
    if (tally !== undefined) this.#reports.delete(this.#prefix.runs);
    return tally;
  }
}
