/**
 * @module
 * The latency of messages in whole ticks of virtual time: constant, or drawn for each message from a uniform
 * or an exponential distribution. The text forms are `1`, `uniform:10:50` and `exp:30`.
 */

import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';

export type Latency =
  | { readonly type: 'constant'; readonly ticks: number }
  | { readonly type: 'uniform'; readonly ticksMin: number; readonly ticksMax: number }
  /** Rounded to whole ticks, from 1 to `EXPONENTIAL_CAP` times the mean. */
  | { readonly type: 'exponential'; readonly ticksMean: number };

/** The queue of messages in flight has one slot for each tick of the longest latency. */
export const LATENCY_TICKS_LIMIT = 1_000_000;
/**
 * Synchronous protocols need a bound on latencies. One message in 22 000 (e^-10) would take longer than
 * this multiple of the mean. It arrives at the bound.
 */
export const EXPONENTIAL_CAP = 10;

/** Parses `7`, `uniform:10:50` (both included) or `exp:30` (mean). Throws LabError `arguments`. */
export function parseLatency(text: string): Latency {
  const latency = readLatency(text);
  const problem = latencyProblem(latency);
  if (problem === null) return latency;
  throw new LabError('arguments', `latency ${JSON.stringify(text)} ${problem}`);
}

function readLatency(text: string): Latency {
  const [, low, high] = /^uniform:([1-9]\d{0,6}):([1-9]\d{0,6})$/.exec(text) ?? [];
  if (low !== undefined) return { type: 'uniform', ticksMin: Number(low), ticksMax: Number(high) };
  const [, mean] = /^exp:([1-9]\d{0,6})$/.exec(text) ?? [];
  if (mean !== undefined) return { type: 'exponential', ticksMean: Number(mean) };
  return { type: 'constant', ticks: /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 0 };
}

/** The text that parses to this latency. */
export function latencyText(latency: Latency): string {
  switch (latency.type) {
    case 'constant':
      return String(latency.ticks);
    case 'uniform':
      return `uniform:${latency.ticksMin}:${latency.ticksMax}`;
    case 'exponential':
      return `exp:${latency.ticksMean}`;
    default:
      return latency satisfies never;
  }
}

/** What is wrong with a latency, in words that follow its name; null if it is right. */
export function latencyProblem(latency: Latency): string | null {
  const [low, high] = bounds(latency);
  const isTicks = (ticks: number) =>
    Number.isInteger(ticks) && ticks >= 1 && ticks <= LATENCY_TICKS_LIMIT;
  if (latency.type === 'exponential' && (!isTicks(latency.ticksMean) || !isTicks(high))) {
    return `must have a mean of whole ticks in 1..${LATENCY_TICKS_LIMIT / EXPONENTIAL_CAP}`;
  }
  if (!isTicks(low) || !isTicks(high)) {
    return `must be whole ticks in 1..${LATENCY_TICKS_LIMIT}, such as 1, uniform:10:50 or exp:30`;
  }
  return low <= high ? null : `has reversed bounds; write uniform:${high}:${low}`;
}

/** Δ: the longest latency of a message. */
export function latencyTicksMax(latency: Latency): number {
  return bounds(latency)[1];
}

/** Draws the latency of one message. A constant latency draws nothing from `random`. */
export function createDelay(latency: Latency, random: Random): () => number {
  if (latency.type === 'constant') return () => latency.ticks;
  if (latency.type === 'exponential') return () => latencyTicks(latency, random.unit());
  const { ticksMin } = latency;
  const width = latency.ticksMax - ticksMin + 1;
  return () => ticksMin + random.below(width);
}

/** The quantile of the latency at `unit`, which is in [0, 1). */
export function latencyTicks(latency: Latency, unit: number): number {
  const [low, high] = bounds(latency);
  if (latency.type !== 'exponential') return low + Math.floor(unit * (high - low + 1));
  // V8 computes log1p in software (fdlibm), so that every machine gets the same ticks.
  const ticks = Math.round(-latency.ticksMean * Math.log1p(-unit));
  return Math.min(Math.max(ticks, low), high);
}

function bounds(latency: Latency): readonly [number, number] {
  switch (latency.type) {
    case 'constant':
      return [latency.ticks, latency.ticks];
    case 'uniform':
      return [latency.ticksMin, latency.ticksMax];
    case 'exponential':
      return [1, EXPONENTIAL_CAP * latency.ticksMean];
    default:
      return latency satisfies never;
  }
}
