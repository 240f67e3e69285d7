/**
 * @module
 * Mining on many threads. When threads have reported as many winners as are wanted no range above
 * them is handed out, and the search is over when all ranges below have come back, so the lowest
 * winners win whatever the number of threads. Ranges are sized to take about RANGE_SECONDS, which
 * bounds how far a CPU budget can be overdrawn and how long a cancel takes.
 */

import { isTimeSpent } from '../../mining/ledger.ts';
import type {
  Ending,
  MiningTask,
  Phase,
  PhaseOrder,
  PhaseOutcome,
  SearchState,
} from '../../mining/phases.ts';
import {
  afterPhase,
  nextPhase,
  phaseStep,
  SEARCH_NOT_BEGUN,
  stockOrder,
} from '../../mining/phases.ts';
import type { MiningResult } from '../../mining/search.ts';
import { ledgerOf, settle } from '../../mining/search.ts';
import { assertWinners } from '../../mining/sound-state.ts';
import { needsStock, stockSearch, withStock } from '../../mining/stockpile.ts';
import type { SearchSpec } from '../../mining/strategy.ts';
import { Winners } from '../../mining/winners.ts';
import { threadClocks } from './clocks.ts';
import type { RangeOrder, RangeReport } from './mining-worker.ts';
import type { Range, RangePlan } from './range-pool.ts';
import { RangePool } from './range-pool.ts';

/** What the pool tells while it works; `tested` counts the phase's numbers, all threads together. */
export interface MiningProgress {
  readonly phase: 'stock' | Phase['type'];
  readonly tested: number;
  readonly bestBits: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  /** From where the search could go on, should it end here; all below it has been scanned. */
  readonly state: () => SearchState;
}

export interface MiningOptions {
  readonly threads: number;
  /** Where to go on. */
  readonly begun?: SearchState | undefined;
  readonly onProgress?: ((progress: MiningProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RANGE_SECONDS = 0.02;
const RANGE_COUNT_MAX = 2 ** 24;
const MINING_WORKER = new URL('./mining-worker.ts', import.meta.url);

/** Searches on `threads` worker threads until found, spent or aborted; leaves none running. */
export async function mineInThreads(
  asked: MiningTask,
  options: MiningOptions,
): Promise<MiningResult> {
  const { begun = SEARCH_NOT_BEGUN } = options;
  const task = await stocked(asked, options);
  // Of a stock that is not complete nobody knows which keys were tested.
  if (task === null) return unfinished(asked, begun);
  const account = new TimeAccount(begun);
  return withPool(task, options, async (pool) => {
    let state = begun;
    let ending: Ending = 'found';
    for (;;) {
      const order = nextPhase(task, state);
      if (order === null) break;
      const outcome = await runPhase(pool, { task, order, state, account, options });
      const after = afterPhase(task, state, { order, outcome });
      state = after.state;
      ending = outcome.ending;
      if (!after.isComplete) break;
    }
    return settle(task, { ...state, ...account.spent() }, ending);
  });
}

/** A search that was cancelled before it could go on: what it had found stays in its state. */
function unfinished(task: MiningTask, begun: SearchState): MiningResult {
  return {
    ...{ found: false, ending: 'cancelled', state: begun, ledger: ledgerOf(task, begun) },
    ...{ identity: null, identities: [], measured: null },
  };
}

/** The task with its keys in stock, made before its budget's time; null if that was cancelled. */
async function stocked(task: MiningTask, options: MiningOptions): Promise<MiningTask | null> {
  if (!needsStock(task)) return task;
  const search = { ...stockSearch(task, task.stockpile), budget: {} };
  const outcome = await withPool(search, options, (pool) =>
    runPhase(pool, {
      task: search,
      order: stockOrder(task.stockpile),
      state: SEARCH_NOT_BEGUN,
      account: new TimeAccount(SEARCH_NOT_BEGUN),
      options,
      name: 'stock',
    }),
  );
  if (outcome.ending === 'cancelled') return null;
  const ready = withStock(task, outcome.hits);
  assertWinners(ready, options.begun ?? SEARCH_NOT_BEGUN);
  return ready;
}

async function withPool<T>(
  { scheme, policy, goal, strategy, dynamicStrategy, seed, stock }: SearchSpec,
  { threads }: MiningOptions,
  work: (pool: RangePool) => Promise<T>,
): Promise<T> {
  const workerData = { scheme, policy, goal, strategy, dynamicStrategy, seed, stock };
  const pool = new RangePool(MINING_WORKER, { threads, workerData });
  try {
    return await work(pool);
  } finally {
    await pool.close();
  }
}

async function runPhase(pool: RangePool, run: PhaseRun): Promise<PhaseOutcome> {
  const plan = new PhasePlan(run, pool.threads);
  const handedOut = await pool.pull(plan, run.order.begun.tested);
  return plan.outcome(handedOut);
}

/** The time of one search: CPU seconds of all its threads, wall seconds since it began. */
class TimeAccount {
  readonly #startWall: number;
  #cpuSeconds: number;

  constructor({ cpuSeconds, wallSeconds }: SearchState) {
    this.#startWall = threadClocks.wallSeconds() - wallSeconds;
    this.#cpuSeconds = cpuSeconds;
  }

  charge(cpuSeconds: number): void {
    this.#cpuSeconds += cpuSeconds;
  }

  spent(): { cpuSeconds: number; wallSeconds: number } {
    const wallSeconds = threadClocks.wallSeconds() - this.#startWall;
    return { cpuSeconds: this.#cpuSeconds, wallSeconds };
  }
}

interface PhaseRun {
  readonly task: MiningTask;
  readonly order: PhaseOrder;
  /** The search before the phase. */
  readonly state: SearchState;
  readonly account: TimeAccount;
  readonly options: MiningOptions;
  /** What progress calls the phase, if not by its type. */
  readonly name?: MiningProgress['phase'];
}

/** One phase in flight: how far it came, its winners, what stopped it. */
class PhasePlan implements RangePlan<RangeReport> {
  readonly #run: PhaseRun;
  readonly #threads: number;
  readonly #step: number;
  readonly #winners: Winners;
  /** Where the ranges begin that have been handed out and have not come back. */
  readonly #outstanding = new Set<number>();
  #handedOut: number;
  #rangeCount = 1;
  #tested: number;
  #bestBits = -1;
  #stopped: Ending | null = null;

  constructor(run: PhaseRun, threads: number) {
    this.#run = run;
    this.#threads = threads;
    this.#step = phaseStep(run.task, run.order.phase);
    this.#winners = new Winners(run.task, run.order);
    this.#tested = run.order.begun.tested;
    this.#handedOut = this.#tested;
  }

  end(): number {
    return Math.min(this.#run.order.limit, this.#winners.end());
  }

  rangeCount(): number {
    return Math.ceil(this.#rangeCount / this.#step) * this.#step;
  }

  isStopped(): boolean {
    const { account, options, task } = this.#run;
    if (options.signal?.aborted) this.#stopped ??= 'cancelled';
    if (isTimeSpent(task.budget, account.spent())) this.#stopped ??= 'time';
    return this.#stopped !== null;
  }

  order(range: Range): RangeOrder {
    const { phase, wanted } = this.#run.order;
    this.#outstanding.add(range.from);
    this.#handedOut = range.from + range.count;
    return { phase, ...range, wanted, ...this.#winners.bar() };
  }

  accept({ result, cpuSeconds }: RangeReport, range: Range): void {
    const { account, options, order, name } = this.#run;
    account.charge(cpuSeconds);
    this.#outstanding.delete(range.from);
    this.#tested += result.tested;
    this.#bestBits = Math.max(this.#bestBits, result.bestBits);
    this.#winners.add(result.hits);
    this.#resize(result.tested, cpuSeconds);
    const [tested, bestBits] = [this.#tested, this.#bestBits];
    const state = () => this.#state();
    const phase = name ?? order.phase.type;
    options.onProgress?.({ phase, tested, bestBits, ...account.spent(), state });
  }

  outcome(handedOut: number): PhaseOutcome {
    const end = this.#winners.end();
    if (end === Number.POSITIVE_INFINITY) {
      return this.#winners.outcome({ tested: handedOut, ending: this.#stopped ?? 'attempts' });
    }
    const tested = end + 1;
    const overshoot = this.#tested - tested;
    return this.#winners.outcome({ tested, ending: 'found', overshoot });
  }

  /** Everything below the lowest range that is still out has been scanned. */
  #state(): SearchState {
    const { task, order, state, account, options, name } = this.#run;
    // A stock is made anew by whoever goes on.
    if (name === 'stock') return options.begun ?? SEARCH_NOT_BEGUN;
    const tested = Math.min(this.#handedOut, this.#winners.end() + 1, ...this.#outstanding);
    const winners = this.#winners.numbers(tested);
    const outcome = { tested, winners, hits: [], overshoot: 0, ending: 'cancelled' } as const;
    return { ...afterPhase(task, state, { order, outcome }).state, ...account.spent() };
  }

  /** Steers towards RANGE_SECONDS a range, at most doubling, smaller when the budget runs out. */
  #resize(tested: number, cpuSeconds: number): void {
    const { account, task } = this.#run;
    const left = (task.budget.cpuSeconds ?? Number.POSITIVE_INFINITY) - account.spent().cpuSeconds;
    const target = Math.min(RANGE_SECONDS, Math.max(0, left) / this.#threads);
    const fitting = Math.floor((tested * target) / Math.max(cpuSeconds, 1e-6));
    this.#rangeCount = Math.max(1, Math.min(fitting, 2 * this.rangeCount(), RANGE_COUNT_MAX));
  }
}
