/**
 * @module
 * This folder contains the defences under churn, one in each file. This one is the puzzle of fixed hardness at the
 * entrance.
 */

import { defineChurnDefence, ENTRANCE_ONLY, hardnessSetting } from '../defence.ts';

export const FIXED = defineChurnDefence({
  name: 'fixed',
  summary:
    'An ID that joins solves a puzzle of fixed hardness, and stays a member for as long as it wants.',
  source: 'S/Kademlia (Baumgart and Mies 2007), static puzzle',
  settings: { hardness: hardnessSetting(1, 'hardness of the puzzle') },
  rules: ({ hardness }) => ({ ...ENTRANCE_ONLY, hardness }),
  bound: { formula: 'J', of: (_adversary, joins) => joins },
});
