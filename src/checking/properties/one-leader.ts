/**
 * @module
 * Uniqueness at a moment, as election/properties.ts defines it.
 */

import type { CheckedProperty } from '../property.ts';
import { leadersIn, listed } from './followers.ts';

export const ONE_LEADER: CheckedProperty = {
  name: 'one-leader',
  kind: 'always',
  description: 'two honest live nodes never lead at the same time',
  claim: {
    unsupportedReason: ({ unique }) =>
      unique === 'moment' ? null : 'it allows two leaders at a time, of different epochs',
    matrix: ['S1'],
  },
  partner: 'someone-leads',
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => leadersIn(view).length < 2,
  breach: (view) => `nodes ${listed(leadersIn(view))} lead at the same time`,
};
