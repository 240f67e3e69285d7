/**
 * @module
 * Budgets that refill with time, one for each key. Something may be taken while the level is above zero,
 * and its cost may make the level negative. The cost therefore need not be known in advance, and the
 * waiting time is exact. Rate limiters on npm refuse a cost above the level and cannot be overdrawn.
 */

export interface BucketOptions {
  /** Refill per second; 0 means no limit. */
  readonly perSecond: number;
  /** Level of a full bucket. */
  readonly burst: number;
}

interface Bucket {
  level: number;
  atMs: number;
}

/** Keys that are remembered. A full bucket can be forgotten without effect. */
export const BUCKETS_MAX = 10_000;

export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: BucketOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Seconds until the level is above zero; 0 if it is. */
  waitS(key: string): number {
    const { perSecond } = this.#options;
    const bucket = this.#buckets.get(key);
    if (perSecond === 0 || bucket === undefined) return 0;
    this.#fill(bucket);
    return bucket.level > 0 ? 0 : Math.max(-bucket.level / perSecond, Number.MIN_VALUE);
  }

  /** Takes this amount, whatever the level is. */
  take(key: string, amount: number): void {
    if (this.#options.perSecond === 0) return;
    const known = this.#buckets.get(key);
    const bucket = known ?? { level: this.#options.burst, atMs: this.#nowMs() };
    if (known === undefined) this.#add(key, bucket);
    this.#fill(bucket);
    bucket.level -= amount;
  }

  /** Takes an amount that was used gradually since the last time, while the bucket was refilled. */
  takeSince(key: string, amount: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      this.take(key, amount);
    } else {
      bucket.level -= amount;
      this.#fill(bucket);
    }
  }

  #fill(bucket: Bucket): void {
    const { perSecond, burst } = this.#options;
    const nowMs = this.#nowMs();
    bucket.level = Math.min(burst, bucket.level + ((nowMs - bucket.atMs) / 1000) * perSecond);
    bucket.atMs = nowMs;
  }

  #add(key: string, bucket: Bucket): void {
    if (this.#buckets.size >= BUCKETS_MAX) this.#forget();
    this.#buckets.set(key, bucket);
  }

  /** Forgets the full buckets; if too few are full, the older half of the rest. */
  #forget(): void {
    for (const [key, bucket] of this.#buckets) {
      this.#fill(bucket);
      if (bucket.level >= this.#options.burst) this.#buckets.delete(key);
    }
    for (const key of this.#buckets.keys()) {
      if (this.#buckets.size < BUCKETS_MAX / 2) return;
      this.#buckets.delete(key);
    }
  }
}
