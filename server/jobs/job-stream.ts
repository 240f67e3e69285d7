/**
 * @module
 * The news of a job as a body that goes on until the job is over, as server-sent events (WHATWG HTML,
 * section 9.2) or as JSON lines. Who reconnects with the last id it saw gets what came after it, as far
 * as that is kept, and is told where it is not.
 */

import type { Lifecycle } from '../request/lifecycle.ts';
import type { Piece, PulledOptions } from '../streams/pulled-stream.ts';
import { PIECE_CHARACTERS, PING_MS, pulledStream } from '../streams/pulled-stream.ts';
import type { JobFeed } from './job-feed.ts';

/** How soon a browser connects again. */
const RETRY_MS = 3_000;
/** Draining ends within ten seconds. */
const CLOSING_RETRY_S = 10;

export interface JobTelling<News> {
  /** The id of the job. */
  readonly job: string;
  readonly feed: JobFeed<News>;
  readonly form: 'sse' | 'jsonl';
  /** The number of the last news that the caller has; -1 for none. */
  readonly after: number;
  /** The name of the event that tells the news, and what it says. */
  readonly wordsOf: (
    news: News,
    isLast: boolean,
  ) => { readonly event: string; readonly said: object };
}

export interface TellingDependencies extends Omit<PulledOptions, 'first' | 'next'> {
  readonly lifecycle: Lifecycle;
}

/** The body of an answer that tells how a job goes on. */
export function jobStream<News>(
  telling: JobTelling<News>,
  { lifecycle, free, ...rest }: TellingDependencies,
): ReadableStream<Uint8Array> {
  const follower = new JobFollower(telling);
  const offNews = telling.feed.onNews(follower.wake);
  const offDrain = lifecycle.onDrain(follower.end);
  return pulledStream({
    first: telling.form === 'sse' ? `retry: ${RETRY_MS}\n: open\n\n` : '',
    next: () => follower.next(),
    ...rest,
    free() {
      offNews();
      offDrain();
      follower.end();
      free();
    },
  });
}

/** Where one caller stands in the news of a job. */
class JobFollower<News> {
  readonly #telling: JobTelling<News>;
  /** The number of what is told next. */
  #next: number;
  #isEnding = false;
  #resume: (() => void) | null = null;

  constructor(telling: JobTelling<News>) {
    this.#telling = telling;
    this.#next = telling.after + 1;
  }

  /** There is news. */
  readonly wake = (): void => this.#resume?.();

  /** Nothing more is wanted. */
  readonly end = (): void => {
    this.#isEnding = true;
    this.wake();
  };

  /** The next news, or a ping, or the end. */
  async next(): Promise<Piece> {
    const { feed } = this.#telling;
    for (;;) {
      // What is over is told to its end, also by a server that stops.
      const text = this.#written();
      if (text !== '') return { text, isLast: feed.isOver && this.#next > feed.last };
      if (this.#isEnding) return { text: this.#closing(), isLast: true };
      if (!(await this.#woken())) return { text: ': ping\n\n', isLast: false };
    }
  }

  /** What there is, up to the length of a piece. */
  #written(): string {
    const { feed, after } = this.#telling;
    let text = '';
    // From a server before this one, or no longer kept.
    const isLost = this.#next < feed.first || this.#next > feed.last + 1;
    if (isLost) {
      this.#next = feed.first;
      if (after >= 0) text = this.#line('resync', { after: feed.first - 1 });
    }
    for (; this.#next <= feed.last && text.length < PIECE_CHARACTERS; this.#next += 1) {
      const news = feed.at(this.#next);
      if (news === undefined) break;
      const isLast = feed.isOver && this.#next === feed.last;
      const { event, said } = this.#telling.wordsOf(news, isLast);
      text += this.#line(event, said, this.#next);
    }
    return text;
  }

  #closing(): string {
    return this.#line('closing', { retryAfterS: CLOSING_RETRY_S });
  }

  #line(event: string, said: object, seq?: number): string {
    const { job, form } = this.#telling;
    const json = JSON.stringify({ v: 1, job, seq, event, ...said });
    if (form === 'jsonl') return `${json}\n`;
    return `${seq === undefined ? '' : `id: ${seq}\n`}event: ${event}\ndata: ${json}\n\n`;
  }

  /** Waits for news; false when it is time for a ping, of which JSON lines have none. */
  async #woken(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#resume = () => resolve(true);
    const ping = this.#telling.form === 'sse' ? setTimeout(resolve, PING_MS, false) : undefined;
    const isAwake = await promise;
    clearTimeout(ping);
    this.#resume = null;
    return isAwake;
  }
}
