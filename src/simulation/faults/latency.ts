/**
 * @module
 * How long a message travels, in whole ticks of virtual time: always the same, or drawn for every
 * message, uniformly or exponentially. Parsed once at the edge (`1`, `uniform:10:50`, `exp:30`), data
 * from there on.
 */

import { LabError } from '../../errors.ts';
import type { Random } from '../../random.ts';

export type Latency =
  | { readonly type: 'constant'; readonly ticks: number }
  | { readonly type: 'uniform'; readonly ticksMin: number; readonly ticksMax: number }
  /** Rounded to whole ticks, at least 1 and at most `EXPONENTIAL_CAP` means. */
  | { readonly type: 'exponential'; readonly ticksMean: number };

/** A longer latency would make the queue's wheel large for nothing. */
export const LATENCY_TICKS_LIMIT = 1_000_000;
/**
 * Synchronous protocols need a bound. An exponential latency is cut off here: one message in 22 000
 * (e^-10) would have taken longer, and arrives at the bound.
 */
export const EXPONENTIAL_CAP = 10;

/**
 * Reads `7`, `uniform:10:50` (both ends included) or `exp:30` (the mean). Throws LabError
 * `arguments` otherwise.
 */
export function parseLatency(text: string): Latency {
  const latency = readLatency(text);
  const fault = latencyFault(latency);
  if (fault !== null) throw new LabError('arguments', `latency ${JSON.stringify(text)} ${fault}`);
  return latency;
}

function readLatency(text: string): Latency {
  const uniform = /^uniform:([1-9][0-9]{0,6}):([1-9][0-9]{0,6})$/.exec(text);
  if (uniform) {
    return { type: 'uniform', ticksMin: Number(uniform[1]), ticksMax: Number(uniform[2]) };
  }
  const exponential = /^exp:([1-9][0-9]{0,6})$/.exec(text);
  if (exponential) return { type: 'exponential', ticksMean: Number(exponential[1]) };
  return { type: 'constant', ticks: /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : 0 };
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

/** What is wrong with a latency that came as data, in words that follow its name; null if nothing. */
export function latencyFault(latency: Latency): string | null {
  const [low, high] = bounds(latency);
  const isTicks = (ticks: number) =>
    Number.isInteger(ticks) && ticks >= 1 && ticks <= LATENCY_TICKS_LIMIT;
  if (latency.type === 'exponential' && (!isTicks(latency.ticksMean) || !isTicks(high))) {
    return `has no mean of whole ticks in 1..${LATENCY_TICKS_LIMIT / EXPONENTIAL_CAP}`;
  }
  if (!isTicks(low) || !isTicks(high)) {
    return `is not whole ticks in 1..${LATENCY_TICKS_LIMIT}, for example 1 or uniform:10:50`;
  }
  return low <= high ? null : `has its bounds reversed; uniform:${high}:${low} would be right`;
}

/** Δ: no message travels longer. */
export function latencyTicksMax(latency: Latency): number {
  return bounds(latency)[1];
}

/** Draws the ticks of one message. A constant latency draws nothing from `random`. */
export function createDelay(latency: Latency, random: Random): () => number {
  if (latency.type === 'constant') return () => latency.ticks;
  if (latency.type === 'exponential') return () => latencyTicks(latency, random.unit());
  const { ticksMin } = latency;
  const width = latency.ticksMax - ticksMin + 1;
  return () => ticksMin + random.below(width);
}

/** The ticks of the message whose latency exceeds a share `unit` (0..1, 1 excluded) of all. */
export function latencyTicks(latency: Latency, unit: number): number {
  switch (latency.type) {
    case 'constant':
      return latency.ticks;
    case 'uniform':
      return latency.ticksMin + Math.floor(unit * (latency.ticksMax - latency.ticksMin + 1));
    case 'exponential': {
      // V8 computes log1p in software (fdlibm), so every machine has the same ticks.
      const ticks = Math.round(-latency.ticksMean * Math.log1p(-unit));
      return Math.min(Math.max(ticks, 1), EXPONENTIAL_CAP * latency.ticksMean);
    }
    default:
      return latency satisfies never;
  }
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
