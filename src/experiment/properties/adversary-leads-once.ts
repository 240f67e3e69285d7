/**
 * @module
 * An adversary leads at least one of several epochs.
 */

import { anyEpochTheory } from '../theory/epoch-odds.ts';
import { defineProperty } from './property.ts';

export const ADVERSARY_LEADS_ONCE = defineProperty({
  name: 'adversary-leads-once',
  description: 'an adversary has the highest rank in at least one of the epochs',
  happened: (subject) => `${subject} led at least one epoch`,
  needsResource: false,
  isCounted: false,
  aim: 'lead',
  epochs: { wants: 'top', when: 'each' },
  underAttack: 'holds',
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: null,
    epochs: (epochs) => epochs.some(({ leader }) => leader === 'adversary'),
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: null,
    epochs: anyEpochTheory,
  },
});
