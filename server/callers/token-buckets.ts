/**
 * @module
 * Budgets that fill again with time, one for each key: something may be taken as long as anything is
 * there, and what it costs beyond that is owed. So the cost need not be known before, and the time to
 * wait is exact.
 */

export interface BucketOptions {
  /** What comes back each second; 0 bounds nothing. */
  readonly perSecond: number;
  /** What is there when nothing was taken for long. */
  readonly burst: number;
}

interface Bucket {
  level: number;
  atMs: number;
}

/** Keys that are remembered; those that have filled again are as good as forgotten. */
export const BUCKETS_MAX = 10_000;

/** One budget each for many keys. */
export class TokenBuckets {
  readonly #options: BucketOptions;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  /** `nowMs` is a monotonic clock in milliseconds. */
  constructor(options: BucketOptions, nowMs: () => number) {
    this.#options = options;
    this.#nowMs = nowMs;
  }

  /** Seconds until there is something to take again; 0 when there is. */
  waitS(key: string): number {
    const { perSecond } = this.#options;
    const bucket = this.#buckets.get(key);
    if (perSecond === 0 || bucket === undefined) return 0;
    this.#fill(bucket);
    return bucket.level > 0 ? 0 : Math.max(-bucket.level / perSecond, Number.MIN_VALUE);
  }

  /** Takes so much, whether it is there or not. */
  take(key: string, amount: number): void {
    if (this.#options.perSecond === 0) return;
    const known = this.#buckets.get(key);
    const bucket = known ?? { level: this.#options.burst, atMs: this.#nowMs() };
    if (known === undefined) this.#add(key, bucket);
    this.#fill(bucket);
    bucket.level -= amount;
  }

  /** Takes what was used bit by bit since the last time, while some of it came back. */
  takeSince(key: string, amount: number): void {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      this.take(key, amount);
    } else {
      bucket.level -= amount;
      this.#fill(bucket);
    }
  }

  /** How many keys are remembered. */
  get size(): number {
    return this.#buckets.size;
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

  /** Forgets what is full, or where all owe something the half that was met first. */
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
