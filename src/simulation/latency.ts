/**
 * @module
 * How long a message travels, in whole ticks of virtual time: always the same, or drawn uniformly
 * for every message. Parsed once at the edge (`1`, `uniform:10:50`), data from there on.
 */

import { LabError } from '../errors.ts';
import type { Random } from '../random.ts';

export type Latency =
  | { readonly type: 'constant'; readonly ticks: number }
  | { readonly type: 'uniform'; readonly ticksMin: number; readonly ticksMax: number };

/** A longer latency would make the queue's wheel large for nothing. */
export const LATENCY_TICKS_LIMIT = 1_000_000;

/** Reads `7` or `uniform:10:50` (both ends included). Throws LabError `arguments` otherwise. */
export function parseLatency(text: string): Latency {
  const constant = /^([1-9][0-9]{0,6})$/.exec(text);
  const uniform = /^uniform:([1-9][0-9]{0,6}):([1-9][0-9]{0,6})$/.exec(text);
  const latency: Latency = uniform
    ? { type: 'uniform', ticksMin: Number(uniform[1]), ticksMax: Number(uniform[2]) }
    : { type: 'constant', ticks: constant ? Number(constant[1]) : 0 };
  const fault = latencyFault(latency);
  if (fault !== null) throw new LabError('arguments', `latency ${JSON.stringify(text)} ${fault}`);
  return latency;
}

/** The text that parses to this latency. */
export function latencyText(latency: Latency): string {
  return latency.type === 'constant'
    ? String(latency.ticks)
    : `uniform:${latency.ticksMin}:${latency.ticksMax}`;
}

/** What is wrong with a latency that came as data, in words that follow its name; null if nothing. */
export function latencyFault(latency: Latency): string | null {
  const [low, high] = bounds(latency);
  const isTicks = (ticks: number) =>
    Number.isInteger(ticks) && ticks >= 1 && ticks <= LATENCY_TICKS_LIMIT;
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
  const { ticksMin } = latency;
  const width = latency.ticksMax - ticksMin + 1;
  return () => ticksMin + random.below(width);
}

function bounds(latency: Latency): readonly [number, number] {
  return latency.type === 'constant'
    ? [latency.ticks, latency.ticks]
    : [latency.ticksMin, latency.ticksMax];
}
