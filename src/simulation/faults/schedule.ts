/**
 * @module
 * A fault schedule: what goes wrong in a run, when, and when it stops. Plain JSON data, so that it can
 * be given, drawn, shrunk, saved and replayed. Ticks count from 0; a window holds `from` and not `to`.
 *
 * Two phases: before `calm.at` anything listed happens; at `calm.at` all of it stops (pauses end,
 * links heal, clocks run evenly, whoever was to return later returns now), and within `calm.ticks`
 * more an election must have come about. A fault that finds nothing to do, such as the crash of a
 * node that is down, is passed over: so every part of a schedule is a schedule.
 */

export interface Schedule {
  readonly faults: readonly ScheduledFault[];
  /** Null: faults end where their windows do, and there is no verdict on liveness by a deadline. */
  readonly calm: Calm | null;
  /**
   * Who is suspected T = 2Δ + 1 ticks later: nodes that crashed, by everybody, or whoever cannot be
   * heard (down, paused, or its link to the listener cut), by those who cannot hear it.
   */
  readonly detector: 'crashes' | 'links';
}

export interface Calm {
  readonly at: number;
  /** The bound within which liveness is judged. */
  readonly ticks: number;
  /**
   * Whether somebody starts every live node again at `at`. A protocol that repeats nothing cannot
   * recover a lost message otherwise: the rings without it end without a leader.
   */
  readonly restart: boolean;
}

export interface Window {
  readonly from: number;
  /** Null is without end, or until the calm. */
  readonly to: number | null;
}

export type ScheduledFault =
  | { readonly type: 'crash'; readonly rank: number; readonly at: number }
  /** With amnesia it has lost what it persisted. */
  | {
      readonly type: 'restart';
      readonly rank: number;
      readonly at: number;
      readonly amnesia: boolean;
    }
  /** Nothing reaches it and its timers wait; all of it is enabled together at `to`. */
  | {
      readonly type: 'pause';
      readonly rank: number;
      readonly from: number;
      readonly to: number;
    }
  /** A member that was not there before and that nobody knew of. */
  | { readonly type: 'join'; readonly rank: number; readonly at: number }
  /** What is sent over a cut link is lost; what was under way arrives. */
  | ({ readonly type: 'partition'; readonly cut: Cut } & Window)
  | MessageFault
  /** A node's timers take numerator/denominator times as long. */
  | {
      readonly type: 'skew';
      readonly rank: number;
      readonly numerator: number;
      readonly denominator: number;
    }
  | Churn;

/** Decided for each message by a draw of its own. `share` is a probability. */
export type MessageFault =
  | ({ readonly type: 'loss'; readonly share: number } & Window)
  /** One more copy, with a latency of its own; in order if the links are. */
  | ({ readonly type: 'duplication'; readonly share: number } & Window)
  /** Held back for 1..ticksMax more ticks, while later ones overtake it even on FIFO links. */
  | ({ readonly type: 'reordering'; readonly share: number; readonly ticksMax: number } & Window)
  /** A burst in which everything is lost. */
  | ({ readonly type: 'blackout' } & Window)
  /** A burst in which everything takes `factor` times as long: Δ does not hold. */
  | ({ readonly type: 'slowdown'; readonly factor: number } & Window);

export type Cut =
  /** One node alone, in both directions. */
  | { readonly kind: 'isolate'; readonly rank: number }
  /** The lower half of the ranks, rounded down, from the upper. */
  | { readonly kind: 'halves' }
  /** The highest ranks, as many as are no majority, from the rest. */
  | { readonly kind: 'minority' }
  /** Every node sees a majority, and no two the same: nearest ranks, the highest beside the lowest. */
  | { readonly kind: 'majorities-ring' }
  | { readonly kind: 'one-way'; readonly from: number; readonly to: number }
  /** These, in both directions. */
  | { readonly kind: 'links'; readonly links: readonly (readonly [number, number])[] };

/**
 * Drawn from the seed: about every `ticksMean` ticks a member crashes, to return as long after on
 * average, or a node of `joins` enters. One node at least is kept up.
 */
export interface Churn {
  readonly type: 'churn';
  readonly from: number;
  readonly to: number;
  readonly ticksMean: number;
  /** The probability that a return is one with amnesia. */
  readonly amnesiaShare: number;
  readonly joins: readonly number[];
}

export const EMPTY_SCHEDULE: Schedule = { faults: [], calm: null, detector: 'crashes' };

export const SCHEDULED_FAULTS_LIMIT = 10_000;
/** How far a clock may be off, either way. */
export const SKEW_LIMIT = 1000;
/** Of one `churn`: crashes and newcomers. */
export const CHURN_EVENTS_LIMIT = 10_000;
/** Among more nodes than this, who hears whom is too much to follow. */
export const DETECTOR_NODES_LIMIT = 512;
/** Nobody's view of the members may take long to rebuild. */
export const JOIN_NODES_LIMIT = 10_000;

/** Every rank that is absent at first: those that join before anything else is known of them. */
export function absentAtFirst(schedule: Schedule): number[] {
  const ranks = schedule.faults.flatMap((fault) => {
    if (fault.type === 'join') return [fault.rank];
    return fault.type === 'churn' ? fault.joins : [];
  });
  return [...new Set(ranks)].toSorted((left, right) => left - right);
}

/** A scripted change of one node at one tick, before that tick's deliveries. */
export interface Fault {
  readonly type: 'crash' | 'recover';
  readonly rank: number;
  readonly at: number;
}

/** The longest that a message can take under a schedule, given the Δ that protocols count on. */
export function faultyTicksMax(schedule: Schedule, latencyTicksMax: number): number {
  let factor = 1;
  let held = 0;
  for (const fault of schedule.faults) {
    if (fault.type === 'slowdown') factor = Math.max(factor, fault.factor);
    if (fault.type === 'reordering') held = Math.max(held, fault.ticksMax);
  }
  return latencyTicksMax * factor + held;
}

/** Whether `now` lies in a window; the calm has been cut off before. */
export function isWithin(window: Window, now: number): boolean {
  return window.from <= now && (window.to === null || now < window.to);
}

/** A window as far as the calm. */
export function clipped({ from, to }: Window, calm: Schedule['calm']): Window {
  if (calm === null) return { from, to };
  return { from, to: to === null ? calm.at : Math.min(to, calm.at) };
}
