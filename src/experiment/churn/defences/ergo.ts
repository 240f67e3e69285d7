/**
 * @module
 * Ergo: the hardness at the entrance counts the joins in a window whose length GoodJEst estimates, and a purge follows
 * after a share of the members has changed.
 */

import { defineChurnDefence, ENTRANCE_ONLY, shareSetting } from '../defence.ts';

export const ERGO = defineChurnDefence({
  name: 'ergo',
  summary:
    'An ID that joins solves a puzzle of hardness 1 plus the number of joins in the last 1/J seconds, where J estimates the join rate of honest IDs. After 1/11 of the members has joined or left, all solve one of hardness 1.',
  source: 'Gupta, Saia and Young, Bankrupting Sybil Despite Churn (2021)',
  settings: {
    purge: shareSetting(1 / 11, 'joins and departures before a purge, as a share of the members'),
    estimate: shareSetting(5 / 12, 'members that differ before a new estimate, as a share'),
  },
  rules: ({ purge, estimate }) => ({
    ...ENTRANCE_ONLY,
    window: 'estimate',
    estimateAt: estimate,
    purgeAt: purge,
  }),
  bound: {
    formula: '√(TJ) + J',
    of: (adversary, joins) => Math.sqrt(adversary * joins) + joins,
  },
});
