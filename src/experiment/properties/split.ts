/**
 * @module
 * Honest nodes follow two leaders at once.
 */

import { defineProperty, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';
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
  judges: {
    ...NO_JUDGES,
    watched: (seen) => isSeen('split', seen) || isSeen('epoch-shared', seen),
  },
  closedForms: NO_CLOSED_FORMS,
});
