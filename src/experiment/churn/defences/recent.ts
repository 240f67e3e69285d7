/**
 * @module
 * A puzzle whose hardness is proportional to the number of recent joins.
 */

import { defineChurnDefence, ENTRANCE_ONLY, timeSetting } from '../defence.ts';

export const RECENT = defineChurnDefence({
  name: 'recent',
  summary:
    'An ID that joins solves a puzzle of hardness 1 plus the number of joins in a fixed time before it.',
  source: 'this lab: the entrance of Ergo with a fixed window, without purges',
  settings: { window: timeSetting(60, 'time in which joins raise the hardness') },
  rules: ({ window }) => ({ ...ENTRANCE_ONLY, window }),
  bound: null,
});
