/**
 * @module
 * What is bound to happen to nodes at its tick, in order: scripted faults and those of a schedule.
 */

import type { Incident, TimedIncident } from '../faults/timeline.ts';

export interface Script {
  /** The tick of the next incident; Infinity when there is none. */
  earliest(): number;
  /** Takes the next incident due at `now`; null when there is none. */
  take(now: number): Incident | null;
}

/** `incidents` by tick. */
export function createScript(incidents: readonly TimedIncident[]): Script {
  let taken = 0;
  return {
    earliest: () => incidents[taken]?.at ?? Number.POSITIVE_INFINITY,
    take(now) {
      const next = incidents[taken];
      if (next === undefined || next.at > now) return null;
      taken += 1;
      return next.incident;
    },
  };
}
