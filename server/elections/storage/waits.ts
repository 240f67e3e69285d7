/**
 * @module
 * Requests that may wait for a program outside: an advance of an election with such programs, and every
 * request behind it. Each counts as a stream, so that connections remain for requests that do not wait.
 */

import type { StreamBudget } from '../../callers/stream-budget.ts';
import { Tallies } from '../../callers/tallies.ts';
import type { Principal } from '../../request/principal.ts';
import type { ElectionAction } from '../live/action.ts';
import type { ActOptions, LiveElection, Outcome } from '../live/live-election.ts';
import { ADVANCE_WAIT_MS_MAX, mayWait } from '../live/outside-wait.ts';

/** The waiting requests of one server. */
export class ElectionWaits {
  readonly #streams: Pick<StreamBudget, 'wait'>;
  readonly #waiting = new Tallies<LiveElection>();

  constructor(streams: Pick<StreamBudget, 'wait'>) {
    this.#streams = streams;
  }

  /** As `LiveElection.act`. Also throws OverloadError as `StreamBudget.wait`, before it acts. */
  act(election: LiveElection, action: ElectionAction, options: ActOptions): Promise<Outcome> {
    const work = () => election.act(action, options);
    if (election.isLetIn(action)) return work();
    const waits = action.type === 'advance' && options.ends != null && mayWait(election.plan);
    return this.#hold(election, options.principal, waits ? 1 : 0, work);
  }

  /** As `LiveElection.settled`. Throws as `act` does. */
  settled(election: LiveElection, principal: Principal): Promise<void> {
    return this.#hold(election, principal, 0, () => election.settled());
  }

  async #hold<Result>(
    election: LiveElection,
    principal: Principal,
    advances: 0 | 1,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const waits = this.#waiting.of(election) + advances;
    if (waits === 0) return work();
    // Each of them is at most one advance, and no advance waits longer.
    const free = this.#streams.wait(principal, waits * ADVANCE_WAIT_MS_MAX);
    const close = this.#waiting.open(election);
    try {
      return await work();
    } finally {
      free();
      close();
    }
  }
}
