/**
 * @module
 * Shrinks a schedule with which a run fails. Faults are removed one by one as long as the run still fails,
 * then the remaining faults are shortened, and both steps are repeated until neither helps. The result is
 * deterministic and minimal: without any one of its faults the run does not fail. The search is greedy, so
 * that a smaller schedule may exist.
 */

import type { Schedule, ScheduledFault } from './schedule.ts';

export interface Shrunk {
  readonly schedule: Schedule;
  /** Number of runs that were tried. */
  readonly tries: number;
  /** False if the limit of tries ended the search before it was complete. */
  readonly minimal: boolean;
}

export const SHRINK_TRIES_LIMIT = 100_000;

/** Shrinks a schedule that fails. Throws RangeError for one that does not fail. */
export function shrinkSchedule(
  schedule: Schedule,
  stillFails: (candidate: Schedule) => boolean,
  triesMax: number = SHRINK_TRIES_LIMIT,
): Shrunk {
  if (!stillFails(schedule)) {
    throw new RangeError('"schedule" expected one that fails, got another');
  }
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
    // From the end, so that removing a fault does not move those that are still to be tried.
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

/** The schedule with the fault at `index` replaced, or without it. */
function replaced(schedule: Schedule, index: number, fault: ScheduledFault | null): Schedule {
  const { faults } = schedule;
  return { ...schedule, faults: faults.toSpliced(index, 1, ...(fault === null ? [] : [fault])) };
}

/** The same fault for half the time; null if it has no end or cannot be halved. */
function shortened(fault: ScheduledFault | undefined): ScheduledFault | null {
  if (fault === undefined || !('to' in fault) || fault.to === null) return null;
  const to = fault.from + Math.floor((fault.to - fault.from) / 2);
  return to > fault.from ? { ...fault, to } : null;
}
