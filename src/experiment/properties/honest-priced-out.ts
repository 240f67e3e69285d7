/**
 * @module
 * Most honest nodes can no longer afford an identity.
 */

import { defineProperty, isForged } from './property.ts';

export const HONEST_PRICED_OUT = defineProperty({
  name: 'honest-priced-out',
  description: 'in the last epoch fewer than half of the honest nodes have a claim that counts',
  happened: () => 'fewer than half of the honest nodes kept an identity',
  needsResource: false,
  isCounted: false,
  aim: 'capture',
  epochs: { wants: 'many', when: 'each' },
  underAttack: 'holds',
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: null,
    epochs(epochs, honest) {
      const ranking = epochs.at(-1)?.ranking ?? [];
      return 2 * ranking.filter((member) => !isForged(member)).length < honest;
    },
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: null,
    epochs: null,
  },
});
