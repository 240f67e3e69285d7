/**
 * @module
 * This folder contains the failure detectors. This file is their contract: a detector is a machine beside
 * a protocol's on the same node that reports which nodes it suspects (T. Chandra, S. Toueg, "Unreliable
 * failure detectors for reliable distributed systems", JACM 43(2), 1996). It is a machine as in
 * ../machine.ts: pure, total, its state plain JSON that is changed in place. In addition it receives the
 * time: `now`, in ticks of its node's clock, never decreases. Protocols receive only `suspect` and
 * `trust`.
 */

import type { Json, Message, Rank, Self } from '../machine.ts';

export type DetectorEvent<M extends Message> =
  | { readonly type: 'start' }
  | { readonly type: 'deliver'; readonly from: Rank; readonly message: M }
  | { readonly type: 'timeout'; readonly timer: string }
  | { readonly type: 'chosen'; readonly value: number }
  /** The node is up again. A detector persists nothing. */
  | { readonly type: 'recover' };

/** The effects of a detector. Timers and choices are as for a protocol. */
export interface DetectorEffects<M extends Message> {
  send(to: Rank, message: M): void;
  setTimer(timer: string, ticks: number, periodic: boolean): void;
  cancelTimer(timer: string): void;
  choose(below: number): void;
  /** Reported once, until `trust` withdraws it. */
  suspect(node: Rank): void;
  trust(node: Rank): void;
}

export interface Detector<State, M extends Message> {
  init(self: Self): State;
  step(
    self: Self,
    state: State,
    event: DetectorEvent<M>,
    now: number,
    effects: DetectorEffects<M>,
  ): void;
}

/** A detector whose state is some JSON, its messages typed. */
export type AnyDetector = Detector<Json, Message>;

/** Prefix of the message types of detectors. No protocol uses it. */
const DETECTOR_TYPES = 'FD_';

/** Whether a message is between detectors. */
export function isDetectorType(type: string): boolean {
  return type.startsWith(DETECTOR_TYPES);
}

/**
 * The next number of a count that only grows, a later life of the node included, although nothing
 * of an earlier one is kept: the clock, where the count lags behind it.
 */
export function nextCount(count: number, now: number): number {
  return Math.max(count + 1, now);
}
