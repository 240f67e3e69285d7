/**
 * @module
 * A failing schedule made small: faults are removed one at a time as long as the run still fails, then
 * what is left is shortened, and so on until neither helps. Deterministic, and what comes out is
 * minimal: without any one of its faults the run does not fail. (Greedy, so not the smallest there is.)
 */

import type { Schedule, ScheduledFault } from './schedule.ts';

export interface Shrunk {
  readonly schedule: Schedule;
  /** How often the run was tried. */
  readonly tries: number;
  /** False when `SHRINK_TRIES_LIMIT` ended the search: what came out may shrink further. */
  readonly minimal: boolean;
}

export const SHRINK_TRIES_LIMIT = 100_000;

/** Shrinks a schedule that fails. Throws RangeError for one that does not. */
export function shrinkSchedule(
  schedule: Schedule,
  stillFails: (candidate: Schedule) => boolean,
  triesMax: number = SHRINK_TRIES_LIMIT,
): Shrunk {
  if (!stillFails(schedule))
    throw new RangeError('"schedule" expected one that fails, got another');
  let best = schedule;
  let tries = 1;
  const improve = (candidate: Schedule): boolean => {
    if (tries >= triesMax) return false;
    tries += 1;
    if (!stillFails(candidate)) return false;
    best = candidate;
    return true;
  };
  let changed = true;
  while (changed) {
    changed = false;
    // From the end, so that an index stands for the same fault when a later one has gone.
    for (let index = best.faults.length - 1; index >= 0; index -= 1) {
      if (improve(replaced(best, index, null))) changed = true;
    }
    for (let index = 0; index < best.faults.length; index += 1) {
      let shorter = shortened(best.faults[index]);
      while (shorter !== null && improve(replaced(best, index, shorter))) {
        changed = true;
        shorter = shortened(best.faults[index]);
      }
    }
  }
  return { schedule: best, tries, minimal: tries < triesMax };
}

/** The schedule with another fault in a place, or without it. */
function replaced(schedule: Schedule, index: number, fault: ScheduledFault | null): Schedule {
  const { faults } = schedule;
  return { ...schedule, faults: faults.toSpliced(index, 1, ...(fault === null ? [] : [fault])) };
}

/** The same fault for half as long; null when it has no length or no half. */
function shortened(fault: ScheduledFault | undefined): ScheduledFault | null {
  if (fault === undefined || !('to' in fault) || fault.to === null) return null;
  const to = fault.from + Math.floor((fault.to - fault.from) / 2);
  return to > fault.from ? { ...fault, to } : null;
}
