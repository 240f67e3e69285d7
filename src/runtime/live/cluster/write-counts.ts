/**
 * @module
 * Counts the writes of leaders to a resource, as its answers to the nodes show while they run. An answer that was lost
 * is not among them; the check of the logs counts all.
 */

import { isResourceReply } from '../../../election/lease/stores/resource.ts';
import type { LiveRecord } from '../node-record.ts';

export class WriteCounts {
  accepted = 0;
  /** Accepted writes whose epoch was lower than that of an operation accepted before. */
  staleAccepted = 0;
  /** Operations that the fence refused since their epoch was over. */
  staleRefused = 0;
  #highest = 0;

  note({ event }: LiveRecord): void {
    if (event.type !== 'reply' || !isResourceReply(event.value)) return;
    const { value } = event;
    if (value.type === 'REFUSED') {
      if (value.reason === 'stale') this.staleRefused += 1;
      return;
    }
    if (value.type === 'WRITTEN') {
      this.accepted += 1;
      if (value.epoch < this.#highest) this.staleAccepted += 1;
    }
    this.#highest = Math.max(this.#highest, value.epoch);
  }
}
