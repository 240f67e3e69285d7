/**
 * @module
 * The events of an election as a source of an event stream. Each follower has a replay of its own, which waits
 * when it has reached the election. A follower that reconnects with the last number it received gets every
 * event once.
 */

import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { Principal } from '../../request/principal.ts';
import type { EventSource, StreamForm } from '../../streams/event-stream.ts';
import { eventText } from '../../streams/event-stream.ts';
import type { Piece } from '../../streams/pulled-stream.ts';
import { PIECE_CHARACTERS } from '../../streams/pulled-stream.ts';
import type { LiveElection } from '../live/live-election.ts';
import { Replay } from '../live/replay.ts';
import { electionEvent } from './event.ts';

export interface FollowOptions {
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  /** When the stream ends, if the election is not deleted: after the present events, when idle, or never. */
  readonly until: 'present' | 'concluded' | 'deleted';
}

/** Where one follower is in an election. */
export class ElectionSource implements EventSource {
  readonly #election: LiveElection;
  readonly #options: FollowOptions;
  readonly #replay: Replay;
  #after: number;
  /** Replayed events, which are not sent from `#next` on. */
  #records: readonly TraceRecord[] = [];
  #next = 0;
  /** Number of replayed events. */
  #count = 0;

  constructor(election: LiveElection, options: FollowOptions, principal: Principal) {
    this.#election = election;
    this.#options = options;
    this.#after = options.after;
    this.#replay = new Replay(election.history, principal);
  }

  onChange(wake: () => void): () => void {
    return this.#election.onChange(wake);
  }

  async next(isDraining: () => boolean): Promise<Piece | null> {
    while (!isDraining()) {
      const text = this.#events();
      if (text !== '') return { text, isLast: false };
      if (!this.#replay.isBehind) return this.#end();
      await this.#step();
    }
    return null;
  }

  notice(event: string, members: object): Piece {
    const data = JSON.stringify({ v: 1, election: this.#election.id, event, ...members });
    return { text: eventText({ event, data }, this.#options.form), isLast: true };
  }

  /**
   * Whether a follower until the conclusion has every event. If the number of events is not known, the
   * events that it has are replayed, and the stream continues from there.
   */
  async isOver(signal: AbortSignal): Promise<boolean> {
    const election = this.#election;
    if (this.#options.until !== 'concluded' || !election.isConcluded) return false;
    if (election.events !== null) return this.#after === election.events - 1;
    while (this.#replay.isBehind && this.#count <= this.#after + 1) {
      if (signal.aborted || election.isDeleted) return true;
      await this.#step();
    }
    return this.#after === this.#count - 1 && !this.#replay.isBehind && election.isConcluded;
  }

  async #step(): Promise<void> {
    await this.#replay.step();
    this.#records = this.#replay.simulation.takeRecords();
    this.#next = 0;
    this.#count += this.#records.length;
    if (!this.#replay.isBehind) this.#election.noteEvents(this.#replay.actions, this.#count);
  }

  /** The next events, up to the length of a piece. */
  #events(): string {
    let text = '';
    for (; this.#next < this.#records.length && text.length < PIECE_CHARACTERS; this.#next += 1) {
      const record = this.#records[this.#next];
      if (record === undefined || record.seq <= this.#after) continue;
      text += eventText(electionEvent(this.#election.id, record), this.#options.form);
    }
    return text;
  }

  /** The piece after all events; null if there may be more events. */
  #end(): Piece | null {
    const election = this.#election;
    const { until } = this.#options;
    if (election.isDeleted) return this.notice('done', { reason: 'deleted' });
    if (this.#after >= this.#count) {
      // There never was such an event: the number is from another election.
      this.#after = this.#count - 1;
      return { ...this.notice('resync', { after: this.#after }), isLast: false };
    }
    if (until !== 'deleted' && election.isConcluded) {
      const { verdict, ticks } = election.status();
      const { value, reason } = verdict;
      return this.notice('done', { reason: 'concluded', time: ticks, verdict: { value, reason } });
    }
    return until === 'present' ? { text: '', isLast: true } : null;
  }
}
