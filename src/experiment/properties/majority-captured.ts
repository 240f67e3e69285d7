/**
 * @module
 * Adversaries hold a majority of the identities.
 */

import { majorityTheory } from '../theory/expected-capture.ts';
import { defineProperty, isForged } from './property.ts';

export const MAJORITY_CAPTURED = defineProperty({
  name: 'majority-captured',
  description: 'adversaries hold more than half of all identities, which is a quorum',
  happened: (subject) => `${subject} held a majority of the identities`,
  needsResource: false,
  isCounted: false,
  aim: 'capture',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: ({ members }) => 2 * members.filter(isForged).length > members.length,
    epochs: null,
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: majorityTheory,
    epochs: null,
  },
});
