/**
 * @module
 * Which actions of a world the search carries out: all that are possible, or those that a reduction leaves.
 */

import type { Packed } from './layout.ts';
import type { Worlds } from './worlds.ts';

/** What a reduction may ask about the world that is explored. */
export interface Explored {
  /** The world. */
  readonly source: Packed;
  /**
   * Whether this successor was not explored before: it is new, or waits in the queue. Depth-first only new worlds
   * count. The answer is the same with any number of threads. The successor may be replaced by a renamed one.
   */
  readonly isOpen: (successor: Packed) => boolean;
}

/** Removes the actions that need not be explored in this world from `codes`, and keeps the order of the others. */
export type Reduction = (worlds: Worlds, explored: Explored, codes: number[]) => void;

/** Appends the codes of the actions that the search carries out in a world. */
export function expand(
  worlds: Worlds,
  explored: Explored,
  reduction: Reduction | null,
  codes: number[],
): void {
  worlds.enabled(explored.source, codes);
  worlds.faults(explored.source, codes);
  reduction?.(worlds, explored, codes);
}
