/**
 * @module
 * CCom: a puzzle of hardness 1 at the entrance, and a purge after a share of the members has changed.
 */

import { defineChurnDefence, ENTRANCE_ONLY, shareSetting } from '../defence.ts';

export const CCOM = defineChurnDefence({
  name: 'ccom',
  summary:
    'An ID that joins solves a puzzle of hardness 1. After a share of the members has joined or left, all solve one again.',
  source:
    'Gupta, Saia and Young, Proof of Work Without All the Work (2018); the share is that of Ergo, as in its comparison',
  settings: {
    purge: shareSetting(1 / 11, 'joins and departures before a purge, as a share of the members'),
  },
  rules: ({ purge }) => ({ ...ENTRANCE_ONLY, purgeAt: purge }),
  bound: { formula: 'T + J', of: (adversary, joins) => adversary + joins },
});
