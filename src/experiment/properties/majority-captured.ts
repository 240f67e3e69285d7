/**
 * @module
 * Adversaries hold a majority of the identities.
 */

import { majorityTheory } from '../theory/expected-capture.ts';
import { defineProperty, isForged, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';

export const MAJORITY_CAPTURED = defineProperty({
  name: 'majority-captured',
  description: 'adversaries hold more than half of all identities, which is a quorum',
  happened: (subject) => `${subject} held a majority of the identities`,
  needsResource: false,
  isCounted: false,
  aim: 'capture',
  underAttack: 'holds',
  judges: {
    ...NO_JUDGES,
    ranking: ({ members }) => 2 * members.filter(isForged).length > members.length,
  },
  closedForms: { ...NO_CLOSED_FORMS, ranking: majorityTheory },
});
