/**
 * @module
 * What an adversary knows when it decides how many of its keys it registers.
 */

/** What an adversary knows in a window, after the honest nodes have registered. */
export interface Standing {
  readonly epoch: number;
  readonly bits: number;
  /** Number of epochs that it has led, minus the sum of its shares of the identities. */
  readonly ahead: number;
  /** Epoch of registration of each of its claims that count. */
  readonly registered: readonly number[];
  /** Further valid keys that it can register. Infinity if it decides before it seeks them. */
  readonly keys: number;
  /** Tests that its saved budget pays for. 0 if nothing is saved. */
  readonly tests: number;
  /** Honest claims, and those of them that joined in this window. */
  readonly honest: number;
  readonly joins: number;
}

/** Returns the number of keys to register. */
export type Quota = (standing: Standing) => number;

/** Quotas that are remembered. Each of them can have tables of a few megabytes. */
const REMEMBERED_MAX = 8;

/** A maker of quotas that makes each once, because every part of a long sequence of runs asks for the same one. */
export function remembering<Facts>(make: (facts: Facts) => Quota): (facts: Facts) => Quota {
  const known = new Map<string, Quota>();
  return (facts) => {
    const key = JSON.stringify(facts);
    const before = known.get(key);
    if (before !== undefined) return before;
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= REMEMBERED_MAX) known.delete(oldest);
    const quota = make(facts);
    known.set(key, quota);
    return quota;
  };
}
