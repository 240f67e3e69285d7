/**
 * @module
 * What the checked properties remember and read. Each history has one packed word: the number of its state. Its notes
 * are computed once for each step of a local state, and each change of state once. Without histories and readings
 * there is no monitor, and nothing costs anything.
 */

import type { Json } from '../election/machine.ts';
import type { WorldNode } from '../election/world/world-state.ts';
import { canonicalText, Interner, NUMBERS_MAX, TooManyValuesError } from './interner.ts';
import { PairTable } from './pair-table.ts';
import type { CheckedProperty, History, NodeStep } from './property.ts';

/** A note of one history, by their numbers. */
export interface Noted {
  readonly history: number;
  readonly note: number;
}

/** What a monitor has to know of an instance. */
export interface Monitored {
  /** The ranks of Byzantine nodes. Their steps are not noted. */
  readonly byzantine: ReadonlySet<number>;
  readonly protocol: NodeStep['protocol'];
  readonly bounds: NodeStep['bounds'];
}

export class Monitor {
  /** Whether a property sees whole states. */
  readonly readsAll: boolean;
  readonly #monitored: Monitored;
  readonly #pasts: readonly Past[];
  readonly #readings: CheckedProperty['readings'];

  constructor(properties: readonly CheckedProperty[], monitored: Monitored) {
    this.#monitored = monitored;
    this.readsAll = properties.some(({ reads }) => reads === 'everything');
    const histories = new Set(properties.flatMap((property) => property.histories));
    this.#pasts = [...histories].map((history) => new Past(history));
    this.#readings = [...new Set(properties.flatMap(({ readings }) => readings))];
  }

  /** Number of packed words, one for each history. All are 0 in the first world. */
  get words(): number {
    return this.#pasts.length;
  }

  /** What the histories note of a step, in order. */
  notesOf(step: Omit<NodeStep, 'protocol' | 'bounds'>): readonly Noted[] {
    const { byzantine, protocol, bounds } = this.#monitored;
    if (byzantine.has(step.rank)) return [];
    return this.#pasts.flatMap((past, history) =>
      past.notesOf({ ...step, protocol, bounds }).map((note) => ({ history, note })),
    );
  }

  /** Writes the states after these notes into the words from this index on. Returns whether one changed. */
  note(words: Uint16Array, first: number, noted: readonly Noted[]): boolean {
    let isChanged = false;
    for (const { history, note } of noted) {
      const before = words[first + history] ?? 0;
      const after = this.#pasts[history]?.next(before, note) ?? 0;
      if (after >= NUMBERS_MAX) throw new TooManyValuesError(`more than ${NUMBERS_MAX} pasts`);
      if (after !== before) isChanged = true;
      words[first + history] = after;
    }
    return isChanged;
  }

  /** What a history has kept. Throws RangeError for one of no checked property. */
  pastOf<State extends Json, Note extends Json>(
    words: Uint16Array,
    first: number,
    history: History<State, Note>,
  ): State {
    const index = this.#pasts.findIndex((past) => Object.is(past.history, history));
    const past = this.#pasts[index];
    if (past === undefined) {
      throw new RangeError('"history" expected one that a checked property states');
    }
    // The states of a history are those that its own functions made.
    return past.stateOf(words[first + index] ?? 0) as State;
  }

  /** The number of a renamed state of a history. Throws RangeError for one that is never renamed. */
  renamed(history: number, state: number, rankOf: (rank: number) => number): number {
    const past = this.#pasts[history];
    if (past === undefined) throw new RangeError(`"history" expected a number, got ${history}`);
    return past.renamed(state, rankOf);
  }

  /** Whether all readings find the same in both. */
  isReadAlike(before: WorldNode, after: WorldNode): boolean {
    const { protocol } = this.#monitored;
    return this.#readings.every(
      (reading) =>
        canonicalText(reading.of(before, protocol)) === canonicalText(reading.of(after, protocol)),
    );
  }
}

/** One history with its numbered states and notes. */
class Past {
  readonly history: History;
  readonly #states = new Interner<Json>();
  readonly #notes = new Interner<Json>();
  readonly #table = new PairTable();

  constructor(history: History) {
    this.history = history;
    this.#states.numberOf(history.first);
  }

  notesOf(step: NodeStep): readonly number[] {
    return this.history.notesOf(step).map((note) => this.#notes.numberOf(note));
  }

  next(state: number, note: number): number {
    const known = this.#table.get(state, note);
    if (known >= 0) return known;
    const after = this.history.fold(this.#states.valueOf(state), this.#notes.valueOf(note));
    const number = this.#states.numberOf(after);
    this.#table.set(state, note, number);
    return number;
  }

  renamed(state: number, rankOf: (rank: number) => number): number {
    const renamed = this.history.renamed?.(this.#states.valueOf(state), rankOf);
    if (renamed === undefined) throw new RangeError('"history" expected one that can be renamed');
    const number = this.#states.numberOf(renamed);
    if (number >= NUMBERS_MAX) throw new TooManyValuesError(`more than ${NUMBERS_MAX} pasts`);
    return number;
  }

  stateOf(state: number): Json {
    return this.#states.valueOf(state);
  }
}

/** The monitor that these properties need; null if they remember and read nothing but leaders. */
export function monitorOf(
  properties: readonly CheckedProperty[],
  monitored: Monitored,
): Monitor | null {
  const isNeeded = properties.some(
    ({ histories, readings, reads }) =>
      histories.length + readings.length > 0 || reads === 'everything',
  );
  return isNeeded ? new Monitor(properties, monitored) : null;
}
