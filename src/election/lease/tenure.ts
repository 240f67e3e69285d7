/**
 * @module
 * A holder's lease as timers, for machines that see no clock. A lease runs from the sending of the
 * request that it was granted for (C. Gray and D. Cheriton, SOSP 1989: the grantor's own count begins
 * later), so its timer is set then, beside that of the lease that is held meanwhile, and takes over
 * when the grant comes. When the held one runs out there is nothing left to act on.
 */

/** What a tenure needs of the collector of effects, whatever is sent with it. */
interface TimerEffects {
  setTimer(timer: string, ticks: number, periodic: boolean): void;
  cancelTimer(timer: string): void;
}

type Slot = 0 | 1;

/** Which of the two timers runs for what. */
export type Tenure = {
  held: Slot | null;
  /** Asked for, not yet granted. */
  asked: Slot | null;
};

const TENURE_TIMERS = ['lease-0', 'lease-1'] as const;

export function noTenure(): Tenure {
  return { held: null, asked: null };
}

/** A lease is asked for now, and will have begun now if it is granted. */
export function askTenure(tenure: Tenure, ticks: number, effects: TimerEffects): void {
  tenure.asked = tenure.held === 0 ? 1 : 0;
  effects.setTimer(TENURE_TIMERS[tenure.asked], ticks, false);
}

/** What was asked for is granted, and replaces what was held. */
export function holdTenure(tenure: Tenure, effects: TimerEffects): void {
  if (tenure.held !== null) effects.cancelTimer(TENURE_TIMERS[tenure.held]);
  tenure.held = tenure.asked;
  tenure.asked = null;
}

/** What was asked for will not be used; what is held goes on. */
export function forgoTenure(tenure: Tenure, effects: TimerEffects): void {
  if (tenure.asked !== null) effects.cancelTimer(TENURE_TIMERS[tenure.asked]);
  tenure.asked = null;
}

export function endTenure(tenure: Tenure, effects: TimerEffects): void {
  forgoTenure(tenure, effects);
  if (tenure.held !== null) effects.cancelTimer(TENURE_TIMERS[tenure.held]);
  tenure.held = null;
}

/** What has run out with this timer, if it is one of the two: from now on it is neither. */
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
