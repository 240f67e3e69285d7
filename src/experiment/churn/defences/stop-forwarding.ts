/**
 * @module
 * Nodes stop forwarding for an ID that has not solved a puzzle for some time.
 */

import { defineChurnDefence, ENTRANCE_ONLY, hardnessSetting, timeSetting } from '../defence.ts';

export const STOP_FORWARDING = defineChurnDefence({
  name: 'stop-forwarding',
  summary:
    'An ID that joins solves a puzzle of fixed hardness, and an easier one whenever a time is over. Without it the others stop forwarding for the ID, which is then no member.',
  source:
    'this lab: SybilControl, where each ID has a time of its own for its puzzle, and the entrance is harder',
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
