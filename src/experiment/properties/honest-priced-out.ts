/**
 * @module
 * Most honest nodes can no longer afford an identity.
 */

import { defineProperty, isForged, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';

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
    ...NO_JUDGES,
    epochs(epochs, honest) {
      const ranking = epochs.at(-1)?.ranking ?? [];
      return 2 * ranking.filter((member) => !isForged(member)).length < honest;
    },
  },
  closedForms: NO_CLOSED_FORMS,
});
