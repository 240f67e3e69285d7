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
