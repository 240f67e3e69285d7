/**
 * @module
 * How fast this machine mines, measured here and now: every strategy with every scheme for about a
 * second, on as many threads as asked. The policy asks for more bits than can be found, so that a
 * measurement never ends early.
 */

import { STRICT_POLICY } from '../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../identity/puzzle.ts';
import type { SchemeName } from '../identity/scheme.ts';
import { SCHEME_NAMES } from '../identity/scheme.ts';
import { attemptOdds, timeOdds } from '../mining/odds.ts';
import type { MiningTask } from '../mining/search.ts';
import type { StrategyName } from '../mining/strategy.ts';
import { STRATEGY_NAMES } from '../mining/strategy.ts';
import { parseSeed } from '../random.ts';
import { mineInThreads } from './mining-pool.ts';

export interface StrategyRate {
  readonly scheme: SchemeName;
  readonly strategy: StrategyName;
  readonly policy: 'strict' | 'weak';
  readonly threads: number;
  readonly candidatesPerSecond: number;
  /** log2 of the rate over that of `fresh` with the same scheme. */
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
  /** For the fastest strategy that a strict policy admits. */
  readonly times: readonly DifficultyTime[];
}

export interface CalibrationOptions {
  readonly threads: number;
  readonly onProgress?: ((what: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const MEASURED_SECONDS = 0.7;
/** Code that the engine has not optimised yet is not what is measured. */
const WARM_UP_SECONDS = 0.2;
const TABLE_BITS: readonly number[] = [4, 8, 12, 16, 20, 24, 28, 32, 40, 48];

export async function calibrate(options: CalibrationOptions): Promise<Calibration> {
  const strategies: StrategyRate[] = [];
  for (const scheme of SCHEME_NAMES) {
    let fresh: number | null = null;
    for (const strategy of STRATEGY_NAMES) {
      options.onProgress?.(`measuring ${strategy} with ${scheme}`);
      const candidatesPerSecond = await measureRate({ scheme, strategy, ...options });
      fresh ??= candidatesPerSecond;
      const advantageBits = Math.log2(candidatesPerSecond / fresh);
      const { threads } = options;
      strategies.push({
        scheme,
        strategy,
        policy: 'strict',
        threads,
        candidatesPerSecond,
        advantageBits,
      });
    }
  }
  const best = Math.max(...strategies.map(({ candidatesPerSecond }) => candidatesPerSecond));
  return { strategies, times: TABLE_BITS.map((bits) => timesOf(bits, best)) };
}

/** Candidates per second of wall time, all threads together. */
export async function measureRate(options: {
  readonly scheme: SchemeName;
  readonly strategy: StrategyName;
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<number> {
  const { scheme, strategy, threads, signal } = options;
  const task = (wallSeconds: number): MiningTask => ({
    scheme,
    strategy,
    policy: { ...STRICT_POLICY, c1: PUZZLE_BITS_MAX },
    goal: { type: 'any' },
    seed: parseSeed('0'),
    budget: { wallSeconds },
  });
  let warm = { tested: 0, wallSeconds: 0 };
  let last = warm;
  await mineInThreads(task(WARM_UP_SECONDS + MEASURED_SECONDS), {
    threads,
    signal,
    onProgress: ({ tested, wallSeconds }) => {
      last = { tested, wallSeconds };
      if (wallSeconds < WARM_UP_SECONDS) warm = last;
    },
  });
  return (last.tested - warm.tested) / (last.wallSeconds - warm.wallSeconds);
}

function timesOf(bits: number, candidatesPerSecond: number): DifficultyTime {
  const { expected, p50, p95, p99 } = timeOdds(attemptOdds(2 ** -bits), candidatesPerSecond);
  return { bits, expectedSeconds: expected, p50Seconds: p50, p95Seconds: p95, p99Seconds: p99 };
}
