/**
 * @module
 * The events of one job: its snapshot whenever that changes, numbered from 0. Progress that changes faster
 * than a reader can use it is reduced to its newest value, so that all callers can follow one numbering. The
 * last events are kept for callers that connect later. A caller gets the events after the last one it received.
 * Where numbers are missing, because events are no longer kept or the server was restarted, it gets the notice
 * `resync` before the next event.
 */

import { EventEmitter, once } from 'node:events';

import type { EventSource, StreamEnd, StreamForm } from '../streams/event-stream.ts';
import { eventText } from '../streams/event-stream.ts';
import { PIECE_CHARACTERS } from '../streams/pulled-stream.ts';

/** Minimum time between two events of progress. */
export const PROGRESS_INTERVAL_MS = 100;
/** Events that are kept: more than occur before a stalled caller is disconnected. */
export const EVENTS_KEPT_MAX = 128;

/**
 * Number of the first event of a job that was restored. It is far above all numbers from before the
 * restart, so that a number that a caller received then matches no event.
 */
export const FIRST_EVENT_AFTER_RESTART = 2 ** 32;

/** The events of one job. */
export class JobFeed<Event> {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  readonly #kept: Event[] = [];
  /** Number of the oldest event that is kept. */
  #first: number;
  #isOver = false;
  /** Newer than the last event, but too soon after it. */
  #pending: Event | null = null;
  #interval: NodeJS.Timeout | undefined;

  constructor(first = 0) {
    this.#first = first;
  }

  /** Number of the oldest event that is kept. */
  get first(): number {
    return this.#first;
  }

  /** Number of the newest event; one less than the first if there is none. */
  get last(): number {
    return this.#first + this.#kept.length - 1;
  }

  /** Whether the newest event is the last one. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get listeners(): number {
    return this.#emitter.listenerCount('event');
  }

  /** The event with this number; undefined if it is not kept or not there yet. */
  at(number: number): Event | undefined {
    return this.#kept[number - this.#first];
  }

  push(event: Event): void {
    if (this.#isOver) return;
    this.#pending = null;
    this.#kept.push(event);
    if (this.#kept.length > EVENTS_KEPT_MAX) {
      this.#kept.shift();
      this.#first += 1;
    }
    this.#emitter.emit('event');
  }

  /** Adds an event, or a newer one in its place, unless one was added this way just before. */
  pushSoon(event: Event): void {
    if (this.#interval !== undefined) {
      this.#pending = event;
      return;
    }
    this.push(event);
    if (this.#isOver) return;
    this.#interval = setTimeout(() => {
      this.#interval = undefined;
      if (this.#pending !== null) this.pushSoon(this.#pending);
    }, PROGRESS_INTERVAL_MS);
    this.#interval.unref();
  }

  /** Adds the last event. */
  end(event: Event): void {
    this.push(event);
    this.#isOver = true;
    clearTimeout(this.#interval);
    this.#emitter.emit('end');
  }

  /** Resolves when the newest event is the last one, or when `signal` aborts. */
  async ended(signal: AbortSignal): Promise<void> {
    if (this.#isOver || signal.aborted) return;
    // Rejects only if it is aborted.
    await once(this.#emitter, 'end', { signal }).catch(() => undefined);
  }

  /** Calls back after each event, until the returned function is called. */
  onEvent(listener: () => void): () => void {
    this.#emitter.on('event', listener);
    return () => void this.#emitter.off('event', listener);
  }
}

export interface FollowedJob<Event> {
  readonly job: string;
  readonly feed: JobFeed<Event>;
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  readonly end: StreamEnd;
  /** Name and members of an event. */
  readonly viewOf: (
    event: Event,
    isLast: boolean,
  ) => { readonly event: string; readonly members: object };
}

/** The events of a job as the source of an event stream, for one caller. */
export function jobSource<Event>({
  job,
  feed,
  form,
  after,
  end,
  viewOf,
}: FollowedJob<Event>): EventSource {
  /** Number of the next event. */
  let next = after + 1;
  const textOf = (event: string, members: object, number?: number) => {
    const seq = event === 'resync' ? undefined : number;
    const data = JSON.stringify({ v: 1, job, seq, event, ...members });
    return eventText({ event, data, number }, form);
  };
  const resync = () => {
    // The number is from before a restart, or the event is no longer kept.
    if (next >= feed.first && next <= feed.last + 1) return '';
    next = feed.first;
    const before = feed.first - 1;
    return textOf('resync', { after: before }, before);
  };
  return {
    onChange: (wake) => feed.onEvent(wake),
    notice: (event, members) => ({ text: textOf(event, members), isLast: true }),
    /** A stopping server also sends the events that are there. */
    async next() {
      let text = resync();
      for (; text.length < PIECE_CHARACTERS; next += 1) {
        const found = feed.at(next);
        if (found === undefined) break;
        const { event, members } = viewOf(found, feed.isOver && next === feed.last);
        text += textOf(event, members, next);
      }
      const isLast = next > feed.last && (feed.isOver || end === 'present');
      return text === '' && !isLast ? null : { text, isLast };
    },
  };
}
