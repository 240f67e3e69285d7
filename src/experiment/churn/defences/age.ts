/**
 * @module
 * IDs retire: each is valid for a limited time, and must then be earned again.
 */

import { defineChurnDefence, ENTRANCE_ONLY, hardnessSetting, timeSetting } from '../defence.ts';

export const AGE = defineChurnDefence({
  name: 'age',
  summary:
    'An ID costs a puzzle of fixed hardness and is valid for a limited time. Then its owner earns a new one.',
  source: 'this lab: IDs that expire, as with the epochs of threat models',
  settings: {
    hardness: hardnessSetting(1, 'hardness of the puzzle'),
    lifetime: timeSetting(86_400, 'time for which an ID is valid'),
  },
  rules: ({ hardness, lifetime }) => ({ ...ENTRANCE_ONLY, hardness, lifetimeS: lifetime }),
  bound: null,
});
