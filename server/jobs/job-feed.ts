/**
 * @module
 * What is told of one job while somebody follows it: how it stood whenever that changed, numbered from 0
 * without gaps. Progress that comes faster than a reader can use is told as its newest, so that one
 * numbering serves all who follow. The last so many are kept for who comes later or comes again.
 */

/** Between two tellings of progress. */
export const NEWS_MS = 100;
/** News that are kept: as many as come while a follower takes nothing, before it is cut off, and more. */
export const NEWS_KEPT_MAX = 128;

/**
 * What a job that a restart brought back is told from on, far above all that was told of it before: the
 * number that somebody saw last then says nothing of what is kept now.
 */
export const NEWS_AFTER_RESTART = 2 ** 32;

/** The news of one job. */
export class JobFeed<News> {
  readonly #listeners = new Set<() => void>();
  readonly #kept: News[] = [];
  /** How many were told before those that are kept, or the number that they begin with. */
  #gone: number;
  #isOver = false;
  /** Newer than what was told last, and too soon. */
  #pending: News | null = null;
  #pause: NodeJS.Timeout | undefined;

  constructor(first = 0) {
    this.#gone = first;
  }

  /** The number of the oldest that is kept. */
  get first(): number {
    return this.#gone;
  }

  /** The number of the newest; -1 before there is any. */
  get last(): number {
    return this.#gone + this.#kept.length - 1;
  }

  /** Nothing comes after the newest. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** How many follow. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** Undefined for what is no longer kept or not there yet. */
  at(number: number): News | undefined {
    return this.#kept[number - this.#gone];
  }

  /** Tells it at once. */
  say(news: News): void {
    if (this.#isOver) return;
    this.#pending = null;
    this.#kept.push(news);
    if (this.#kept.length > NEWS_KEPT_MAX) {
      this.#kept.shift();
      this.#gone += 1;
    }
    for (const listener of this.#listeners) listener();
  }

  /** Tells it, or what comes after it, as soon as something was not told just before. */
  note(news: News): void {
    if (this.#pause !== undefined) {
      this.#pending = news;
      return;
    }
    this.say(news);
    if (!this.#isOver) this.#rest();
  }

  /** Tells the last. */
  end(news: News): void {
    this.say(news);
    this.#isOver = true;
    clearTimeout(this.#pause);
  }

  /** Calls back whenever something was told, until taken away. */
  onNews(listener: () => void): () => void {
    const registered = () => listener();
    this.#listeners.add(registered);
    return () => void this.#listeners.delete(registered);
  }

  #rest(): void {
    this.#pause = setTimeout(() => {
      this.#pause = undefined;
      if (this.#pending !== null) this.note(this.#pending);
    }, NEWS_MS);
    this.#pause.unref();
  }
}
