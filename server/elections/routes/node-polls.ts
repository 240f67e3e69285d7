/**
 * @module
 * Long polls: an answer that is put off until there is something to say. A node has one at a time, a
 * newer one ends the older; each counts as a stream while it waits, and whatever ends it takes all
 * its listeners away.
 */

import type { StreamBudget } from '../../callers/stream-budget.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { LiveElection } from '../live/live-election.ts';

/** What one poll waits for. */
export interface Poll {
  readonly election: LiveElection;
  readonly nodeId: string;
  /** Whether there is something to say. */
  readonly isReady: () => boolean;
  readonly waitMs: number;
  /** Says that the caller has gone. */
  readonly signal: AbortSignal;
}

/** What polls of one server have in common. */
interface PollsOptions {
  readonly lifecycle: Pick<Lifecycle, 'onDrain'>;
  readonly streams: Pick<StreamBudget, 'take'>;
}

/** The polls of one server. */
export class NodePolls {
  readonly #options: PollsOptions;
  /** What ends the poll that waits, by election and node. */
  readonly #waiting = new Map<string, () => void>();

  constructor(options: PollsOptions) {
    this.#options = options;
  }

  /** How many wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Resolves when there is something to say, or nothing more to wait for: the time is over, the
   * election deleted, the server draining, the caller gone, or the node polls again. Throws
   * OverloadError where too many streams are open; the poll before then goes on.
   */
  async wait({ election, nodeId, isReady, waitMs, signal }: Poll): Promise<void> {
    const name = `${election.id} ${nodeId}`;
    const free = this.#options.streams.take(0, waitMs);
    this.#waiting.get(name)?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    this.#waiting.set(name, end);
    const timer = setTimeout(end, waitMs);
    const offHeard = election.onHeard(() => {
      if (election.isDeleted || isReady()) end();
    });
    const offDrain = this.#options.lifecycle.onDrain(end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
    await promise;
    clearTimeout(timer);
    offHeard();
    offDrain();
    signal.removeEventListener('abort', end);
    if (this.#waiting.get(name) === end) this.#waiting.delete(name);
    free();
  }
}
