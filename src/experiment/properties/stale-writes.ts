/**
 * @module
 * The resource accepts writes of leaders that another node has replaced, by the order in which they took the lead. A
 * fence does not prevent those that arrive before the first operation of the other (late-writes.ts).
 */

import { defineProperty } from './property.ts';

export const STALE_WRITES = defineProperty({
  name: 'stale-writes',
  description:
    'the resource accepts writes of a leader that another has replaced, whether or not the other has written',
  happened: () => 'the resource accepted writes of a replaced leader',
  needsResource: true,
  isCounted: false,
  aim: 'outlive-lease',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: ({ staleWrites }) => staleWrites > 0,
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
