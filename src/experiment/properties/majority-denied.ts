/**
 * @module
 * The honest nodes alone are no majority, so that they elect no leader if the adversaries' nodes do not vote.
 */

import { deniedTheory } from '../theory/expected-capture.ts';
import { defineProperty, isForged } from './property.ts';

export const MAJORITY_DENIED = defineProperty({
  name: 'majority-denied',
  description:
    'adversaries hold at least half of all identities, so that honest nodes alone are no quorum',
  happened: (subject) => `${subject} could deny the honest nodes a majority`,
  needsResource: false,
  isCounted: false,
  aim: 'capture',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: ({ members }) => 2 * members.filter(isForged).length >= members.length,
    epochs: null,
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: deniedTheory,
    epochs: null,
  },
});
