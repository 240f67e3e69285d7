/**
 * @module
 * What a driver knows about its fleet: the live workers, the number of waiting jobs, and a sentence that says
 * what to do if there are no workers.
 */

import { versionRemedy } from '../files/code-version.ts';
import type { Fleet } from './redis.ts';
import { QUEUE_DEFAULT, readWorkerNote } from './wire.ts';

export class FleetView {
  /** Threads of the live workers with this code. */
  threads = 0;
  readonly #fleet: Pick<Fleet, 'link' | 'queue'>;
  readonly #codeVersion: string;
  #workers = 0;
  /** Code versions of the live workers with other code. */
  #strangers: readonly string[] = [];
  #waiting = 0;
  #lastLine = '';

  constructor(fleet: Pick<Fleet, 'link' | 'queue'>, codeVersion: string) {
    this.#fleet = fleet;
    this.#codeVersion = codeVersion;
  }

  /** Takes the notes of the workers and the number of waiting jobs. */
  update(notes: readonly string[], waiting: number): void {
    const workers = notes.map(readWorkerNote).filter((note) => note !== null);
    const own = workers.filter((note) => note.codeVersion === this.#codeVersion);
    this.#workers = own.length;
    this.threads = own.reduce((sum, note) => sum + note.threads, 0);
    this.#strangers = workers
      .map((note) => note.codeVersion)
      .filter((version) => version !== this.#codeVersion);
    this.#waiting = waiting;
  }

  /** For the line of progress. */
  status(): string {
    const seconds = this.#fleet.link.awaySeconds();
    if (seconds > 0) return `Redis is away for ${Math.ceil(seconds)} s`;
    if (this.#workers === 0) return this.#absence();
    const workers = counted(this.#workers, 'worker');
    return `${workers} live, ${counted(this.threads, 'thread')}, ${counted(this.#waiting, 'job')} waiting`;
  }

  /** A line for the user if workers appeared or disappeared. Null if nothing changed. */
  change(): string | null {
    const line = this.#workers === 0 ? this.#absence() : 'workers are live';
    const isFirst = this.#lastLine === '';
    if (line === this.#lastLine) return null;
    this.#lastLine = line;
    return isFirst && this.#workers > 0 ? null : line;
  }

  #absence(): string {
    const { queue: name, link } = this.#fleet;
    const queue = name === QUEUE_DEFAULT ? '' : ` --queue ${name}`;
    const command = `usurp worker --redis ${link.address}${queue}`;
    const codes = Map.groupBy(this.#strangers, (version) => version);
    if (codes.size === 0) return `no worker is live; start one: ${command}`;
    // In the same order, whatever the order of the notes, so that the line changes only with the workers.
    const others = [...codes].toSorted(([left], [right]) => (left < right ? -1 : 1));
    const texts = others.map(([code, { length }]) => {
      return `${counted(length, 'worker')} ${length === 1 ? 'has' : 'have'} ${code}`;
    });
    const remedies = new Set(others.map(([code]) => versionRemedy(this.#codeVersion, code)));
    const listed = [...remedies].join(', or ');
    return `no live worker has code ${this.#codeVersion}, ${texts.join(', ')}; ${listed}: ${command}`;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
