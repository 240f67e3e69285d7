/**
 * @module
 * Termination, as election/properties.ts defines it, in some world of every execution.
 */

import type { CheckedProperty, WorldView } from '../property.ts';
import { followedIn, followingText, honestLive, isDeserted, nodesText } from './followers.ts';

/** The property demands nothing while no node is up, as L of the fault matrix. */
function isElected(view: WorldView): boolean {
  if (isDeserted(view)) return true;
  const [leader = 0, ...others] = followedIn(view);
  return leader !== 0 && others.length === 0 && view.nodes[leader - 1]?.up === true;
}

export const LEADER_ELECTED: CheckedProperty = {
  name: 'leader-elected',
  kind: 'eventually',
  description: 'at some moment all honest live nodes follow one live node',
  claim: { unsupportedReason: () => null, matrix: ['L'] },
  partner: 'someone-leads',
  histories: [],
  readings: [],
  holds: isElected,
  breach(view) {
    const without = honestLive(view).filter(({ leader }) => leader === null);
    if (without.length === 0) return followingText(view);
    const verb = without.length === 1 ? 'follows' : 'follow';
    return `${nodesText(without.map(({ rank }) => rank))} ${verb} no leader`;
  },
};
