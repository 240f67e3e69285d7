/**
 * @module
 * The resource accepts writes of replaced leaders.
 */

import { defineProperty } from './property.ts';
import { isSeen } from './sighting.ts';

export const STALE_WRITES = defineProperty({
  name: 'stale-writes',
  description: 'the resource accepts writes of a leader that has been replaced',
  happened: () => 'the resource accepted writes of a replaced leader',
  needsResource: true,
  isCounted: false,
  aim: 'outlive-lease',
  underAttack: 'holds',
  judges: {
    election: null,
    top: null,
    watched: (seen) => isSeen('stale-writes', seen),
    ranking: null,
    epochs: null,
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: null,
    epochs: null,
  },
});
