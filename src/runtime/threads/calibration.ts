/**
 * @module
 * Measures how fast this machine mines: each strategy for keys with each scheme, and each strategy for the
 * dynamic puzzle, for about a second. The policies require more bits than can be found, so that no measurement
 * ends early.
 */

import { NODE_ID_BYTES } from '../../identity/ids/node-id.ts';
import type { SchemeName } from '../../identity/keys/scheme.ts';
import { SCHEME_NAMES, schemeOf } from '../../identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { attemptOdds, timeOdds } from '../../mining/odds.ts';
import type { MiningTask } from '../../mining/search.ts';
import { HONEST_STRATEGY } from '../../mining/strategies.ts';
import type { DynamicStrategyName, Stock } from '../../mining/strategy.ts';
import { DYNAMIC_STRATEGY_NAMES, STRATEGY_NAMES } from '../../mining/strategy.ts';
import { parseSeed } from '../../random.ts';
import { mineInThreads } from './mining-pool.ts';

/** The measurements of a scheme, `fresh` first. `weak` accepts torsion siblings, and has the xor puzzle. */
const MEASURED = [
  { strategy: 'fresh', policy: 'strict' },
  { strategy: 'walk', policy: 'strict' },
  { strategy: 'batch', policy: 'strict' },
  { strategy: 'siblings', policy: 'strict' },
  { strategy: 'siblings', policy: 'weak' },
  { strategy: 'stockpile', policy: 'strict' },
  { strategy: 'dynamic', policy: 'strict' },
  { strategy: 'amortised-xor', policy: 'weak' },
] as const;

type Subject = (typeof MEASURED)[number];

export interface StrategyRate {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy: Subject['policy'];
  readonly threads: number;
  /** Tested keys, or values of X or Y for the dynamic puzzle. */
  readonly candidatesPerSecond: number;
  /** log2 of the ratio to the rate of `fresh` with the same scheme. */
  readonly advantageBits: number;
}

export interface DifficultyTime {
  readonly bits: number;
  readonly expectedSeconds: number;
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  readonly p99Seconds: number;
}

export interface Calibration {
  readonly strategies: readonly StrategyRate[];
  /** Times of the fastest strategy under the strict policy. */
  readonly times: readonly DifficultyTime[];
}

export interface CalibrationOptions {
  readonly threads: number;
  /** Duration of each measurement, after a short warm-up. */
  readonly seconds?: number | undefined;
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MEASURED_SECONDS = 0.4;
/** V8 optimises the code in this time. */
const WARM_UP_SECONDS = 0.2;
const TABLE_BITS: readonly number[] = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48];

export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  const { threads, signal, seconds } = options;
  const strategies: StrategyRate[] = [];
  for (const scheme of SCHEME_NAMES) {
    let fresh: number | null = null;
    for (const subject of MEASURED) {
      // A group of prime order has no torsion.
      const isTorsion = subject.policy === 'weak' && subject.strategy === 'siblings';
      if (isTorsion && schemeOf(scheme).cofactor === 1) continue;
      options.onProgress?.(`measuring ${subject.strategy} with ${scheme}`);
      const task = { scheme, ...subject, threads, signal, seconds };
      const candidatesPerSecond = await measureRate(task);
      fresh ??= candidatesPerSecond;
      const advantageBits = Math.log2(candidatesPerSecond / fresh);
      strategies.push({ scheme, ...subject, threads, candidatesPerSecond, advantageBits });
    }
  }
  const best = strategies
    .filter(({ strategy }) => STRATEGY_NAMES.some((name) => name === strategy))
    .filter(({ strategy, policy }) => policy === 'strict' && strategy !== 'stockpile')
    .map(({ candidatesPerSecond }) => candidatesPerSecond);
  return { strategies, times: TABLE_BITS.map((bits) => timesOf(bits, Math.max(...best))) };
}

/** Candidates per second of wall time, of all threads together. */
export async function measureRate(options: {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy?: Subject['policy'];
  readonly threads: number;
  readonly seconds?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}): Promise<number> {
  const { threads, signal, strategy, seconds = MEASURED_SECONDS } = options;
  const phase = isForSolutions(strategy) ? 'solutions' : 'keys';
  const enough = new AbortController();
  let first: Reading | null = null;
  let warm: Reading = { tested: 0, wallSeconds: 0 };
  let last = warm;
  await mineInThreads(endlessTask(options), {
    threads,
    signal: signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]),
    onProgress: ({ tested, wallSeconds, ...progress }) => {
      if (progress.phase !== phase) return;
      last = { tested, wallSeconds };
      first ??= last;
      const elapsed = wallSeconds - first.wallSeconds;
      if (elapsed <= WARM_UP_SECONDS) warm = last;
      else if (elapsed >= WARM_UP_SECONDS + seconds) enough.abort();
    },
  });
  return (last.tested - warm.tested) / (last.wallSeconds - warm.wallSeconds);
}

/** The progress of a search. */
interface Reading {
  readonly tested: number;
  readonly wallSeconds: number;
}

/** A search that only a cancel ends. */
function endlessTask(subject: {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy?: Subject['policy'];
}): MiningTask {
  const { scheme, strategy, policy } = subject;
  const checks = { ...STRICT_POLICY.checks, torsion: policy !== 'weak' };
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
  return {
    ...endless,
    policy: { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX, checks },
    strategy,
    dynamicStrategy: 'dynamic',
    stock: strategy === 'stockpile' ? stockOfOne() : undefined,
  };
}

/** The same key many times. The cost of a test does not depend on the key. */
function stockOfOne(): Stock {
  const length = 2 ** 22;
  const nodeIds = new Uint8Array(length * NODE_ID_BYTES);
  return { length, idBytes: NODE_ID_BYTES, attempts: new Float64Array(length), nodeIds };
}

function isForSolutions(strategy: Subject['strategy']): strategy is DynamicStrategyName {
  return DYNAMIC_STRATEGY_NAMES.some((name) => name === strategy);
}

function timesOf(bits: number, candidatesPerSecond: number): DifficultyTime {
  const { expected, p50, p95, p99 } = timeOdds(attemptOdds(2 ** -bits), candidatesPerSecond);
  return { bits, expectedSeconds: expected, p50Seconds: p50, p95Seconds: p95, p99Seconds: p99 };
}
