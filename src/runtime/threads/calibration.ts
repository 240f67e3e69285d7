/**
 * @module
 * Measures how fast this machine mines: each strategy for keys with each scheme, each strategy for the dynamic
 * puzzle, and two naive searches of each kind as baselines, with noble and with `node:crypto`. A search for keys is
 * compared only with baselines that make keys, a search for solutions only with baselines that test solutions. The
 * policies require more bits than can be found, so that no measurement ends early.
 */

import type {
  SearchRate,
  SearchRates,
  ThreatModel,
} from '../../experiment/document/threat-model.ts';
import { ratedSearch } from '../../experiment/document/threat-model.ts';
import { measuredAdversaries } from '../../experiment/runs/budget.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { SCHEME_NAMES, schemeOf } from '../../identity/keys/scheme.ts';
import type { Policy } from '../../identity/policy.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { NATIVE_CORE } from '../../mining/native.ts';
import { attemptOdds, timeOdds } from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/search.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { DynamicStrategyName, StrategyName } from '../../mining/strategy.ts';
import { DYNAMIC_STRATEGY_NAMES } from '../../mining/strategy.ts';
import type {
  Calibration,
  DifficultyTime,
  IMPLEMENTATIONS,
  KeyRate,
  Rate,
} from '../../operations/calibration.ts';
import { parseSeed } from '../../random.ts';
import { findDevice } from '../device/webgpu.ts';
import type { Baseline, BaselineReport } from './baseline-worker.ts';
import { threadClocks } from './clocks.ts';
import { mineInThreads } from './mining-pool.ts';
import { withPool } from './range-pool.ts';

type Implementation = (typeof IMPLEMENTATIONS)[number];

/** `weak` accepts torsion siblings, and has the xor puzzle. */
const POLICIES = {
  strict: STRICT_POLICY,
  weak: { ...STRICT_POLICY, checks: { ...STRICT_POLICY.checks, torsion: false } },
} as const satisfies Readonly<Record<string, Policy>>;
type PolicyName = keyof typeof POLICIES;

interface Subject<Name extends string> {
  readonly strategy: Name;
  readonly implementation: Implementation;
  readonly policy: PolicyName;
}

/** The searches for keys with a scheme, the two baselines first. */
const KEY_SEARCHES: readonly Subject<StrategyName>[] = [
  { strategy: 'fresh', implementation: 'noble', policy: 'strict' },
  { strategy: 'fresh', implementation: 'openssl', policy: 'strict' },
  { strategy: 'walk', implementation: 'noble', policy: 'strict' },
  { strategy: 'batch', implementation: 'kernel', policy: 'strict' },
  { strategy: 'siblings', implementation: 'kernel', policy: 'strict' },
  { strategy: 'siblings', implementation: 'kernel', policy: 'weak' },
  { strategy: 'siblings', implementation: 'device', policy: 'strict' },
  { strategy: 'siblings', implementation: 'device', policy: 'weak' },
];

/** The searches for solutions, the two baselines first. */
const SOLUTION_SEARCHES: readonly Subject<DynamicStrategyName>[] = [
  { strategy: 'dynamic', implementation: 'noble', policy: 'strict' },
  { strategy: 'dynamic', implementation: 'openssl', policy: 'strict' },
  { strategy: 'dynamic', implementation: 'kernel', policy: 'strict' },
  { strategy: 'amortised-xor', implementation: 'kernel', policy: 'weak' },
  { strategy: 'dynamic', implementation: 'device', policy: 'strict' },
  { strategy: 'amortised-xor', implementation: 'device', policy: 'weak' },
];

export interface CalibrationOptions {
  readonly threads: number;
  /** Duration of each measurement, after a short warm-up. */
  readonly seconds?: number | undefined;
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** A device to measure, too. */
  readonly device?: 'gpu' | undefined;
}

const MEASURED_SECONDS = 0.4;
/** V8 optimises the code in this time. */
const WARM_UP_SECONDS = 0.2;
/** The runs of a device double until they are long enough, and then each takes a twentieth of a second. */
const DEVICE_SECONDS = { warmUp: 1, measured: 1 };
const TABLE_BITS: readonly number[] = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48];
/** A range of a baseline takes about this time. It at most doubles. */
const RANGE_SECONDS = 0.02;

/** Measures all searches. Rejects at once if it needs a device and finds none. */
export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  if (options.device !== undefined) await findDevice();
  const keys: KeyRate[] = [];
  for (const scheme of SCHEME_NAMES) {
    const subjects = KEY_SEARCHES.filter(
      // A group of prime order has no torsion.
      ({ policy }) => policy === 'strict' || schemeOf(scheme).cofactor > 1,
    );
    const rates = await ratesOf(subjects, scheme, options);
    keys.push(...rates.map(({ rate, ...row }) => ({ scheme, ...row, keys: rate })));
  }
  const stock = { tests: await stockRate(options) };
  const [scheme] = SCHEME_NAMES;
  const found = await ratesOf(SOLUTION_SEARCHES, scheme, options);
  const solutions = found.map(({ rate, ...row }) => ({ ...row, solutions: rate }));
  // A software device computes on the processor.
  const strict = keys.filter(({ policy, keys: rate }) => {
    return policy === 'strict' && rate.device?.isSoftware !== true;
  });
  const fastest = Math.max(...strict.map((row) => row.keys.perSecond));
  return {
    threads: options.threads,
    keys,
    solutions,
    stock,
    native: NATIVE_CORE,
    times: TABLE_BITS.map((bits) => timesOf(bits, fastest)),
  };
}

/** The rates of searches of one kind, and their advantage over the first two of them. */
async function ratesOf<Name extends StrategyName | DynamicStrategyName>(
  subjects: readonly Subject<Name>[],
  scheme: SchemeName,
  options: CalibrationOptions,
) {
  const rates = new Map<Subject<Name>, Rate>();
  for (const subject of subjects) {
    const { strategy, implementation } = subject;
    if (implementation === 'device' && options.device === undefined) continue;
    const what = isForSolutions(strategy) ? strategy : `${strategy} with ${scheme}`;
    options.onProgress?.(`measuring ${what}, ${implementation}`);
    rates.set(subject, await rateOf(subject, scheme, options));
  }
  const [noble, native] = rates.values();
  return [...rates].map(([subject, rate]) => ({
    ...subject,
    rate,
    advantageBits: { noble: bitsOver(rate, noble), native: bitsOver(rate, native) },
  }));
}

function bitsOver(rate: Rate, baseline: Rate | undefined): number {
  return Math.log2(rate.perCpuSecond / (baseline?.perCpuSecond ?? Number.NaN));
}

function rateOf(
  { strategy, implementation, policy: name }: Subject<StrategyName | DynamicStrategyName>,
  scheme: SchemeName,
  { threads, signal, seconds, device }: CalibrationOptions,
): Promise<Rate> {
  const measured = { threads, signal, seconds };
  const policy = POLICIES[name];
  if (implementation === 'device') {
    return measureStrategy({ scheme, strategy, policy, ...measured, device });
  }
  if (isForSolutions(strategy)) {
    if (implementation !== 'kernel') {
      return measureBaseline({ search: 'solutions', implementation, form: 'concat' }, measured);
    }
  } else if (implementation === 'openssl') {
    return measureBaseline({ search: 'keys', implementation, scheme, policy }, measured);
  }
  return measureStrategy({ scheme, strategy, policy, ...measured });
}

function stockRate({ onProgress, ...options }: CalibrationOptions): Promise<Rate> {
  onProgress?.('measuring stockpile');
  return measureBaseline({ search: 'stock' }, options);
}

interface StrategyMeasured extends Omit<CalibrationOptions, 'onProgress'> {
  readonly scheme: SchemeName;
  readonly strategy: StrategyName | DynamicStrategyName;
  /** The strict policy by default. */
  readonly policy?: Policy;
}

/**
 * The rates that runs of these models require. Null if they require none. A CPU second is one of one thread, so one thread
 * is measured. A device is measured by its own time.
 */
export async function measureRates(
  models: readonly ThreatModel[],
  signal?: AbortSignal,
): Promise<SearchRates> {
  const rates: SearchRate[] = [];
  for (const model of models) {
    for (const adversary of measuredAdversaries(model)) {
      const search = ratedSearch(model, adversary);
      if (rates.some((each) => each.search === search)) continue;
      const { scheme, ...policy } = model.network.identity;
      const { strategy, rate } = adversary;
      const options = { scheme, policy, strategy, threads: 1, signal };
      const { device, ...found } = await (rate === 'measured on gpu'
        ? measureStrategy({ ...options, device: 'gpu' })
        : // Keys in stock were made before the rate counts.
          strategy === 'stockpile'
          ? measureBaseline({ search: 'stock' }, options)
          : measureStrategy(options));
      // The digits that a command states. A device pauses between its runs, and a thread does not.
      const speed = device === undefined ? found.perSecond : found.perCpuSecond;
      rates.push({ search, perSecond: Number(speed.toPrecision(6)), device });
    }
  }
  return rates.length === 0 ? null : rates;
}

/** The rate of a search by threads, or by a device. */
export async function measureStrategy(options: StrategyMeasured): Promise<Rate> {
  const { threads, signal, strategy } = options;
  const onDevice = options.device !== undefined;
  const { seconds = onDevice ? DEVICE_SECONDS.measured : MEASURED_SECONDS } = options;
  const phase = isForSolutions(strategy) ? 'solutions' : 'keys';
  const enough = new AbortController();
  const meter = new RateMeter(seconds, onDevice ? DEVICE_SECONDS.warmUp : WARM_UP_SECONDS);
  const { device } = await mineInThreads(
    { ...endlessTask(options), device: options.device },
    {
      threads,
      signal: signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]),
      onProgress: (progress) => {
        if (progress.phase !== phase) return;
        const { deviceSeconds, cpuSeconds, ...reading } = progress;
        meter.read({ ...reading, cpuSeconds: deviceSeconds ?? cpuSeconds });
        if (meter.isEnough()) enough.abort();
      },
    },
  );
  return { ...meter.rate(), ...(device !== undefined && { device }) };
}

/** The rate of a naive search, or of tests of keys in stock. */
export async function measureBaseline(
  baseline: Baseline,
  { threads, signal, seconds = MEASURED_SECONDS }: Omit<CalibrationOptions, 'onProgress'>,
): Promise<Rate> {
  const meter = new RateMeter(seconds);
  let [tested, cpuSeconds] = [0, 0];
  let rangeCount = 1;
  await withPool(BASELINE_WORKER, { threads, workerData: baseline }, (pool) =>
    pool.pull<BaselineReport>({
      end: () => Number.POSITIVE_INFINITY,
      rangeCount: () => rangeCount,
      isStopped: () => meter.isEnough() || signal?.aborted === true,
      order: (range) => range,
      accept(report) {
        tested += report.tested;
        cpuSeconds += report.cpuSeconds;
        meter.read({ tested, cpuSeconds, wallSeconds: threadClocks.wallSeconds() });
        const fitting = (report.tested * RANGE_SECONDS) / Math.max(report.cpuSeconds, 1e-6);
        rangeCount = Math.max(1, Math.floor(Math.min(fitting, 2 * rangeCount)));
      },
    }),
  );
  return meter.rate();
}

const BASELINE_WORKER = new URL('./baseline-worker.ts', import.meta.url);

/** The progress of a search. */
interface Reading {
  readonly tested: number;
  /** The sum over all threads. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** The rate between the end of the warm-up and the last reading. */
class RateMeter {
  readonly #seconds: number;
  readonly #warmUp: number;
  #first: Reading | null = null;
  #warm: Reading = { tested: 0, cpuSeconds: 0, wallSeconds: 0 };
  #last: Reading = this.#warm;

  constructor(seconds: number, warmUp = WARM_UP_SECONDS) {
    this.#seconds = seconds;
    this.#warmUp = warmUp;
  }

  read(reading: Reading): void {
    this.#last = reading;
    this.#first ??= reading;
    if (reading.wallSeconds - this.#first.wallSeconds <= this.#warmUp) this.#warm = reading;
  }

  isEnough(): boolean {
    const elapsed = this.#last.wallSeconds - (this.#first ?? this.#last).wallSeconds;
    const isMeasured = this.#last.cpuSeconds > this.#warm.cpuSeconds;
    return isMeasured && elapsed >= this.#warmUp + this.#seconds;
  }

  rate(): Rate {
    const tested = this.#last.tested - this.#warm.tested;
    return {
      perSecond: tested / (this.#last.wallSeconds - this.#warm.wallSeconds),
      perCpuSecond: tested / (this.#last.cpuSeconds - this.#warm.cpuSeconds),
    };
  }
}

/** A search that only a cancel ends. */
function endlessTask({
  scheme,
  strategy,
  policy = STRICT_POLICY,
}: Pick<StrategyMeasured, 'scheme' | 'strategy' | 'policy'>): MiningTask {
  const endless = {
    scheme,
    goal: { type: 'any' },
    seed: parseSeed('0'),
    budget: {},
  } as const;
  if (isForSolutions(strategy)) {
    const dynamic = strategy === 'amortised-xor' ? 'xor' : 'concat';
    const puzzle = { ...STRICT_POLICY, c2: PUZZLE_BITS_MAX, dynamic } as const;
    return { ...endless, policy: puzzle, strategy: HONEST_STRATEGY, dynamicStrategy: strategy };
  }
  const puzzle = { ...policy, c1: ENDLESS_BITS, c2: 0 };
  return { ...endless, policy: puzzle, strategy, dynamicStrategy: 'dynamic' };
}

/** More bits than can be found. SHA-1 has 160. */
const ENDLESS_BITS = 150;

function isForSolutions(
  strategy: StrategyName | DynamicStrategyName,
): strategy is DynamicStrategyName {
  return DYNAMIC_STRATEGY_NAMES.some((name) => name === strategy);
}

function timesOf(bits: number, candidatesPerSecond: number): DifficultyTime {
  const { expected, p50, p95, p99 } = timeOdds(attemptOdds(2 ** -bits), candidatesPerSecond);
  return { bits, expectedSeconds: expected, p50Seconds: p50, p95Seconds: p95, p99Seconds: p99 };
}
