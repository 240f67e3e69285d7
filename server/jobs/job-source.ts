/**
 * @module
 * The events of a job as a source of an event stream, for one caller. A caller that reconnects gets the
 * events after the last one it received, if they are kept, and else the notice `resync`.
 */

import type { EventSource, StreamForm } from '../streams/event-stream.ts';
import { eventText } from '../streams/event-stream.ts';
import type { Piece } from '../streams/pulled-stream.ts';
import { PIECE_CHARACTERS } from '../streams/pulled-stream.ts';
import type { JobFeed } from './job-feed.ts';

export interface FollowedJob<Event> {
  /** Id of the job. */
  readonly job: string;
  readonly feed: JobFeed<Event>;
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  /** Name and members of an event. */
  readonly viewOf: (
    event: Event,
    isLast: boolean,
  ) => { readonly event: string; readonly members: object };
}

/** Where one caller is in the events of a job. */
export class JobSource<Event> implements EventSource {
  readonly #followed: FollowedJob<Event>;
  /** Number of the next event. */
  #next: number;

  constructor(followed: FollowedJob<Event>) {
    this.#followed = followed;
    this.#next = followed.after + 1;
  }

  onChange(wake: () => void): () => void {
    return this.#followed.feed.onEvent(wake);
  }

  /** A stopping server also sends the events that are there. */
  async next(): Promise<Piece | null> {
    const { feed } = this.#followed;
    const text = this.#resync() + this.#events();
    return text === '' ? null : { text, isLast: feed.isOver && this.#next > feed.last };
  }

  notice(event: string, members: object): Piece {
    return { text: this.#text(event, members), isLast: true };
  }

  #resync(): string {
    const { feed, after } = this.#followed;
    // The number is from before a restart, or the event is no longer kept.
    const isLost = this.#next < feed.first || this.#next > feed.last + 1;
    if (!isLost) return '';
    this.#next = feed.first;
    return after >= 0 ? this.#text('resync', { after: feed.first - 1 }) : '';
  }

  #events(): string {
    const { feed, viewOf } = this.#followed;
    let text = '';
    for (; text.length < PIECE_CHARACTERS; this.#next += 1) {
      const found = feed.at(this.#next);
      if (found === undefined) break;
      const { event, members } = viewOf(found, feed.isOver && this.#next === feed.last);
      text += this.#text(event, members, this.#next);
    }
    return text;
  }

  #text(event: string, members: object, number?: number): string {
    const { job, form } = this.#followed;
    const data = JSON.stringify({ v: 1, job, seq: number, event, ...members });
    return eventText({ event, data, number }, form);
  }
}
