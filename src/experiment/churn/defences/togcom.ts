/**
 * @module
 * ToGCom: the precursor of Ergo, whose estimate waits for more members to change.
 */

import { defineChurnDefence } from '../defence.ts';
import { ERGO } from './ergo.ts';

export const TOGCOM = defineChurnDefence({
  ...ERGO,
  name: 'togcom',
  summary: 'As Ergo, but with a new estimate only after 3/5 of the members differ.',
  source:
    'Gupta, Saia and Young, ToGCom: An Asymmetric Sybil Defense (2020); the share 3/5 is ours',
  settings: { ...ERGO.settings, estimate: { ...ERGO.settings.estimate, initial: 3 / 5 } },
});
