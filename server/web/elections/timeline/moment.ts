/**
 * @module
 * The nodes as they were after any number of events. Checkpoints are kept at regular distances. The events after a
 * checkpoint are folded again.
 */

import type { ElectionEvent, Timeline } from './timeline.ts';

/** A node after some number of events. */
export interface NodeThen {
  readonly isUp: boolean;
  readonly isPaused: boolean;
  /** The rank of its leader; 0 for none. */
  readonly follows: number;
}

/** Events between two checkpoints. */
const STRIDE = 4_096;
const DOWN = 1;
const PAUSED = 2;

interface States {
  readonly flags: Uint8Array;
  readonly follows: Int16Array;
}

export class Moments {
  readonly #timeline: Timeline;
  readonly #ranks: number;
  /** Ranks that are down before the first event. */
  readonly #downAtFirst: readonly number[];
  readonly #checkpoints: States[] = [];

  constructor(timeline: Timeline, ranks: number, downAtFirst: readonly number[]) {
    this.#timeline = timeline;
    this.#ranks = ranks;
    this.#downAtFirst = downAtFirst;
  }

  /** The nodes after the first `count` events, by rank; index 0 is not used. */
  at(count: number): NodeThen[] {
    const states = this.#statesAt(count);
    return Array.from({ length: this.#ranks + 1 }, (_, rank) => {
      const flags = states.flags[rank] ?? 0;
      return {
        isUp: (flags & DOWN) === 0,
        isPaused: (flags & PAUSED) !== 0,
        follows: states.follows[rank] ?? 0,
      };
    });
  }

  #statesAt(count: number): States {
    const checkpoint = Math.floor(count / STRIDE);
    while (this.#checkpoints.length <= checkpoint) this.#addCheckpoint();
    const states = copyOf(this.#checkpoints[checkpoint] ?? this.#first());
    this.#fold(states, checkpoint * STRIDE, count);
    return states;
  }

  #addCheckpoint(): void {
    const number = this.#checkpoints.length;
    const before = this.#checkpoints.at(-1);
    const states = before === undefined ? this.#first() : copyOf(before);
    if (before !== undefined) this.#fold(states, (number - 1) * STRIDE, number * STRIDE);
    this.#checkpoints.push(states);
  }

  #first(): States {
    const flags = new Uint8Array(this.#ranks + 1);
    for (const rank of this.#downAtFirst) flags[rank] = DOWN;
    return { flags, follows: new Int16Array(this.#ranks + 1) };
  }

  #fold({ flags, follows }: States, first: number, next: number): void {
    for (let index = first; index < next; index += 1) {
      const event = this.#timeline.event(index);
      const { node, kind } = event;
      if (node === null || node > this.#ranks) continue;
      if (kind === 'node.crashed') {
        flags[node] = DOWN;
        follows[node] = 0;
      } else if (kind === 'node.recovered' || kind === 'node.joined') flags[node] = 0;
      else if (kind === 'node.paused') flags[node] = PAUSED;
      else if (kind === 'node.resumed') flags[node] = 0;
      if (event.follows !== null) follows[node] = event.follows;
    }
  }
}

function copyOf({ flags, follows }: States): States {
  return { flags: flags.slice(), follows: follows.slice() };
}

/** Characters that are kept, at one byte each. */
const DETAIL_CHARACTERS_MAX = 48 * 1024 * 1024;
const EVENTS_PER_PIECE = 256;

/** Texts of events in pieces, the oldest of which are forgotten. */
export class Details {
  readonly #charactersMax: number;
  /** The JSON of the events of each piece; null if forgotten. */
  readonly #pieces: (string | null)[] = [];
  #open: ElectionEvent[] = [];
  #characters = 0;
  #forgotten = 0;

  constructor(charactersMax = DETAIL_CHARACTERS_MAX) {
    this.#charactersMax = charactersMax;
  }

  /** Adds the next event. */
  add(event: ElectionEvent): void {
    this.#open.push(event);
    if (this.#open.length < EVENTS_PER_PIECE) return;
    const text = JSON.stringify(this.#open);
    this.#open = [];
    this.#pieces.push(text);
    this.#characters += text.length;
    while (this.#characters > this.#charactersMax && this.#forgotten < this.#pieces.length) {
      this.#characters -= this.#pieces[this.#forgotten]?.length ?? 0;
      this.#pieces[this.#forgotten] = null;
      this.#forgotten += 1;
    }
  }

  /** The event of this number; null if it is not kept. */
  event(seq: number): ElectionEvent | null {
    const piece = Math.floor(seq / EVENTS_PER_PIECE);
    const slot = seq % EVENTS_PER_PIECE;
    if (piece === this.#pieces.length) return this.#open[slot] ?? null;
    const text = this.#pieces[piece] ?? null;
    if (text === null) return null;
    // The text of a piece was written by this class.
    const events = JSON.parse(text) as readonly ElectionEvent[];
    return events[slot] ?? null;
  }
}
