/**
 * @module
 * A search between two blocks, as data from which another process goes on.
 */

/** A search that was interrupted, as data: with the buffers of its store it can go on. */
export interface Saved {
  /** Worlds in the store, and where its next record begins. */
  readonly size: number;
  readonly end: number;
  readonly next: number;
  readonly levelEnd: number;
  readonly depth: number;
  readonly transitions: number;
  readonly stack: readonly number[];
  /** Actions from the first world to each of the stack. */
  readonly depths: readonly number[];
  readonly numbering: readonly number[];
  readonly steps: readonly number[];
  readonly witnesses: readonly (readonly [property: string, world: number])[];
}

/** Where a search goes on, and what fills the buffers of its store. */
export interface Resumed {
  readonly saved: Saved;
  readonly fill: (buffer: Uint8Array) => void;
}
