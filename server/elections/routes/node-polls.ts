/**
 * @module
 * Long polls: answers that wait until there is an event. A node has one poll at a time, and a newer one ends
 * the older. Each counts as a stream while it waits, and removes its listeners when it ends.
 */

import type { StreamBudget } from '../../callers/stream-budget.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Principal } from '../../request/principal.ts';
import type { LiveElection } from '../live/live-election.ts';

/** One poll. */
export interface Poll {
  readonly election: LiveElection;
  readonly nodeId: string;
  readonly principal: Principal;
  /** Whether there is an event. */
  readonly isReady: () => boolean;
  readonly waitMs: number;
  /** Says that the caller has disconnected. */
  readonly signal: AbortSignal;
}

interface PollsOptions {
  readonly lifecycle: Pick<Lifecycle, 'onDrain'>;
  readonly streams: Pick<StreamBudget, 'take'>;
}

/** The polls of one server. */
export class NodePolls {
  readonly #options: PollsOptions;
  /** Ends the poll of a node, by election and node. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /** Number of polls that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when there is an event, the time is over, the election is deleted, the server drains, the
   * caller disconnects, or the node polls again. Throws OverloadError if too many streams are open; the
   * older poll continues then.
   */
  async wait({ election, nodeId, principal, isReady, waitMs, signal }: Poll): Promise<void> {
    const name = `${election.id} ${nodeId}`;
    const free = this.#options.streams.take(0, principal, waitMs);
    this.#waiting.get(name)?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    this.#waiting.set(name, end);
    const timer = setTimeout(end, waitMs);
    const offEvents = election.onEvents(() => {
      if (election.isDeleted || isReady()) end();
    });
    const offDrain = this.#options.lifecycle.onDrain(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    await promise;
    clearTimeout(timer);
    offEvents();
    offDrain();
    signal.removeEventListener('abort', end);
    if (this.#waiting.get(name) === end) this.#waiting.delete(name);
    free();
  }
}
