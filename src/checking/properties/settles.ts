/**
 * @module
 * The election is over at some moment: it has a leader, or nothing more happens. A violation is an election that goes
 * on for ever. Fischer, Lynch and Paterson (1985) show that asynchronous consensus has such executions.
 */

import type { CheckedProperty } from '../property.ts';
import { LEADER_ELECTED } from './leader-elected.ts';

export const SETTLES: CheckedProperty = {
  ...LEADER_ELECTED,
  name: 'settles',
  description: 'at some moment all honest live nodes follow one live node, or nothing more happens',
  claim: { unsupportedReason: () => null, matrix: null },
  holds: (view) => view.isAtRest || LEADER_ELECTED.holds(view),
};
