/**
 * @module
 * Honest nodes follow two leaders at once.
 */

import { defineProperty } from './property.ts';
import { isSeen } from './sighting.ts';

export const SPLIT = defineProperty({
  name: 'split',
  description:
    'honest nodes follow two live leaders at once for longer than a change of leaders takes, or two nodes lead in one epoch',
  happened: () => 'two leaders were followed at once',
  needsResource: false,
  isCounted: false,
  aim: 'split',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: (seen) => isSeen('split', seen) || isSeen('epoch-shared', seen),
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
