/**
 * @module
 * Walks through the worlds of a check by the indexes of an address.
 */

import type { CheckRequest } from '../../checking/check-request.ts';
import { walkedOf } from '../../checking/check-request.ts';
import { TooManyValuesError } from '../../checking/interner.ts';
import { Walk } from '../../checking/traces/walk.ts';
import { refusalAt, takeAt } from './counterexample.ts';
import type { WalkedWorld } from './walked-world.ts';
import { worldParts } from './walked-world.ts';

/**
 * Possible actions of a world on the way to an address. Twelve nodes have 2047 partitions. A part of the work lists the
 * actions of a world, which takes 30 ms for this number of them.
 */
export const WALKED_ACTIONS_MAX = 2400;

/**
 * The world at an address, in parts between which other work can be done. Throws LabError `check.address` for an
 * action that is not possible, and `job.size` for a world that is too large.
 */
export function* worldAt(
  request: CheckRequest,
  address: readonly number[],
): Generator<void, WalkedWorld> {
  let taken = 0;
  try {
    const { instance, ...judged } = walkedOf(request);
    const walk = new Walk({ ...judged, instance: { ...instance, actionsMax: WALKED_ACTIONS_MAX } });
    for (const index of address) {
      yield;
      takeAt(walk, taken, index);
      taken += 1;
    }
    yield;
    return yield* worldParts(walk);
  } catch (error) {
    if (!(error instanceof TooManyValuesError)) throw error;
    throw refusalAt('job.size', taken, error.message);
  }
}
