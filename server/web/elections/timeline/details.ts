/**
 * @module
 * The whole events, as compact text. The newest are kept; older ones are fetched again when someone looks at them.
 */

import type { ElectionEvent } from './timeline.ts';

/** Characters that are kept, at one byte each. */
export const DETAIL_CHARACTERS_MAX = 48 * 1024 * 1024;
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
    // It was written by this class.
    const events = JSON.parse(text) as readonly ElectionEvent[];
    return events[slot] ?? null;
  }
}
