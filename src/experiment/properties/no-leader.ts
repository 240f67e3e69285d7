/**
 * @module
 * The honest nodes agree on no leader that lasts.
 */

import { defineProperty, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';
import { isSeen } from './sighting.ts';

export const NO_LEADER = defineProperty({
  name: 'no-leader',
  description: 'the honest nodes never agree on a live leader that lasts',
  happened: () => 'no leader lasted',
  needsResource: false,
  isCounted: false,
  aim: 'stop',
  underAttack: 'holds',
  judges: { ...NO_JUDGES, watched: (seen) => isSeen('leaderless', seen) },
  closedForms: NO_CLOSED_FORMS,
});
