/**
 * @module
 * The highest live node wins, as election/properties.ts defines it for protocols that elect by rank.
 */

import type { CheckedProperty } from '../property.ts';
import { followedIn, highestLive, listed } from './followers.ts';

export const HIGHEST_WINS: CheckedProperty = {
  name: 'highest-wins',
  kind: 'always',
  description: 'at rest each node that follows a leader follows the highest live node',
  claim: {
    unsupportedReason: ({ elects }) =>
      elects === 'highest' ? null : 'it does not elect the highest node',
    matrix: ['S2', 'S3'],
  },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  holds(view) {
    if (!view.isAtRest) return true;
    const highest = highestLive(view);
    return [...followedIn(view)].every((rank) => rank === 0 || rank === highest);
  },
  breach: (view) =>
    `at rest, live nodes follow ${listed([...followedIn(view)].filter((rank) => rank > 0))}, but ${highestLive(view)} is up`,
};
