/**
 * @module
 * How a search ends, and why one ends before all worlds were visited.
 */

import type { CheckedProperty } from '../property.ts';

/** The limit that a search reached. */
export interface Cap {
  readonly cause: 'worlds' | 'memory' | 'choice' | 'values' | 'stopped' | 'walks';
  /** A clause. */
  readonly detail: string;
}

export type Outcome =
  /** Every world was visited. */
  | { readonly type: 'exhausted' }
  /** A limit was reached first, so that nothing is known of the rest. */
  | (Cap & { readonly type: 'capped' })
  | {
      readonly type: 'violated';
      readonly property: CheckedProperty;
      /** Codes of the actions from the first world to the violation. */
      readonly path: readonly number[];
      /** What is wrong in the last world, in words that follow a colon. */
      readonly breach: string;
    };

/** The successors of one world do not fit into the space for candidates. */
export const FULL: Cap = {
  cause: 'values',
  detail: 'the successors of a world take too much memory',
};

export function capOfWorlds(count: number): Cap {
  const detail = count === 1 ? '1 world was visited' : `${count} worlds were visited`;
  return { cause: 'worlds', detail };
}

/** `what` takes or take more than this number of bytes, as a clause without the number. */
export function capOfMemory(what: string, bytes: number): Cap {
  return { cause: 'memory', detail: `${what} ${Math.round(bytes / 2 ** 20)} MB` };
}

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
