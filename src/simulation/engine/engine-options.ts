/**
 * @module
 * What an engine is made of: everything that a run may need and most runs do not is chosen here, once,
 * so that the hot path does not ask for it again.
 */

import type { Cast } from '../../election/cast.ts';
import type { NodeView } from '../../election/properties.ts';
import type { Clock } from '../faults/clock.ts';
import type { Choices } from './choices.ts';
import type { Network } from './network.ts';
import type { TraceRecord } from './trace.ts';

export interface EngineOptions {
  readonly cast: Cast;
  /** Every rank once: in which order nodes lie in memory. */
  readonly nodeOrder: readonly number[];
  readonly crashedBefore: readonly number[];
  /** Ranks that have yet to join; `cast` is without them. */
  readonly absent?: readonly number[];
  readonly latencyTicksMax: number;
  /** Draws one message's latency. */
  readonly delay: () => number;
  /** What falls when a node asks; by default the lowest value. */
  readonly choices?: Choices;
  /** Decides what becomes of a message instead of `delay`; null where every message arrives. */
  readonly network?: Network | null;
  /** How many ticks a node's timer of so many ticks really takes; null where clocks run evenly. */
  readonly clock?: Clock | null;
  /** Whether links must be kept in order, which a constant latency does by itself. */
  readonly orderLinks: boolean;
  readonly messageTypes: readonly string[];
  /** Where to record every action, or null. */
  readonly records: TraceRecord[] | null;
  /** Hears of every change of whether a node is up, whom it follows and in which epoch. */
  readonly observer?: ((now: number, view: LeaderView) => void) | undefined;
}

/** A node, and the epoch in which it follows whom it follows; 0 where there is none. */
export interface LeaderView extends NodeView {
  readonly epoch: number;
}

/** What an observer of others may say to a node. */
export type ReportType = 'suspect' | 'trust' | 'join';
