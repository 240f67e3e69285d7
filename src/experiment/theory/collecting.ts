/**
 * @module
 * The expected cost of a collection. Each attempt yields one of several kinds with a fixed probability, or nothing. The
 * collector stops as soon as one of several sets is complete and going on is not cheaper, and tests only for the kinds
 * that lower the cost. With one kind the mean is the
 * geometric 1/p. With one set of different kinds it is the mean of the coupon collector,
 * Σ (−1)^(|S|+1) / p(S) over all non-empty S (Von Schelling 1954). The recursion below adds positive terms only, so that
 * nothing cancels.
 */

/** A set that ends the collection. */
export interface Wanted {
  /** How many of each kind. */
  readonly counts: readonly number[];
  /** Cost of its use once it is complete. */
  readonly finishing: number;
}

export interface Collection {
  /** Probability that an attempt yields each kind. Their sum is at most 1. */
  readonly probabilities: readonly number[];
  /** Cost of an attempt. */
  readonly perAttempt: number;
  /**
   * Cost, for each kind, of the test that shows whether an attempt yields it, on average over all attempts. The collector
   * tests only for the kinds that are worth it. By default 0.
   */
  readonly testing?: readonly number[];
  /** Probability that a result of any kind makes the use of every set free. By default 0. */
  readonly sparing?: number;
  /** Without one the collection never ends. */
  readonly wanted: readonly Wanted[];
}

/** Expectations. Infinity if the collection may never end. */
export interface CollectionCost {
  readonly attempts: number;
  readonly cost: number;
}

/** The least expected cost, and the attempts of the strategy that has it. */
export function collectionCost({
  probabilities,
  perAttempt,
  testing = [],
  sparing = 0,
  wanted,
}: Collection): CollectionCost {
  const most = probabilities.map((_, kind) =>
    Math.max(0, ...wanted.map(({ counts }) => counts[kind] ?? 0)),
  );
  const known = new Map<string, CollectionCost>();
  const from = (held: readonly number[], isFree = false): CollectionCost => {
    const key = `${held.join()} ${isFree}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const finishing = finishingCost(held, wanted);
    const isSpared = isFree && finishing < Number.POSITIVE_INFINITY;
    const stopping = { attempts: 0, cost: isSpared ? 0 : finishing };
    const going = goingOn(held, isFree);
    // At equal costs the collector stops.
    const best = going.cost < stopping.cost ? going : stopping;
    known.set(key, best);
    return best;
  };
  const drawn = (held: readonly number[], isFree: boolean): CollectionCost => {
    if (isFree || sparing === 0) return from(held, isFree);
    const [free, paid] = [from(held, true), from(held, false)];
    const mean = (one: number, other: number) => sparing * one + (1 - sparing) * other;
    return { attempts: mean(free.attempts, paid.attempts), cost: mean(free.cost, paid.cost) };
  };
  const goingOn = (held: readonly number[], isFree: boolean): CollectionCost => {
    const useful = [...probabilities.entries()].flatMap(([kind, probability]) => {
      if (probability === 0 || (held[kind] ?? 0) >= (most[kind] ?? 0)) return [];
      const next = drawn(held.with(kind, (held[kind] ?? 0) + 1), isFree);
      return [{ probability, next, cost: next.cost + (testing[kind] ?? 0) / probability }];
    });
    // A kind is worth its test if it costs less than what the cheaper kinds cost without it.
    let best = NEVER;
    let [yields, attempts, cost] = [0, 1, perAttempt];
    for (const { probability, next, cost: each } of useful.toSorted((a, b) => a.cost - b.cost)) {
      yields += probability;
      attempts += probability * next.attempts;
      cost += probability * each;
      if (cost / yields >= best.cost) break;
      best = { attempts: attempts / yields, cost: cost / yields };
    }
    return best;
  };
  const all = from(probabilities.map(() => 0));
  return all.cost === Number.POSITIVE_INFINITY ? NEVER : all;
}

const NEVER: CollectionCost = {
  attempts: Number.POSITIVE_INFINITY,
  cost: Number.POSITIVE_INFINITY,
};

/** The least cost of using a set that is complete. Infinity if none is. */
function finishingCost(held: readonly number[], wanted: readonly Wanted[]): number {
  const complete = wanted.filter(({ counts }) =>
    counts.every((count, kind) => (held[kind] ?? 0) >= count),
  );
  return Math.min(...[Number.POSITIVE_INFINITY, ...complete.map(({ finishing }) => finishing)]);
}
