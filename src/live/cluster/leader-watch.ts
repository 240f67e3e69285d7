/**
 * @module
 * Notes when other nodes of a cluster lead than before, by their own account.
 */

import { isResourceReply } from '../../election/lease/stores/resource.ts';
import type { LiveRecord } from '../node-record.ts';
import type { Cluster } from './cluster.ts';
import type { Led } from './node-state.ts';

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

/**
 * Counts the writes of leaders to a resource, as the records of the nodes show while they run. An answer that was lost is
 * not among them. Late writes are those of the order of the store, as far as the records have arrived: a node that was
 * paused reports late what the store has answered early. Only the check of the logs knows which writes are stale.
 */
export class WriteCounts {
  accepted = 0;
  /** Accepted writes whose epoch was lower than that of an operation accepted before. */
  lateWrites = 0;
  /** Operations that the fence refused since their epoch was over. */
  staleRefused = 0;
  /** By epoch: the lowest number of the store that an answer to its leader has. */
  readonly #firstAt = new Map<number, number>();

  note({ event }: LiveRecord): void {
    if (event.type !== 'reply' || !isResourceReply(event.value)) return;
    const { value, mark } = event;
    if (value.type === 'REFUSED') {
      if (value.reason === 'stale') this.staleRefused += 1;
      return;
    }
    if (value.type === 'WRITTEN') {
      this.accepted += 1;
      if (mark?.wrote === true && this.#isLate(value.epoch, mark.revision)) this.lateWrites += 1;
    }
    const first = this.#firstAt.get(value.epoch) ?? Number.POSITIVE_INFINITY;
    this.#firstAt.set(value.epoch, Math.min(first, mark?.revision ?? first));
  }

  /** Whether the leader of a later epoch had an answer before this write. */
  #isLate(epoch: number, revision: number): boolean {
    return [...this.#firstAt].some(([later, first]) => later > epoch && first < revision);
  }
}
