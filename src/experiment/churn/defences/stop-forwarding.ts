/**
 * @module
 * Nodes stop forwarding for an ID that has not solved a puzzle for some time.
 */

import { defineChurnDefence, ENTRANCE_ONLY, hardnessSetting, timeSetting } from '../defence.ts';

export const STOP_FORWARDING = defineChurnDefence({
  name: 'stop-forwarding',
  summary:
    'An ID that joins solves a puzzle of fixed hardness, and an easier one at regular intervals. Otherwise the others stop forwarding for the ID, which is then no member.',
  source:
    'this lab: SybilControl with a harder entrance, in which the intervals of each ID begin when it joins',
  settings: {
    hardness: hardnessSetting(16, 'hardness of the puzzle of an ID that joins'),
    renewal: hardnessSetting(1, 'hardness of its further puzzles'),
    every: timeSetting(3600, 'time from one puzzle to the next'),
  },
  rules: ({ hardness, renewal, every }) => ({
    ...ENTRANCE_ONLY,
    ...{ hardness, renewal, lifetimeS: every },
  }),
  bound: null,
});
