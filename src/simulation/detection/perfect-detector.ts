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
  const pending = createPending();
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
  { nodes, crashedBefore }: { readonly nodes: number; readonly crashedBefore: readonly number[] },
): Detector {
  const { numberOf, reportOf, pairs } = numberedPairs(nodes);
  const pending = createPendingPairs(pairs);
  const suspected = new Uint8Array(pairs);
  for (const about of crashedBefore) {
    for (const to of reachability.ranks()) suspected[numberOf(to, about)] = 1;
  }
  return {
    earliest: pending.earliest,
    take(now) {
      const pair = pending.take(now);
      if (pair === null) return null;
      suspected[pair] = 1;
      return reportOf(pair, 'suspect');
    },
    notify(now, change) {
      const immediate: Report[] = [];
      const ranks = reachability.ranks();
      for (const to of ranks) {
        // A crashed node has lost its suspicions and observes again from its return on.
        const isObserving = reachability.isUp(to);
        for (const about of ranks) {
          if (to === about) continue;
          const pair = numberOf(to, about);
          const isSuspected = suspected[pair] === 1;
          const returns = change.type === 'return' && change.rank === about;
          const isUp = returns || reachability.isUp(about);
          if (isObserving && !(isUp && reachability.isReachable(about, to))) {
            if (!isSuspected) pending.add(pair, now + answerTicks);
            continue;
          }
          const isChange = isSuspected || (returns && pending.has(pair));
          pending.delete(pair);
          suspected[pair] = 0;
          if (isObserving && isChange) immediate.push(reportOf(pair, 'trust'));
        }
      }
      return immediate;
    },
  };
}

/** Numbers of the pairs of an observer and the node that it observes, for ranks up to `highest`. */
function numberedPairs(highest: number) {
  const width = highest + 1;
  return {
    pairs: width ** 2,
    numberOf: (to: number, about: number) => to * width + about,
    reportOf: (pair: number, type: Report['type']): Report => {
      return { type, to: Math.floor(pair / width), about: pair % width };
    },
  };
}

/** Works like `createPending`, for numbers below `pairs`. Adding one that waits has no effect. O(1) for each. */
function createPendingPairs(pairs: number) {
  /** In the order of their ticks. Those that were deleted remain until they are first. */
  let queue: { readonly pair: number; readonly at: number }[] = [];
  let taken = 0;
  /** The index in the queue + 1; 0 for a pair that does not wait. */
  const positions = new Uint32Array(pairs);
  const skipDeleted = () => {
    for (; taken < queue.length; taken += 1) {
      if (positions[queue[taken]?.pair ?? 0] === taken + 1) return;
    }
    queue = [];
    taken = 0;
  };
  return {
    earliest: () => queue[taken]?.at ?? Number.POSITIVE_INFINITY,
    has: (pair: number) => positions[pair] !== 0,
    add(pair: number, at: number) {
      if (positions[pair] !== 0) return;
      queue.push({ pair, at });
      positions[pair] = queue.length;
    },
    delete(pair: number) {
      if (positions[pair] === 0) return;
      positions[pair] = 0;
      skipDeleted();
    },
    take(now: number): number | null {
      const first = queue[taken];
      if (first === undefined || first.at > now) return null;
      positions[first.pair] = 0;
      skipDeleted();
      return first.pair;
    },
  };
}

/** Keys that wait for the same time, so that the insertion order of a Map is the order of their ticks. */
function createPending() {
  const waiting = new Map<number, number>();
  let earliest = Number.POSITIVE_INFINITY;
  const change = (apply: () => void) => {
    apply();
    const [first] = waiting.values();
    earliest = first ?? Number.POSITIVE_INFINITY;
  };
  return {
    earliest: () => earliest,
    delete(key: number) {
      if (waiting.has(key)) change(() => waiting.delete(key));
    },
    set(key: number, at: number) {
      change(() => {
        waiting.delete(key);
        waiting.set(key, at);
      });
    },
    take(now: number): number | null {
      if (earliest > now) return null;
      const [key] = waiting.keys();
      if (key === undefined) return null;
      change(() => waiting.delete(key));
      return key;
    },
  };
}
