/**
 * @module
 * The highest node ID leads, whichever node owns it.
 */

import { defineProperty } from './property.ts';

export const HIGHEST_LEADS = defineProperty({
  name: 'highest-leads',
  description: 'every node agrees on the highest node ID at the end',
  happened: () => 'the highest ID led',
  needsResource: false,
  isCounted: false,
  aim: 'stop',
  underAttack: 'fails',
  epochs: null,
  judges: {
    election: ({ highestLeads }) => highestLeads,
    top: null,
    watched: ({ leader }, nodes) => leader === nodes,
    ranking: null,
    epochs: null,
  },
  closedForms: {
    election: () => ({
      probability: 1,
      formula: '1, as no fault keeps the highest ID from leading',
    }),
    watched: null,
    ranking: null,
    epochs: null,
  },
});
