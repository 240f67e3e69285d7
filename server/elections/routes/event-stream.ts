/**
 * @module
 * The events of an election as a body that goes on, as server-sent events (WHATWG HTML, section 9.2)
 * or as JSON lines. Every follower has a telling of its own, which waits where the election does; who
 * reconnects with the last id it saw gets every event once.
 */

import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { keptAsker } from '../../callers/principal.ts';
import type { Lifecycle } from '../../request/lifecycle.ts';
import type { Piece, PulledOptions } from '../../streams/pulled-stream.ts';
import { PIECE_CHARACTERS, PING_MS, pulledStream } from '../../streams/pulled-stream.ts';
import type { LiveElection } from '../live/live-election.ts';
import { Replay } from '../live/replay.ts';
import { electionEvent } from './event.ts';

export interface FollowOptions {
  readonly form: 'sse' | 'jsonl';
  /** The number of the last event that the caller has; -1 for none. */
  readonly after: number;
  /** When it is over, if the election is not deleted before: nothing left to tell, at rest, or never. */
  readonly until: 'told' | 'concluded' | 'deleted';
}

export interface FollowDependencies extends Omit<PulledOptions, 'first' | 'next'> {
  readonly lifecycle: Lifecycle;
}
/** How soon a browser connects again. */
const RETRY_MS = 3_000;

/** The body of an answer that tells the events of an election to somebody who follows it. */
export function eventStream(
  follower: Follower,
  { lifecycle, free, ...rest }: FollowDependencies,
): ReadableStream<Uint8Array> {
  const { election, options } = follower;
  const offChange = election.onChange(follower.wake);
  const offDrain = lifecycle.onDrain(follower.end);
  return pulledStream({
    first: options.form === 'sse' ? `retry: ${RETRY_MS}\n: open\n\n` : '',
    next: () => follower.next(),
    ...rest,
    free() {
      offChange();
      offDrain();
      follower.end();
      free();
    },
  });
}

/** Where one caller stands in an election. */
export class Follower {
  readonly election: LiveElection;
  readonly options: FollowOptions;
  readonly #replay: Replay;
  readonly #onBehalf = keptAsker();
  #after: number;
  /** Told and not yet written, from `#next` on. */
  #records: readonly TraceRecord[] = [];
  #next = 0;
  /** How many were told. */
  #count = 0;
  #isEnding = false;
  #isAwake = false;
  #resume: (() => void) | null = null;

  constructor(election: LiveElection, options: FollowOptions) {
    this.election = election;
    this.options = options;
    this.#after = options.after;
    this.#replay = new Replay(election.told);
  }

  /** Something has happened. */
  readonly wake = (): void => {
    this.#isAwake = true;
    this.#resume?.();
  };

  /** Nothing more is wanted. */
  readonly end = (): void => {
    this.#isEnding = true;
    this.wake();
  };

  /** The next events, or a ping, or the end. */
  async next(): Promise<Piece> {
    for (;;) {
      if (this.#isEnding) return this.#last('closing', { retryAfterS: CLOSING_RETRY_S });
      const text = this.#written();
      if (text !== '') return { text, isLast: false };
      this.#isAwake = false;
      if (this.#replay.isBehind) {
        await this.#step();
        continue;
      }
      const end = this.#ended();
      if (end !== null) return end;
      if (!(await this.#woken())) return { text: ': ping\n\n', isLast: false };
    }
  }

  /**
   * Whether nothing is left to tell one who follows until the conclusion. Where nobody has counted the
   * events, what the caller has is told once, to nobody, and the rest of it goes on from there.
   */
  async isOver(signal: AbortSignal): Promise<boolean> {
    if (this.options.until !== 'concluded' || !this.election.isConcluded) return false;
    const { events } = this.election;
    if (events !== null) return this.#after === events - 1;
    while (this.#replay.isBehind && this.#count <= this.#after + 1) {
      if (signal.aborted || this.election.isDeleted) return true;
      await this.#step();
    }
    return this.#after === this.#count - 1 && !this.#replay.isBehind && this.election.isConcluded;
  }

  async #step(): Promise<void> {
    await this.#onBehalf(() => this.#replay.step());
    this.#records = this.#replay.simulation.takeRecords();
    this.#next = 0;
    this.#count += this.#records.length;
    if (!this.#replay.isBehind) this.election.noteEvents(this.#replay.actions, this.#count);
  }

  /** What there is, up to the length of a piece. */
  #written(): string {
    let text = '';
    for (; this.#next < this.#records.length && text.length < PIECE_CHARACTERS; this.#next += 1) {
      const record = this.#records[this.#next];
      if (record === undefined || record.seq <= this.#after) continue;
      const { name, json } = electionEvent(this.election.id, record);
      text +=
        this.options.form === 'sse'
          ? `id: ${record.seq}\nevent: ${name}\ndata: ${json}\n\n`
          : `${json}\n`;
    }
    return text;
  }

  /** What is said when all was told; null when there may be more. */
  #ended(): Piece | null {
    const election = this.election;
    const { until } = this.options;
    if (election.isDeleted) return this.#last('done', { reason: 'deleted' });
    if (this.#after >= this.#count) {
      // Such an event there never was: the id is from another election.
      this.#after = this.#count - 1;
      return { text: this.#said('resync', { after: this.#after }), isLast: false };
    }
    if (until !== 'deleted' && election.isConcluded) {
      const { verdict, ticks } = election.status();
      const { value, reason } = verdict;
      return this.#last('done', { reason: 'concluded', time: ticks, verdict: { value, reason } });
    }
    return until === 'told' ? { text: '', isLast: true } : null;
  }

  #last(name: string, members: object): Piece {
    return { text: this.#said(name, members), isLast: true };
  }

  /** What is no event of the election, and has no number. */
  #said(name: string, members: object): string {
    const json = JSON.stringify({ v: 1, election: this.election.id, event: name, ...members });
    return this.options.form === 'sse' ? `event: ${name}\ndata: ${json}\n\n` : `${json}\n`;
  }

  /** Waits for something to happen; false when it is time for a ping, of which JSON lines have none. */
  async #woken(): Promise<boolean> {
    if (this.#isAwake) return true;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resume = () => resolve(true);
    const ping = this.options.form === 'sse' ? setTimeout(resolve, PING_MS, false) : undefined;
    const isAwake = await promise;
    clearTimeout(ping);
    this.#resume = null;
    return isAwake;
  }
}

/** Draining ends within ten seconds. */
const CLOSING_RETRY_S = 10;
