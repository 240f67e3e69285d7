/**
 * @module
 * The highest live node wins, as election/properties.ts defines it for protocols that elect by rank. Nodes that
 * follow a leader that is down do not violate it: that they have no other leader is a matter of liveness. A Byzantine leader may be higher.
 */

import type { CheckedProperty, WorldView } from '../property.ts';
import { followedIn, highestLive, listed } from './followers.ts';

export const HIGHEST_WINS: CheckedProperty = {
  name: 'highest-wins',
  kind: 'always',
  description:
    'at rest no honest live node follows a live node that ranks below another honest live node',
  claim: {
    unsupportedReason: ({ elects }) =>
      elects === 'highest' ? null : 'it does not elect the highest node',
    matrix: ['S2', 'S3'],
  },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  holds: (view) => !view.isAtRest || lowerIn(view).length === 0,
  breach: (view) =>
    `at rest, honest live nodes follow ${listed(lowerIn(view))}, but ${highestLive(view)} is up`,
};

/** The live leaders that live honest nodes follow, and that are lower than the highest of those. */
function lowerIn(view: WorldView): readonly number[] {
  const highest = highestLive(view);
  return [...followedIn(view)].filter(
    (rank) => rank < highest && view.nodes[rank - 1]?.up === true,
  );
}
