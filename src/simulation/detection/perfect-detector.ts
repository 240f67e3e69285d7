/**
 * @module
 * This folder contains the failure detectors beside a run and measures their quality. The detectors of this
 * file send no messages. The crash detector reports crashes only: `suspect` to every live node T = 2Δ + 1 ticks
 * after a crash, and `trust` when the node returns, before its first step. The link detector reports
 * unreachable nodes (eventually perfect; T. Chandra and S. Toueg, "Unreliable failure detectors for reliable
 * distributed systems", JACM 43(2), 1996): a node suspects each node that it cannot receive from for T ticks,
 * because that node is down, paused or cut off, and trusts it when it can.
 */

/** A suspicion or its end, for one node or for all live nodes. */
export interface Report {
  readonly type: 'suspect' | 'trust';
  readonly to: number | 'all';
  readonly about: number;
}

/** A `return` is notified before the node is up, other changes after they have happened. */
export interface NodeChange {
  readonly type: 'crash' | 'return' | 'other';
  readonly rank: number;
}

export interface Detector {
  /** The tick of the next suspicion; Infinity if there is none. */
  earliest(): number;
  /** Takes the next report that is due at `now`; null if there is none. */
  take(now: number): Report | null;
  /** Notes a change. Returns the reports that it causes at once. */
  notify(now: number, change: NodeChange): readonly Report[];
}

export interface Reachability {
  /** All members, in the order in which they get reports. */
  ranks(): readonly number[];
  isUp(rank: number): boolean;
  /** Whether messages from a node that is up now reach another. */
  isReachable(from: number, to: number): boolean;
}

/** A key for the pair of an observer and the node that it observes. */
export function pairOf({ to, about }: Pick<Report, 'to' | 'about'>): string {
  return `${to}<${about}`;
}

/** `answerTicks` is T. */
export function createCrashDetector(answerTicks: number): Detector {
  const pending = createPending<number>();
  return {
    earliest: pending.earliest,
    take(now) {
      const about = pending.take(now);
      return about === null ? null : { type: 'suspect', to: 'all', about };
    },
    notify(now, { type, rank }) {
      if (type === 'crash') pending.set(rank, now + answerTicks);
      if (type !== 'return') return [];
      pending.delete(rank);
      return [{ type: 'trust', to: 'all', about: rank }];
    },
  };
}

/** All nodes suspect the `crashedBefore` from the start, without a report. O(n²) for each change. */
export function createLinkDetector(
  answerTicks: number,
  reachability: Reachability,
  crashedBefore: readonly number[],
): Detector {
  const pending = createPending<string>();
  const reports = new Map<string, Report>();
  const suspected = new Set(
    crashedBefore.flatMap((about) => reachability.ranks().map((to) => pairOf({ to, about }))),
  );
  const forget = (pair: string) => {
    pending.delete(pair);
    suspected.delete(pair);
  };
  return {
    earliest: pending.earliest,
    take(now) {
      const pair = pending.take(now);
      if (pair === null) return null;
      suspected.add(pair);
      return reports.get(pair) ?? null;
    },
    notify(now, change) {
      const immediate: Report[] = [];
      const ranks = reachability.ranks();
      for (const to of ranks) {
        for (const about of ranks) {
          if (to === about) continue;
          const pair = pairOf({ to, about });
          const returns = change.type === 'return' && change.rank === about;
          // A crashed node has lost its suspicions and observes again from its return on.
          if (!reachability.isUp(to)) forget(pair);
          else if ((returns || reachability.isUp(about)) && reachability.isReachable(about, to)) {
            const isChange = suspected.has(pair) || (returns && pending.has(pair));
            forget(pair);
            if (isChange) immediate.push({ type: 'trust', to, about });
          } else if (!pending.has(pair) && !suspected.has(pair)) {
            reports.set(pair, { type: 'suspect', to, about });
            pending.set(pair, now + answerTicks);
          }
        }
      }
      return immediate;
    },
  };
}

/** Keys that wait for the same time, so that the insertion order of a Map is the order of their ticks. */
function createPending<Key extends number | string>() {
  const waiting = new Map<Key, number>();
  let earliest = Number.POSITIVE_INFINITY;
  const change = (apply: () => void) => {
    apply();
    const [first] = waiting.values();
    earliest = first ?? Number.POSITIVE_INFINITY;
  };
  return {
    earliest: () => earliest,
    has: (key: Key) => waiting.has(key),
    delete(key: Key) {
      if (waiting.has(key)) change(() => waiting.delete(key));
    },
    set(key: Key, at: number) {
      change(() => {
        waiting.delete(key);
        waiting.set(key, at);
      });
    },
    take(now: number): Key | null {
      if (earliest > now) return null;
      const [key] = waiting.keys();
      if (key === undefined) return null;
      change(() => waiting.delete(key));
      return key;
    },
  };
}
