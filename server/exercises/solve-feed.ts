/**
 * @module
 * The solutions of a class as a stream of events. Each caller sees those that it may see, numbered from 0 without
 * gaps, so that the numbers do not reveal the others.
 */

import { EventEmitter } from 'node:events';

import { timeText } from '../contract/members.ts';
import type { EventSource, StreamEnd, StreamForm } from '../streams/event-stream.ts';
import { eventText } from '../streams/event-stream.ts';
import { PIECE_CHARACTERS } from '../streams/pulled-stream.ts';
import type { Work } from './submission-store.ts';
import { workKey } from './submission-store.ts';

export interface Solve {
  readonly student: string;
  readonly exercise: string;
  readonly solvedMs: number;
}

/** What a caller sees of a solve; null if nothing. A student without a name is anonymous. */
export type Seen = Omit<Solve, 'student'> & { readonly student: string | null };

export interface SolveViewer {
  readonly see: (solve: Solve) => Seen | null;
  readonly form: StreamForm;
  /** Number of the last event that the caller received; -1 for none. */
  readonly after: number;
  readonly end: StreamEnd;
}

export class SolveFeed {
  readonly #emitter = new EventEmitter().setMaxListeners(0);
  #solves: (Solve & Work)[] = [];

  get listeners(): number {
    return this.#emitter.listenerCount('solve');
  }

  /** Adds a solve. Callers that have seen later ones get all again after a resync. */
  add(work: Work, solvedMs: number): void {
    const solve = { ...work, solvedMs };
    const at = this.#solves.findLastIndex((each) => each.solvedMs <= solvedMs) + 1;
    if (at === this.#solves.length) this.#solves.push(solve);
    else this.#solves = this.#solves.toSpliced(at, 0, solve);
    this.#emitter.emit('solve');
  }

  /** Makes this the solve of some work; null for none. */
  set(work: Work, solvedMs: number | null): void {
    const key = workKey(work);
    const before = this.#solves.find((solve) => workKey(solve) === key)?.solvedMs ?? null;
    if (before === solvedMs) return;
    this.remove(work);
    if (solvedMs !== null) this.add(work, solvedMs);
  }

  /** Removes the solve of some work. Callers that follow get all others again after a resync. */
  remove(work: Work): void {
    const key = workKey(work);
    const kept = this.#solves.filter((solve) => workKey(solve) !== key);
    if (kept.length === this.#solves.length) return;
    this.#solves = kept;
    this.#emitter.emit('solve');
  }

  /** The events for one caller. */
  source({ see, form, after, end }: SolveViewer): EventSource {
    /** Another list since a removal. */
    let solves = this.#solves;
    const current = () => this.#solves;
    const emitter = this.#emitter;
    /** Position of the next solve, and number of the next event. */
    let position = 0;
    let number = 0;
    let isResynced = false;
    const textOf = (event: string, members: object, id?: number) => {
      const seq = event === 'resync' ? undefined : id;
      const data = JSON.stringify({ v: 1, seq, event, ...members });
      return eventText({ event, data, number: id }, form);
    };
    /** The next event that the caller may see; null if there is none. */
    const nextText = (): string | null => {
      for (; position < solves.length; position += 1) {
        const solve = solves[position];
        const seen = solve === undefined ? null : see(solve);
        if (seen === null) continue;
        const { student, exercise, solvedMs } = seen;
        const text = textOf('solve', { student, exercise, solved: timeText(solvedMs) }, number);
        position += 1;
        number += 1;
        return text;
      }
      return null;
    };
    /** Passes over what the caller has. If there is less, its number is from before a reset. */
    const resume = (): string => {
      isResynced = true;
      while (number <= after) {
        if (nextText() !== null) continue;
        [position, number] = [0, 0];
        return textOf('resync', { after: -1 }, -1);
      }
      return '';
    };
    /** Begins again if what the caller has seen is no longer the beginning. Changes that it cannot see are hidden. */
    const restart = (): string => {
      const { changed, at } = difference(solves.slice(0, position), solves, current());
      [solves, position] = [current(), at];
      if (changed.every((solve) => see(solve) === null)) return '';
      isResynced = true;
      [position, number] = [0, 0];
      return textOf('resync', { after: -1 }, -1);
    };
    return {
      onChange: (wake) => {
        emitter.on('solve', wake);
        return () => void emitter.off('solve', wake);
      },
      notice: (event, members) => ({ text: textOf(event, members), isLast: true }),
      async next() {
        let text = solves === current() ? '' : restart();
        if (!isResynced) text += resume();
        while (text.length < PIECE_CHARACTERS) {
          const event = nextText();
          if (event === null) break;
          text += event;
        }
        const isLast = position >= solves.length && end === 'present';
        return text === '' && !isLast ? null : { text, isLast };
      },
    };
  }
}

/** What differs in a list up to the last solve that was passed, and the position after it. */
function difference(
  passed: readonly Solve[],
  before: readonly Solve[],
  after: readonly Solve[],
): { readonly changed: readonly Solve[]; readonly at: number } {
  const [known, kept] = [new Set(before), new Set(after)];
  const last = passed.findLast((solve) => kept.has(solve));
  const at = last === undefined ? 0 : after.indexOf(last) + 1;
  const gone = passed.filter((solve) => !kept.has(solve));
  return { changed: [...gone, ...after.slice(0, at).filter((solve) => !known.has(solve))], at };
}
