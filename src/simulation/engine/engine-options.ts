/**
 * @module
 * The parts of an engine. Parts that only some runs need are null or absent here, so that the hot path of the
 * other runs does not contain them.
 */

import type { Message } from '../../election/machine.ts';
import type { NodeView } from '../../election/properties.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { Clock } from '../faults/clock.ts';
import type { Choices } from './choices.ts';
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
export type ReportType = 'suspect' | 'trust' | 'join';
