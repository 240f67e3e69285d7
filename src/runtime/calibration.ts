/**
 * @module
 * How fast this machine mines, measured here and now: every way to find keys with every scheme, and
 * the search for X, for about a second each on as many threads as asked. The policies ask for more
 * bits than can be found, so that a measurement never ends early. `stockpile` and `amortised-xor` are
 * not measured: they change how much work there is, not how fast it is done.
 */

import { STRICT_POLICY } from '../identity/policy.ts';
import { PUZZLE_BITS_MAX } from '../identity/puzzle.ts';
import type { SchemeName } from '../identity/scheme.ts';
import { SCHEME_NAMES, schemeOf } from '../identity/scheme.ts';
import { attemptOdds, timeOdds } from '../mining/odds.ts';
import type { MiningTask } from '../mining/search.ts';
import { HONEST_STRATEGY } from '../mining/strategies.ts';
import { parseSeed } from '../random.ts';
import { mineInThreads } from './mining-pool.ts';

/** What is measured of a scheme, `fresh` first; `weak` lets the torsion siblings of Ed25519 pass. */
const MEASURED = [
  { strategy: 'fresh', policy: 'strict' },
  { strategy: 'walk', policy: 'strict' },
  { strategy: 'batch', policy: 'strict' },
  { strategy: 'siblings', policy: 'strict' },
  { strategy: 'siblings', policy: 'weak' },
  { strategy: 'dynamic', policy: 'strict' },
] as const;

type Subject = (typeof MEASURED)[number];

export interface StrategyRate {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy: Subject['policy'];
  readonly threads: number;
  /** Keys tested; for `dynamic` values of X, which do not depend on the scheme. */
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
  const { threads, signal } = options;
  const strategies: StrategyRate[] = [];
  for (const scheme of SCHEME_NAMES) {
    let fresh: number | null = null;
    for (const subject of MEASURED) {
      // No torsion to let pass where the group has prime order.
      if (subject.policy === 'weak' && schemeOf(scheme).cofactor === 1) continue;
      options.onProgress?.(`measuring ${subject.strategy} with ${scheme}`);
      const candidatesPerSecond = await measureRate({ scheme, ...subject, threads, signal });
      fresh ??= candidatesPerSecond;
      const advantageBits = Math.log2(candidatesPerSecond / fresh);
      strategies.push({ scheme, ...subject, threads, candidatesPerSecond, advantageBits });
    }
  }
  const best = strategies
    .filter(({ strategy, policy }) => policy === 'strict' && strategy !== 'dynamic')
    .map(({ candidatesPerSecond }) => candidatesPerSecond);
  return { strategies, times: TABLE_BITS.map((bits) => timesOf(bits, Math.max(...best))) };
}

/** Candidates per second of wall time, all threads together. */
export async function measureRate(options: {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy?: Subject['policy'];
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
}): Promise<number> {
  const { threads, signal, strategy } = options;
  const phase = strategy === 'dynamic' ? 'solutions' : 'keys';
  let warm = { tested: 0, wallSeconds: 0 };
  let last = warm;
  await mineInThreads(endlessTask(options), {
    threads,
    signal,
    onProgress: ({ tested, wallSeconds, ...progress }) => {
      if (progress.phase !== phase) return;
      last = { tested, wallSeconds };
      if (wallSeconds < WARM_UP_SECONDS) warm = last;
    },
  });
  return (last.tested - warm.tested) / (last.wallSeconds - warm.wallSeconds);
}

/** A search that only its time ends. */
function endlessTask(subject: {
  readonly scheme: SchemeName;
  readonly strategy: Subject['strategy'];
  readonly policy?: Subject['policy'];
}): MiningTask {
  const { scheme, strategy, policy } = subject;
  const isDynamic = strategy === 'dynamic';
  const puzzles = isDynamic ? { c2: PUZZLE_BITS_MAX } : { c1: PUZZLE_BITS_MAX };
  const checks = { ...STRICT_POLICY.checks, torsion: policy !== 'weak' };
  return {
    scheme,
    strategy: isDynamic ? HONEST_STRATEGY : strategy,
    dynamicStrategy: 'dynamic',
    policy: { ...STRICT_POLICY, ...puzzles, checks },
    goal: { type: 'any' },
    seed: parseSeed('0'),
    budget: { wallSeconds: WARM_UP_SECONDS + MEASURED_SECONDS },
  };
}

function timesOf(bits: number, candidatesPerSecond: number): DifficultyTime {
  const { expected, p50, p95, p99 } = timeOdds(attemptOdds(2 ** -bits), candidatesPerSecond);
  return { bits, expectedSeconds: expected, p50Seconds: p50, p95Seconds: p95, p99Seconds: p99 };
}
