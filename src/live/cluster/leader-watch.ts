/**
 * @module
 * Notes when other nodes of a cluster lead than before, by their own account.
 */

import type { Led } from './agreement.ts';
import type { Cluster } from './cluster.ts';

/** Other nodes lead than before. */
export interface LeaderChange {
  /** Since the start of the cluster. */
  readonly seconds: number;
  readonly before: readonly Led[];
  readonly after: readonly Led[];
}

export class LeaderWatch {
  readonly #startedMs: number;
  readonly #now: () => number;
  readonly #onChange: (change: LeaderChange) => void;
  #led: readonly Led[] = [];
  #isOver = false;

  /** `now` is in ms, from the same beginning as the start of the cluster. */
  constructor(startedMs: number, now: () => number, onChange: (change: LeaderChange) => void) {
    this.#now = now;
    this.#startedMs = startedMs;
    this.#onChange = onChange;
  }

  /** Looks at a cluster whose nodes may have changed. */
  look(cluster: Pick<Cluster, 'leading'>): void {
    const after = cluster.leading();
    const before = this.#led;
    const isSame =
      after.length === before.length &&
      after.every(({ node, epoch }, index) => {
        return node === before[index]?.node && epoch === before[index].epoch;
      });
    if (this.#isOver || isSame) return;
    this.#led = after;
    const seconds = Number(((this.#now() - this.#startedMs) / 1000).toFixed(3));
    this.#onChange({ seconds, before, after });
  }

  /** The nodes are stopped from now on. */
  end(): void {
    this.#isOver = true;
  }
}
