/**
 * @module
 * An experiment on threads. Each thread executes ranges of runs. The sum of the tallies is the same for any
 * number of threads. After an interruption it stops at once, and keeps the runs 0..k−1 below the first
 * unfinished run. `--runs k` with the same seed repeats them.
 */

import type { ThreatModel } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { rememberSettled, settledWithoutSearch } from '../../experiment/runs/settled.ts';
import type { Tally } from '../../experiment/runs/tally.ts';
import { EMPTY_TALLY, mergeTallies, mergeWins } from '../../experiment/runs/tally.ts';
import { constantGroups } from '../../experiment/runs/variation.ts';
import type { Frequency } from '../../experiment/theory/statistics.ts';
import { intervalWidth, nextLook } from '../../experiment/theory/statistics.ts';
import { isDecided, looksUpTo } from '../../experiment/verdict/stopping.ts';
import { sharedAmong } from '../../experiment/verdict/verdict.ts';
import type { Experiment, ExperimentProgress, ExperimentResult } from '../../operations/machine.ts';
import { measureRates } from './calibration.ts';
import type { ExperimentSpec, RunsReport, SettlingOrder } from './experiment-worker.ts';
import type { RangePlan, RangePool } from './range-pool.ts';
import { ReportsInOrder, untilAborted, withPool } from './range-pool.ts';

/** Runs before the first look at the width. */
const FIRST_LOOK = 100;

export interface ExperimentOptions {
  readonly threads: number;
  readonly onProgress?: ((progress: ExperimentProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RANGE_SECONDS = 0.1;
const RANGE_COUNT_MAX = 2 ** 20;
const EXPERIMENT_WORKER = new URL('./experiment-worker.ts', import.meta.url);

/** Executes the runs on `threads` worker threads, and ends the threads. */
export async function runExperiment(
  experiment: Experiment,
  options: ExperimentOptions,
): Promise<ExperimentResult> {
  const { model, seed } = experiment;
  const { signal } = options;
  const rateMeasured = await measureRates([model], signal);
  const settled = await settledInThread({ model, seed, rateMeasured }, signal);
  const closed = settled?.model ?? model;
  const constant = constantGroups(closed);
  // Every other run would be the same.
  const needed = constant.includes(false) ? experiment : { model, seed, runs: 1 };
  const { runs } = needed;
  const threads = Math.min(options.threads, runs);
  const workerData: ExperimentSpec = { model: closed, seed, rateMeasured };
  const plan = runsPlan(runs, constant, options);
  await withPool(EXPERIMENT_WORKER, { threads, workerData }, (pool) =>
    untilAborted(signal, () =>
      needed.untilDecided === true
        ? pullUntilDecided(pool, plan, { runs, model: closed, constant })
        : pullUntilNarrow(pool, plan, needed),
    ),
  );
  const tally = plan.tally();
  const isNarrow = isNarrowEnough(needed, tally);
  const looks = needed.untilDecided === true ? looksUpTo(runs).length : 1;
  const isStopped =
    looks > 1 &&
    tally.runs > 0 &&
    isDecided(sharedAmong(closed, looks), { ...tally, constant }) &&
    !plan.isStopped();
  const isComplete = tally.runs === runs || isNarrow === true || isStopped;
  return { tally, isComplete, isNarrow, looks, constant, rateMeasured };
}

/** Executes runs up to the first look that decides the verdict, or all. */
async function pullUntilDecided(
  pool: RangePool,
  plan: RunsPlan,
  {
    runs,
    model,
    constant,
  }: Pick<Experiment, 'runs' | 'model'> & Pick<ExperimentResult, 'constant'>,
): Promise<void> {
  const looks = looksUpTo(runs);
  const strict = sharedAmong(model, looks.length);
  let done = 0;
  for (const look of looks) {
    plan.goOnTo(look);
    done = await pool.pull(plan, done);
    if (plan.isStopped() || isDecided(strict, { ...plan.tally(), constant })) return;
  }
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
    const tally = plan.tally();
    if (done >= runs || plan.isStopped() || untilWidth === undefined) return;
    if (isNarrowEnough(experiment, tally) === true) return;
    const next = frequenciesOf(model, tally).map((each) => nextLook(each, untilWidth));
    look = Math.min(runs, Math.max(...next));
  }
}

function isNarrowEnough({ model, untilWidth }: Experiment, tally: Tally): boolean | null {
  if (untilWidth === undefined) return null;
  if (tally.runs === 0) return false;
  return frequenciesOf(model, tally).every((each) => intervalWidth(each) <= untilWidth);
}

/** One for each group of protocols. */
function frequenciesOf({ expect }: ThreatModel, { runs, wins }: Tally): readonly Frequency[] {
  return wins.map((each) => ({ wins: each, runs, confidence: expect.confidence }));
}

interface RunsPlan extends RangePlan<RunsReport> {
  /** The sum of the tallies of runs without a gap below them. */
  tally(): Tally;
  /** Lets runs below `end` be handed out. */
  goOnTo(end: number): void;
  isStopped(): boolean;
}

function runsPlan(
  runs: number,
  constant: readonly boolean[],
  { signal, onProgress }: ExperimentOptions,
): RunsPlan {
  const reports = new ReportsInOrder<Tally>();
  let sum: Tally = EMPTY_TALLY;
  let end = 0;
  let rangeCount = 1;
  let done = 0;
  let wins: readonly number[] = [];
  return {
    tally: () => sum,
    end: () => end,
    goOnTo(next) {
      end = next;
    },
    rangeCount: () => rangeCount,
    isStopped: () => signal?.aborted === true,
    order: (range) => range,
    accept({ tally, wallSeconds }, range) {
      done += tally.runs;
      wins = mergeWins(wins, tally.wins);
      for (const next of reports.take(tally, range)) sum = mergeTallies(sum, next);
      const fitting = Math.floor((range.count * RANGE_SECONDS) / Math.max(wallSeconds, 1e-6));
      rangeCount = Math.max(1, Math.min(fitting, 4 * rangeCount, RANGE_COUNT_MAX));
      onProgress?.({ done, total: runs, wins, constant });
    },
  };
}

/**
 * The model with complete responses. The choice is remembered for reports of this model. Null if it was interrupted.
 * Responses are searched on a thread of their own, because the caller may be the thread that answers requests. The seeds
 * of a search follow from its model alone.
 */
async function settledInThread(
  workerData: ExperimentSpec,
  signal?: AbortSignal,
): Promise<Settled | null> {
  const { model, rateMeasured } = workerData;
  const known = settledWithoutSearch(model, rateMeasured);
  if (known !== null) return known;
  const answers: Settled[] = [];
  await withPool(EXPERIMENT_WORKER, { threads: 1, workerData }, (pool) =>
    untilAborted(signal, () =>
      pool.pull<Settled>({
        end: () => 1,
        order: (): SettlingOrder => ({ type: 'settling' }),
        accept: (answer) => void answers.push(answer),
      }),
    ),
  );
  const [found = null] = answers;
  if (found !== null) rememberSettled(model, rateMeasured, found);
  return found;
}
