/**
 * @module
 * At some moment a node leads. It is weaker than that all nodes follow a leader, which no protocol can reach if links
 * between nodes and the leader are missing.
 */

import type { CheckedProperty } from '../property.ts';
import { isDeserted } from './followers.ts';
import { SOMEONE_LEADS } from './someone-leads.ts';

export const LEADER_APPEARS: CheckedProperty = {
  ...SOMEONE_LEADS,
  name: 'leader-appears',
  kind: 'eventually',
  description: 'at some moment an honest live node leads',
  claim: { unsupportedReason: () => null, matrix: null },
  partner: 'someone-leads',
  holds: (view) => isDeserted(view) || SOMEONE_LEADS.holds(view),
};
