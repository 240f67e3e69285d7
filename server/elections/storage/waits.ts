/**
 * @module
 * Requests that may have to wait for somebody outside: an advance of an election in which somebody plays
 * from there, and all that is asked of the election behind it. Each counts like a stream meanwhile, so
 * that those who wait leave connections for those who do not.
 */

import type { StreamBudget } from '../../callers/stream-budget.ts';
import type { ElectionAction } from '../live/action.ts';
import type { LiveElection } from '../live/live-election.ts';
import { ADVANCE_WAIT_MS_MAX, mayStandStill } from '../live/outside-wait.ts';

/** Those of one server. */
export class ElectionWaits {
  readonly #streams: Pick<StreamBudget, 'wait'>;
  /** How many of each election that has any. */
  readonly #waiting = new Map<LiveElection, number>();

  constructor(streams: Pick<StreamBudget, 'wait'>) {
    this.#streams = streams;
  }

  /** Carries out an action by `work`. Throws OverloadError as `StreamBudget.wait`, before anything is done. */
  act(
    election: LiveElection,
    { action, ends }: { readonly action: ElectionAction; readonly ends: unknown },
    work: () => Promise<void>,
  ): Promise<void> {
    if (election.isLetIn(action)) return work();
    const waits = action.type === 'advance' && ends !== null && mayStandStill(election.plan);
    return this.#hold(election, waits ? 1 : 0, work);
  }

  /** As `LiveElection.settled`. Throws as `act`. */
  settled(election: LiveElection): Promise<void> {
    return this.#hold(election, 0, () => election.settled());
  }

  async #hold(election: LiveElection, advances: number, work: () => Promise<void>): Promise<void> {
    const ahead = this.#waiting.get(election) ?? 0;
    if (ahead + advances === 0) return work();
    // No advance waits longer, and nothing here is more than one.
    const free = this.#streams.wait((ahead + advances) * ADVANCE_WAIT_MS_MAX);
    this.#waiting.set(election, ahead + 1);
    try {
      await work();
    } finally {
      free();
      const left = (this.#waiting.get(election) ?? 0) - 1;
      if (left === 0) this.#waiting.delete(election);
      else this.#waiting.set(election, left);
    }
  }
}
