/**
 * @module
 * Mining on threads. When the threads have reported as many winners as are wanted, no range above them is
 * handed out. The search ends when all ranges below have come back, so the lowest winners win with any
 * number of threads. A range takes about RANGE_SECONDS, which limits how far a CPU budget is exceeded and
 * how long a cancel takes.
 */

import type { DeviceFacts } from '../../mining/device/device.ts';
import type { SpentSeconds } from '../../mining/ledger.ts';
import { isTimeSpent } from '../../mining/ledger.ts';
import type {
  Ending,
  MiningTask,
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
import type { MiningProgress, MiningResult } from '../../mining/search.ts';
import { assertWinners, ledgerOf, settle } from '../../mining/search.ts';
import { StockKeys } from '../../mining/stock.ts';
import { needsStock, stockSearch, withStock } from '../../mining/stockpile.ts';
import type { Hit } from '../../mining/strategy.ts';
import { collector, Winners } from '../../mining/winners.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from './clocks.ts';
import type { RangeOrder, RangeReport } from './mining-worker.ts';
import type { Range, RangePlan, RangePool } from './range-pool.ts';
import { withPool } from './range-pool.ts';

export interface MiningOptions {
  readonly threads: number;
  /** The state from which to continue. */
  readonly begun?: SearchState | undefined;
  readonly onProgress?: ((progress: MiningProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const RANGE_SECONDS = 0.02;
const RANGE_COUNT_MAX = 2 ** 24;
const MINING_WORKER = new URL('./mining-worker.ts', import.meta.url);
/** A device tests many more numbers in a second, and a range ends with a pause of it. */
const DEVICE_RANGE_SECONDS = 0.2;
const DEVICE_COUNT_MAX = 2 ** 28;
const DEVICE_WORKER = new URL('./device-worker.ts', import.meta.url);

/** Searches on `threads` worker threads until it has found, spent or is aborted. Ends the threads. */
export async function mineInThreads(
  asked: MiningTask,
  options: MiningOptions,
): Promise<MiningResult> {
  const { begun = SEARCH_NOT_BEGUN } = options;
  const task = await stocked(asked, options);
  // An incomplete stock does not say which keys were tested.
  if (task === null) return unfinished(asked, begun);
  const account = new TimeAccount(begun);
  return onThreads(task, options, async (pool) => {
    const collect = collector(task);
    const keyPace = { rangeCount: 1 };
    let state = begun;
    let ending: Ending = 'found';
    for (;;) {
      const order = nextPhase(task, state);
      if (order === null) break;
      const run = { task, order, state, account, options, keyPace, winners: collect(order) };
      const outcome = await runPhase(pool, run);
      const after = afterPhase(task, state, { order, outcome });
      state = after.state;
      ending = outcome.ending;
      if (!after.isComplete) break;
    }
    const spent = { ...state, ...account.spent() };
    const result = settle(task, spent, ending, { plain: plainVerifier });
    const [device, ...others] = spent.devices ?? [];
    return device === undefined || others.length > 0 ? result : { ...result, device };
  });
}

/** A search that was cancelled before it continued. Its state is unchanged. */
function unfinished(task: MiningTask, begun: SearchState): MiningResult {
  return {
    found: false,
    ending: 'cancelled',
    state: begun,
    ledger: ledgerOf(task, begun),
    identity: null,
    identities: [],
    measured: null,
  };
}

/** The task with its stock, which is made before the budget begins to count. Null if it was cancelled. */
async function stocked(task: MiningTask, options: MiningOptions): Promise<MiningTask | null> {
  if (!needsStock(task)) return task;
  const search = { ...stockSearch(task, task.stockpile), budget: {} };
  const winners = new StockKeys();
  const outcome = await onThreads(search, options, (pool) =>
    runPhase(pool, {
      task: search,
      order: stockOrder(task.stockpile),
      state: SEARCH_NOT_BEGUN,
      account: new TimeAccount(SEARCH_NOT_BEGUN),
      options,
      winners,
      keyPace: { rangeCount: 1 },
    }),
  );
  if (outcome.ending === 'cancelled') return null;
  const ready = withStock(task, winners.all());
  assertWinners(ready, options.begun ?? SEARCH_NOT_BEGUN);
  return ready;
}

function onThreads<T>(
  { scheme, policy, goal, strategy, dynamicStrategy, seed, stock, device }: MiningTask,
  { threads }: MiningOptions,
  work: (pool: RangePool) => Promise<T>,
): Promise<T> {
  const workerData = { scheme, policy, goal, strategy, dynamicStrategy, seed, stock };
  return device === undefined
    ? withPool(MINING_WORKER, { threads, workerData }, work)
    : withPool(DEVICE_WORKER, { threads: 1, workerData }, work);
}

async function runPhase(pool: RangePool, run: PhaseRun): Promise<PhaseOutcome> {
  const { winners, order } = run;
  const plan = new PhasePlan(run, pool.threads);
  winners.scanned = await pool.pull(plan, winners.scanned);
  return winners.outcome(order, plan.ending());
}

/** The time of a search: CPU seconds of all threads, and wall seconds since its start. */
class TimeAccount {
  readonly #startWall: number;
  #cpuSeconds: number;
  #deviceSeconds: number | undefined;
  #devices: readonly DeviceFacts[] | undefined;

  constructor({ cpuSeconds, wallSeconds, deviceSeconds, devices }: SearchState) {
    this.#startWall = threadClocks.wallSeconds() - wallSeconds;
    this.#cpuSeconds = cpuSeconds;
    this.#deviceSeconds = deviceSeconds;
    this.#devices = devices;
  }

  charge({ cpuSeconds, deviceSeconds, device }: RangeReport): void {
    this.#cpuSeconds += cpuSeconds;
    if (deviceSeconds === undefined || device === undefined) return;
    this.#deviceSeconds = (this.#deviceSeconds ?? 0) + deviceSeconds;
    const others = (this.#devices ?? []).filter(({ name }) => name !== device.name);
    this.#devices = [...others, device];
  }

  spent(): SpentSeconds & Pick<SearchState, 'devices'> {
    const wallSeconds = threadClocks.wallSeconds() - this.#startWall;
    const [deviceSeconds, devices] = [this.#deviceSeconds, this.#devices];
    const cpu = { cpuSeconds: this.#cpuSeconds, wallSeconds };
    return deviceSeconds === undefined ? cpu : { ...cpu, deviceSeconds, devices };
  }
}

interface PhaseRun {
  readonly task: MiningTask;
  readonly order: PhaseOrder;
  /** The state before the phase. */
  readonly state: SearchState;
  readonly account: TimeAccount;
  readonly options: MiningOptions;
  /** The pace of the phases that find keys: each goes on with that of the one before. */
  readonly keyPace: Pace;
  /** What the phase collects. */
  readonly winners: Winners | StockKeys;
}

/** Numbers of the next range. */
interface Pace {
  rangeCount: number;
}

/** One running phase. */
class PhasePlan implements RangePlan<RangeReport> {
  readonly #run: PhaseRun;
  readonly #threads: number;
  readonly #step: number;
  readonly #pace: Pace;
  /** First numbers of the ranges that are out. */
  readonly #outstanding = new Set<number>();
  #handedOut: number;
  #bestBits = -1;
  #stopped: Ending | null = null;

  constructor(run: PhaseRun, threads: number) {
    this.#run = run;
    this.#threads = threads;
    this.#step = phaseStep(run.task, run.order.phase);
    // An X is often near, so that its search begins with short ranges.
    this.#pace = run.order.phase.type === 'keys' ? run.keyPace : { rangeCount: 1 };
    this.#handedOut = run.winners.scanned;
  }

  end(): number {
    const { order, winners } = this.#run;
    return Math.min(order.limit, winners.end());
  }

  rangeCount(): number {
    return Math.ceil(this.#pace.rangeCount / this.#step) * this.#step;
  }

  isStopped(): boolean {
    const { account, options, task } = this.#run;
    if (options.signal?.aborted) this.#stopped ??= 'cancelled';
    if (isTimeSpent(task.budget, account.spent())) this.#stopped ??= 'time';
    return this.#stopped !== null;
  }

  order(range: Range): RangeOrder {
    const { order, winners } = this.#run;
    this.#outstanding.add(range.from);
    this.#handedOut = range.from + range.count;
    return { phase: order.phase, ...range, wanted: winners.kept, ...winners.bar() };
  }

  accept(report: RangeReport, range: Range): void {
    const { result } = report;
    const { account, options, order, winners } = this.#run;
    account.charge(report);
    this.#outstanding.delete(range.from);
    this.#bestBits = Math.max(this.#bestBits, result.bestBits);
    winners.add(result);
    this.#resize(result.tested, report);
    const [tested, bestBits] = [winners.tested, this.#bestBits];
    const readings = { state: () => this.#state(), hits: () => this.#hits() };
    options.onProgress?.({
      phase: order.phase.type,
      tested,
      bestBits,
      ...account.spent(),
      ...readings,
    });
  }

  /** Why the phase ended if it has not found what it wanted. */
  ending(): Ending {
    return this.#stopped ?? 'attempts';
  }

  #hits(): readonly Hit[] {
    const { order, winners } = this.#run;
    if (order.phase.type !== 'keys' || !(winners instanceof Winners)) return [];
    return winners.hits(this.#end());
  }

  /** Everything below this number was scanned. */
  #end(): number {
    const { order, winners } = this.#run;
    return Math.min(order.limit, this.#handedOut, winners.end() + 1, ...this.#outstanding);
  }

  #state(): SearchState {
    const { task, order, state, account, options, winners: known } = this.#run;
    // A search that continues makes its stock again.
    if (order.phase.type === 'stock') return options.begun ?? SEARCH_NOT_BEGUN;
    const tested = this.#end();
    const winners = known.numbers(tested);
    const outcome = { tested, winners, hits: [], overshoot: 0, ending: 'cancelled' } as const;
    return { ...afterPhase(task, state, { order, outcome }).state, ...account.spent() };
  }

  /** Aims at RANGE_SECONDS for a range. It at most doubles, and is smaller if little budget is left. */
  #resize(tested: number, { cpuSeconds, deviceSeconds }: RangeReport): void {
    const { account, task } = this.#run;
    const clock = task.device === undefined ? 'cpuSeconds' : 'deviceSeconds';
    const left = (task.budget[clock] ?? Number.POSITIVE_INFINITY) - (account.spent()[clock] ?? 0);
    const isDevice = deviceSeconds !== undefined;
    const [seconds, most] = isDevice
      ? [DEVICE_RANGE_SECONDS, DEVICE_COUNT_MAX]
      : [RANGE_SECONDS, RANGE_COUNT_MAX];
    const target = Math.min(seconds, Math.max(0, left) / (isDevice ? 1 : this.#threads));
    const fitting = Math.floor((tested * target) / Math.max(deviceSeconds ?? cpuSeconds, 1e-6));
    this.#pace.rangeCount = Math.max(1, Math.min(fitting, 2 * this.rangeCount(), most));
  }
}
