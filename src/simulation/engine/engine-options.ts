/**
 * @module
 * The parts of an engine. Parts that only some runs need are null or absent here, so that the hot path of the
 * other runs does not contain them.
 */

import type { Message } from '../../election/machine.ts';
import type { NodeView } from '../../election/properties.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { Schedule } from '../faults/schedule.ts';
import type { Network } from './network.ts';
import type { TraceRecord } from './trace.ts';

export interface EngineOptions {
  readonly cast: Cast;
  /** Every rank once: the order of the nodes in memory. */
  readonly nodeOrder: readonly number[];
  readonly crashedBefore: readonly number[];
  /** Ranks that join later. `cast` does not contain them. */
  readonly absent?: readonly number[];
  readonly latencyTicksMax: number;
  /** Draws the latency of one message. */
  readonly delay: () => number;
  /** Answers `choose`. Default: the lowest value. */
  readonly choices?: Choices;
  /** Replaces `delay`; null if every message arrives. */
  readonly network?: Network | null;
  /** The ticks that a timer really takes; null if clocks run evenly. */
  readonly clock?: Clock | null;
  /** Whether the engine must keep links in order. A constant latency does so by itself. */
  readonly orderLinks: boolean;
  readonly messageTypes: readonly string[];
  /** Receives a record of every action; null for no trace. */
  readonly records: TraceRecord[] | null;
  /** Receives every message that is sent, before the network. */
  readonly meter?: ((message: Message) => void) | undefined;
  /** Receives every change of whether a node is up, of its leader, and of its epoch. */
  readonly observer?: ((now: number, view: LeaderView) => void) | undefined;
}

/** A node and its leader with the epoch of that leader; 0 for none. */
export interface LeaderView extends NodeView {
  readonly epoch: number;
}

/** What a detector or a join reports to a node about another. */
export type ReportType = 'suspect' | 'trust' | 'join' | 'leave';

/**
 * Draws from 0..below−1 for the node of that rank. The answer to `choose`: a uniform integer from a stream of the
 * seed that belongs to the node. Therefore the choices of one node do not depend on those of the others.
 */
export type Choices = (rank: number, below: number) => number;

export function createChoices(seed: Seed): Choices {
  const streams = new Map<number, Random>();
  return (rank, below) => {
    let stream = streams.get(rank);
    if (stream === undefined) {
      stream = createRandom(seed, 'choice', rank);
      streams.set(rank, stream);
    }
    return stream.below(below);
  };
}

/**
 * The ticks that a timer of `ticks` takes at a node if it is set at `now`. Clocks that run fast or slow: the ticks
 * that the timer of a node takes. Machines have no clock, so that a skew changes only their timers.
 */
export type Clock = (rank: number, ticks: number, now: number) => number;

/** Null if all clocks run evenly. Several skews of one node are multiplied. */
export function createClock({ faults, calm }: Schedule): Clock | null {
  const rates = new Map<number, number>();
  for (const fault of faults) {
    if (fault.type !== 'skew') continue;
    const rate = (rates.get(fault.rank) ?? 1) * (fault.numerator / fault.denominator);
    rates.set(fault.rank, rate);
  }
  if (rates.size === 0) return null;
  const calmAt = calm?.at ?? Number.POSITIVE_INFINITY;
  return (rank, ticks, now) => {
    const rate = now < calmAt ? rates.get(rank) : undefined;
    // A timer of 0 ticks stays one. Every other timer takes at least one tick.
    return rate === undefined || ticks === 0 ? ticks : Math.max(1, Math.round(ticks * rate));
  };
}
