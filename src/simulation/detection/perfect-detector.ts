/**
 * @module
 * The failure detector beside a simulation. It costs no messages. The perfect one speaks of crashes
 * alone: `suspect` to every live node T = 2Δ + 1 ticks after one, `trust` at a return, before the
 * returned node's own first step. The other speaks of what cannot be heard (Chandra and Toueg 1996,
 * "Unreliable failure detectors for reliable distributed systems": eventually perfect): a node that is
 * paused or cut off is suspected by those who hear nothing of it for T, and trusted when they do.
 */

export interface Report {
  readonly type: 'suspect' | 'trust';
  readonly to: number | 'everybody';
  readonly about: number;
}

/** `return` is told before the node is up, anything else after it has happened. */
export interface NodeChange {
  readonly type: 'crash' | 'return' | 'other';
  readonly rank: number;
}

export interface Detector {
  /** The tick of the next suspicion; Infinity when there is none. */
  earliest(): number;
  /** Takes the next suspicion due at `now`; null when there is none. */
  take(now: number): Report | null;
  /** Something has changed; answers what is said at once. */
  notify(now: number, change: NodeChange): readonly Report[];
}

/** `answerTicks` is T. */
export function createCrashDetector(answerTicks: number): Detector {
  const pending = createPending<number>();
  return {
    earliest: pending.earliest,
    take(now) {
      const about = pending.take(now);
      return about === null ? null : { type: 'suspect', to: 'everybody', about };
    },
    notify(now, { type, rank }) {
      if (type === 'crash') pending.set(rank, now + answerTicks);
      if (type !== 'return') return [];
      pending.delete(rank);
      return [{ type: 'trust', to: 'everybody', about: rank }];
    },
  };
}

export interface Reachability {
  /** Every member that may listen or be heard, in the order in which they are told. */
  ranks(): readonly number[];
  isUp(rank: number): boolean;
  /** Whether a node that is up is heard by another now. */
  isHeard(about: number, by: number): boolean;
}

/** `knownDead` are suspected from the beginning, which is told nobody. O(n²) at each change. */
export function createLinkDetector(
  answerTicks: number,
  audibility: Reachability,
  knownDead: readonly number[],
): Detector {
  const pending = createPending<string>();
  const words = new Map<string, Report>();
  const suspected = new Set(
    knownDead.flatMap((about) => audibility.ranks().map((to) => `${to}<${about}`)),
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
      return words.get(pair) ?? null;
    },
    notify(now, change) {
      const said: Report[] = [];
      const ranks = audibility.ranks();
      for (const to of ranks) {
        for (const about of ranks) {
          if (to === about) continue;
          const pair = `${to}<${about}`;
          const returns = change.type === 'return' && change.rank === about;
          // One that crashed has forgotten whom it suspected, and listens from its return on.
          if (!audibility.isUp(to)) forget(pair);
          else if ((returns || audibility.isUp(about)) && audibility.isHeard(about, to)) {
            const isNews = suspected.has(pair) || (returns && pending.has(pair));
            forget(pair);
            if (isNews) said.push({ type: 'trust', to, about });
          } else if (!pending.has(pair) && !suspected.has(pair)) {
            words.set(pair, { type: 'suspect', to, about });
            pending.set(pair, now + answerTicks);
          }
        }
      }
      return said;
    },
  };
}

/** What waits, all of it for as long: a Map keeps insertion order, which is that of the ticks. */
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
