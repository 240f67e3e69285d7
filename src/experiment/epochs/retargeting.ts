/**
 * @module
 * The difficulty of the next epoch, if it follows the joins.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { assertInteger } from '../theory/assertions.ts';

/**
 * Difficulty that follows the joins: it increases by the logarithm of the ratio to the target, within a bounded
 * step. The bound slows down an adversary that joins in masses to raise the price, or stays away to lower it.
 */
export interface Retargeting {
  /** Target number of joins in an epoch, above 0. */
  readonly targetJoins: number;
  /** Most bits of change from one epoch to the next, an integer of at least 1. */
  readonly stepBitsMax: number;
}

/** The bits of the next epoch, an integer in 0..256, after an epoch of `bits` with this number of joins. */
export function retargetedBits(
  { bits, joins }: { readonly bits: number; readonly joins: number },
  { targetJoins, stepBitsMax }: Retargeting,
): number {
  if (!(targetJoins > 0))
    throw new RangeError(`"targetJoins" expected above 0, got ${targetJoins}`);
  assertInteger('stepBitsMax', stepBitsMax, { least: 1 });
  const wanted = Math.round(Math.log2(joins / targetJoins));
  const step = Math.min(stepBitsMax, Math.max(-stepBitsMax, wanted));
  return Math.min(PUZZLE_BITS_MAX, Math.max(0, bits + step));
}
