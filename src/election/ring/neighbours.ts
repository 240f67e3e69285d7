/**
 * @module
 * Where a ring node sends: to its nearest neighbour clockwise.
 */

import type { Rank, Self } from '../machine.ts';

/** The next node clockwise; a node alone in its ring is its own. */
export function successor(self: Self): Rank {
  return self.successors[0] ?? self.rank;
}
