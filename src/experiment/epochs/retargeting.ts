/**
 * @module
 * Difficulty that follows the joins which a network observes: as many bits more as there were doubles
 * of the wanted number, fewer where there were too few, and never more than a bounded step an epoch.
 * The bound is what an adversary must respect that joins in masses to price honest nodes out (or that
 * stays away to make joining cheap): each step takes it an epoch.
 */

import { PUZZLE_BITS_MAX } from '../../identity/puzzles/puzzle.ts';
import { assertInteger } from '../theory/assertions.ts';

export interface Retargeting {
  /** Joins wanted in an epoch, above 0. */
  readonly targetJoins: number;
  /** The most bits by which one epoch differs from the last, an integer of at least 1. */
  readonly stepBitsMax: number;
}

/** The bits of the next epoch, an integer in 0..256, after one of `bits` with so many joins. */
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
