/**
 * @module
 * The honest nodes agree on no leader that lasts.
 */

import { defineProperty } from './property.ts';
import { isSeen } from './sighting.ts';

export const NO_LEADER = defineProperty({
  name: 'no-leader',
  description: 'the honest nodes never agree on a live leader that lasts',
  happened: () => 'no leader lasted',
  needsResource: false,
  isCounted: false,
  aim: 'stop',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: (seen) => isSeen('leaderless', seen),
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
