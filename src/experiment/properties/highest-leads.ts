/**
 * @module
 * The highest node ID leads, whichever node owns it.
 */

import { defineProperty, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';

export const HIGHEST_LEADS = defineProperty({
  name: 'highest-leads',
  description: 'every node agrees on the highest node ID at the end',
  happened: () => 'the highest ID led',
  needsResource: false,
  isCounted: false,
  aim: 'stop',
  underAttack: 'fails',
  judges: {
    ...NO_JUDGES,
    election: ({ highestLeads }) => highestLeads,
    watched: ({ leader }, nodes) => leader === nodes,
  },
  closedForms: {
    ...NO_CLOSED_FORMS,
    election: () => ({
      probability: 1,
      formula: '1, as no fault keeps the highest ID from leading',
    }),
  },
});
