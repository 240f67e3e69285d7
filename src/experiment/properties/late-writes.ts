/**
 * @module
 * The resource accepts writes that arrive after an operation of a later leader. A fence prevents them.
 */

import { defineProperty, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';
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
  judges: { ...NO_JUDGES, watched: (seen) => isSeen('late-writes', seen) },
  closedForms: NO_CLOSED_FORMS,
});
