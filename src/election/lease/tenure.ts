/**
 * @module
 * A holder's lease as timers, for machines without a clock. A lease runs from the sending of the
 * request that it was granted for (C. Gray and D. Cheriton, SOSP 1989: the grantor's own count begins
 * later). Its timer is set then, beside the timer of the lease that is held meanwhile, and replaces it
 * when the grant arrives. When the held lease runs out, the holder stops.
 */

import type { Step } from '../handlers.ts';
import type { Effects, Rank } from '../machine.ts';

type TimerEffects = Pick<Effects<never>, 'setTimer' | 'cancelTimer'>;
type Holder<State> = Pick<Step<State, never>, 'state' | 'effects'>;

type Slot = 0 | 1;

/** The uses of the two timers. */
export type Tenure = {
  held: Slot | null;
  /** Asked for, not yet granted. */
  asked: Slot | null;
};

const TENURE_TIMERS = ['lease-0', 'lease-1'] as const;

export function noTenure(): Tenure {
  return { held: null, asked: null };
}

/** A lease is asked for now. If it is granted, it counts from now. */
export function askTenure(tenure: Tenure, ticks: number, effects: TimerEffects): void {
  tenure.asked = tenure.held === 0 ? 1 : 0;
  effects.setTimer(TENURE_TIMERS[tenure.asked], ticks, false);
}

/** The lease that was asked for is granted, and replaces the one that was held. */
export function holdTenure(tenure: Tenure, effects: TimerEffects): void {
  if (tenure.held !== null) effects.cancelTimer(TENURE_TIMERS[tenure.held]);
  tenure.held = tenure.asked;
  tenure.asked = null;
}

/** The lease that was asked for will not be used. The one that is held continues. */
export function forgoTenure(tenure: Tenure, effects: TimerEffects): void {
  if (tenure.asked !== null) effects.cancelTimer(TENURE_TIMERS[tenure.asked]);
  tenure.asked = null;
}

export function endTenure(tenure: Tenure, effects: TimerEffects): void {
  forgoTenure(tenure, effects);
  if (tenure.held !== null) effects.cancelTimer(TENURE_TIMERS[tenure.held]);
  tenure.held = null;
}

/** Which lease has run out with this timer, if it is one of the two. It is forgotten. */
export function lapse(tenure: Tenure, timer: string): 'held' | 'asked' | null {
  if (tenure.held !== null && timer === TENURE_TIMERS[tenure.held]) {
    tenure.held = null;
    return 'held';
  }
  if (tenure.asked !== null && timer === TENURE_TIMERS[tenure.asked]) {
    tenure.asked = null;
    return 'asked';
  }
  return null;
}

/**
 * The first request number is drawn below this, as TCP draws its first sequence number (RFC 9293,
 * section 3.4.1), so that an answer to an earlier life of the node does not count in this one.
 */
export const REQUESTS_BELOW = 2 ** 32;

/** Draws the first request number of a node that has not begun yet. */
export function begin({ state, effects }: Holder<{ phase: string }>): void {
  if (state.phase !== 'off') return;
  state.phase = 'drawing';
  effects.choose(REQUESTS_BELOW);
}

/** Follows this leader in this epoch, and reports it if it is a change. */
export function follow(
  { state, effects }: Holder<{ leader: Rank | null; epoch: number }>,
  leader: Rank,
  epoch: number,
): void {
  if (leader === state.leader && epoch === state.epoch) return;
  state.leader = leader;
  state.epoch = epoch;
  effects.elect(leader, epoch);
}

/** Follows no leader, and reports it if it followed one. */
export function unfollow({ state, effects }: Holder<{ leader: Rank | null }>): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}
