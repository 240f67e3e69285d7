/**
 * @module
 * Termination, as election/properties.ts defines it, in some world of every execution.
 */

import type { CheckedProperty, WorldView } from '../property.ts';
import { followedIn, honestLive, listed } from './followers.ts';

function isElected(view: WorldView): boolean {
  const [leader = 0, ...others] = followedIn(view);
  return leader !== 0 && others.length === 0 && view.nodes[leader - 1]?.up === true;
}

export const LEADER_ELECTED: CheckedProperty = {
  name: 'leader-elected',
  kind: 'eventually',
  description: 'at some moment all live nodes follow one live leader',
  claim: { unsupportedReason: () => null, matrix: ['L'] },
  partner: null,
  histories: [],
  readings: [],
  holds: isElected,
  breach(view) {
    const without = honestLive(view).filter(({ leader }) => leader === null);
    return without.length > 0
      ? `nodes ${without.map(({ rank }) => rank).join(', ')} follow no leader`
      : `live nodes follow ${listed([...followedIn(view)])}`;
  },
};
