/**
 * @module
 * SybilControl: neighbours ask each other for a puzzle again and again.
 */

import { defineChurnDefence, ENTRANCE_ONLY, timeSetting } from '../defence.ts';

export const SYBIL_CONTROL = defineChurnDefence({
  name: 'sybil-control',
  summary:
    'An ID that joins solves a puzzle of hardness 1, and then one in each period, which serves all of its neighbours. Otherwise it is no member.',
  source:
    'Li, Mittal, Caesar and Borisov, SybilControl (2012); the period of 5 s is ours, and all tests are at one time',
  settings: { every: timeSetting(5, 'time from one puzzle to the next') },
  rules: ({ every }) => ({ ...ENTRANCE_ONLY, everyS: every }),
  bound: null,
});
