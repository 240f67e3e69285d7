/**
 * @module
 * Mining on many threads. When a thread reports a winner no range above it is handed out, and the
 * search is over when all ranges below have come back, so the lowest winner wins whatever the number
 * of threads. Ranges are sized to take about RANGE_SECONDS, which bounds how far a CPU budget can be
 * overdrawn and how long a cancel takes.
 */

import { isTimeSpent } from '../mining/ledger.ts';
import type { Ending, MiningResult, MiningTask, Phase, PhaseOutcome } from '../mining/search.ts';
import { keyLimit, phaseStep, settle, solutionLimit, solutionsPhase } from '../mining/search.ts';
import { threadClocks } from './clocks.ts';
import type { RangeOrder, RangeReport } from './mining-worker.ts';
import type { Range, RangePlan } from './range-pool.ts';
import { RangePool } from './range-pool.ts';

/** What the pool tells while it works; `tested` counts the phase's numbers, all threads together. */
export interface MiningProgress {
  readonly phase: Phase['type'];
  readonly tested: number;
  readonly bestBits: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

export interface MiningOptions {
  readonly threads: number;
  readonly onProgress?: ((progress: MiningProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RANGE_SECONDS = 0.02;
const RANGE_COUNT_MAX = 2 ** 24;
const MINING_WORKER = new URL('./mining-worker.ts', import.meta.url);

/** Searches on `threads` worker threads until found, spent or aborted; leaves none running. */
export async function mineInThreads(
  task: MiningTask,
  options: MiningOptions,
): Promise<MiningResult> {
  const { budget: _, ...spec } = task;
  const pool = new RangePool(MINING_WORKER, { threads: options.threads, workerData: spec });
  const account = new TimeAccount();
  try {
    const run = (phase: Phase, limit: number) =>
      runPhase(
        pool,
        new PhasePlan({ task, phase, limit, threads: pool.threads, account, options }),
      );
    const keys = await run({ type: 'keys' }, keyLimit(task));
    const next = solutionsPhase(task, keys);
    const solutions = next && (await run(next, solutionLimit(task, keys)));
    return settle(task, { keys, solutions }, account.spent());
  } finally {
    await pool.close();
  }
}

async function runPhase(pool: RangePool, plan: PhasePlan): Promise<PhaseOutcome> {
  const handedOut = await pool.pull(plan);
  return plan.outcome(handedOut);
}

/** The time of one search: CPU seconds of all its threads, wall seconds since it began. */
class TimeAccount {
  readonly #startWall = threadClocks.wallSeconds();
  #cpuSeconds = 0;

  charge(cpuSeconds: number): void {
    this.#cpuSeconds += cpuSeconds;
  }

  spent(): { cpuSeconds: number; wallSeconds: number } {
    const wallSeconds = threadClocks.wallSeconds() - this.#startWall;
    return { cpuSeconds: this.#cpuSeconds, wallSeconds };
  }
}

interface PhaseOrder {
  readonly task: MiningTask;
  readonly phase: Phase;
  readonly limit: number;
  readonly threads: number;
  readonly account: TimeAccount;
  readonly options: MiningOptions;
}

/** One phase in flight: how far it came, its best winner, what stopped it. */
class PhasePlan implements RangePlan<RangeReport> {
  readonly #order: PhaseOrder;
  readonly #step: number;
  #rangeCount = 1;
  #tested = 0;
  #bestBits = -1;
  #winner = Number.POSITIVE_INFINITY;
  #stopped: Ending | null = null;

  constructor(order: PhaseOrder) {
    this.#order = order;
    this.#step = phaseStep(order.task, order.phase);
  }

  end(): number {
    return Math.min(this.#order.limit, this.#winner);
  }

  rangeCount(): number {
    return Math.ceil(this.#rangeCount / this.#step) * this.#step;
  }

  isStopped(): boolean {
    const { account, options, task } = this.#order;
    if (options.signal?.aborted) this.#stopped ??= 'cancelled';
    if (isTimeSpent(task.budget, account.spent())) this.#stopped ??= 'time';
    return this.#stopped !== null;
  }

  order(range: Range): RangeOrder {
    return { phase: this.#order.phase, ...range };
  }

  accept({ result, cpuSeconds }: RangeReport): void {
    const { account, options, phase } = this.#order;
    account.charge(cpuSeconds);
    this.#tested += result.tested;
    this.#bestBits = Math.max(this.#bestBits, result.bestBits);
    this.#winner = Math.min(this.#winner, result.winner ?? Number.POSITIVE_INFINITY);
    this.#resize(result.tested, cpuSeconds);
    const [tested, bestBits] = [this.#tested, this.#bestBits];
    options.onProgress?.({ phase: phase.type, tested, bestBits, ...account.spent() });
  }

  outcome(handedOut: number): PhaseOutcome {
    if (this.#winner < Number.POSITIVE_INFINITY) {
      const tested = this.#winner + 1;
      const overshoot = this.#tested - tested;
      return { winner: this.#winner, tested, overshoot, ending: 'found' };
    }
    const ending = this.#stopped ?? 'attempts';
    return { winner: null, tested: handedOut, overshoot: 0, ending };
  }

  /** Steers towards RANGE_SECONDS a range, at most doubling, smaller when the budget runs out. */
  #resize(tested: number, cpuSeconds: number): void {
    const { account, task, threads } = this.#order;
    const left = (task.budget.cpuSeconds ?? Number.POSITIVE_INFINITY) - account.spent().cpuSeconds;
    const target = Math.min(RANGE_SECONDS, Math.max(0, left) / threads);
    const fitting = Math.floor((tested * target) / Math.max(cpuSeconds, 1e-6));
    this.#rangeCount = Math.max(1, Math.min(fitting, 2 * this.rangeCount(), RANGE_COUNT_MAX));
  }
}
