/**
 * @module
 * The resource accepts writes that arrive after an operation of a later leader. A fence prevents them.
 */

import { defineProperty } from './property.ts';
import { isSeen } from './sighting.ts';

export const LATE_WRITES = defineProperty({
  name: 'late-writes',
  description:
    'the resource accepts writes of a replaced leader after a write of a later one, which a fence prevents',
  happened: () => 'the resource accepted writes of a replaced leader after those of a later one',
  needsResource: true,
  isCounted: false,
  aim: 'outlive-lease',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: (seen) => isSeen('late-writes', seen),
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
