/**
 * @module
 * What is bound to happen to nodes: the scripted faults, and the suspicions that follow from crashes
 * by a detector that takes the same time for each. Both lists are in the order they come due.
 */

import type { Fault } from './options.ts';

export type Incident =
  | { readonly type: 'crash' | 'recover'; readonly rank: number }
  /** Everybody is told now that this node is down. */
  | { readonly type: 'suspect'; readonly rank: number };

export interface Script {
  /** The tick of the next incident; Infinity when there is none. */
  earliest(): number;
  /** Takes the next incident due at `now`, faults before suspicions; null when there is none. */
  take(now: number): Incident | null;
  /** A node has crashed: everybody will be told, unless it returns before. */
  suspectLater(rank: number, at: number): void;
  /** A node has returned: nobody need be told that it was down. */
  forgetSuspicion(rank: number): void;
}

/** `faults` by tick. */
export function createScript(faults: readonly Fault[]): Script {
  let faultsTaken = 0;
  // A Map keeps insertion order, which is the order of ticks, since every suspicion waits as long.
  const suspicions = new Map<number, number>();
  let earliest = faults[0]?.at ?? Number.POSITIVE_INFINITY;
  const change = (apply: () => void) => {
    apply();
    const [suspicionAt] = suspicions.values();
    const faultAt = faults[faultsTaken]?.at;
    earliest = Math.min(
      faultAt ?? Number.POSITIVE_INFINITY,
      suspicionAt ?? Number.POSITIVE_INFINITY,
    );
  };
  return {
    earliest: () => earliest,
    take(now) {
      if (earliest > now) return null;
      const fault = faults[faultsTaken];
      if (fault !== undefined && fault.at <= now) {
        change(() => {
          faultsTaken += 1;
        });
        return { type: fault.type, rank: fault.rank };
      }
      const [suspected] = suspicions.keys();
      if (suspected === undefined) return null;
      change(() => suspicions.delete(suspected));
      return { type: 'suspect', rank: suspected };
    },
    suspectLater(rank, at) {
      change(() => {
        suspicions.delete(rank);
        suspicions.set(rank, at);
      });
    },
    forgetSuspicion(rank) {
      change(() => suspicions.delete(rank));
    },
  };
}
