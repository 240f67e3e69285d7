/**
 * @module
 * What a driver knows of its fleet: which workers live, how many jobs wait, and the sentence about it
 * that says what to do where nothing can be done.
 */

import type { RedisLink } from './redis.ts';
import { QUEUE_DEFAULT, readWorkerNote } from './wire.ts';

export class FleetView {
  readonly #codeVersion: string;
  readonly #link: RedisLink;
  readonly #queue: string;
  #workers = 0;
  #threads = 0;
  #strangers = 0;
  #waiting = 0;
  #lastTold = '';

  constructor(
    { link, queue }: { readonly link: RedisLink; readonly queue: string },
    codeVersion: string,
  ) {
    this.#link = link;
    this.#queue = queue;
    this.#codeVersion = codeVersion;
  }

  /** Threads of the live workers that have this code. */
  get threads(): number {
    return this.#threads;
  }

  /** Takes the notes of the workers and the number of jobs that wait. */
  update(notes: readonly string[], waiting: number): void {
    const workers = notes.map(readWorkerNote).filter((note) => note !== null);
    const own = workers.filter((note) => note.codeVersion === this.#codeVersion);
    this.#workers = own.length;
    this.#threads = own.reduce((sum, note) => sum + note.threads, 0);
    this.#strangers = workers.length - own.length;
    this.#waiting = waiting;
  }

  /** For the line of progress. */
  status(): string {
    const seconds = this.#link.awaySeconds();
    if (seconds > 0) return `Redis is away for ${Math.ceil(seconds)} s`;
    if (this.#workers === 0) return this.#absence();
    const { plural: workers } = counted(this.#workers, 'worker');
    const { plural: threads } = counted(this.#threads, 'thread');
    const { plural: jobs } = counted(this.#waiting, 'job');
    return `${workers} live, ${threads}, ${jobs} waiting`;
  }

  /** What changed for whoever waits for the sweep; null where nothing did. */
  news(): string | null {
    const line = this.#workers === 0 ? this.#absence() : 'workers are live';
    const isFirst = this.#lastTold === '';
    if (line === this.#lastTold) return null;
    this.#lastTold = line;
    return isFirst && this.#workers > 0 ? null : line;
  }

  #absence(): string {
    const queue = this.#queue === QUEUE_DEFAULT ? '' : ` --queue ${this.#queue}`;
    const command = `usurp worker --redis ${this.#link.address}${queue}`;
    if (this.#strangers === 0) return `no worker is live; start one: ${command}`;
    const { plural, verb } = counted(this.#strangers, 'worker');
    return (
      `no live worker has code ${this.#codeVersion}, ${plural} ${verb} another; ` +
      `start one from these sources: ${command}`
    );
  }
}

function counted(count: number, noun: string) {
  return count === 1
    ? { plural: `1 ${noun}`, verb: 'has' }
    : { plural: `${count} ${noun}s`, verb: 'have' };
}
