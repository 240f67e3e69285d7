/**
 * @module
 * The properties that the checker knows: those of election/properties.ts as predicates over worlds, each with its
 * `sometimes` partner.
 */

import type { ProtocolFacts } from '../election/definition/protocol.ts';
import type { CheckedProperty, WorldView } from './property.ts';
import { honestLive } from './property.ts';

/** Live honest nodes that lead themselves. */
function leadersIn(view: WorldView): readonly number[] {
  return honestLive(view).flatMap(({ rank, leader }) => (leader === rank ? [rank] : []));
}

/** The ranks that live honest nodes follow, each once; 0 for none. */
function followedIn(view: WorldView): ReadonlySet<number> {
  return new Set(honestLive(view).map(({ leader }) => leader ?? 0));
}

function isElected(view: WorldView): boolean {
  const [leader = 0, ...others] = followedIn(view);
  return leader !== 0 && others.length === 0 && view.nodes[leader - 1]?.up === true;
}

function highestLive(view: WorldView): number {
  return Math.max(0, ...honestLive(view).map(({ rank }) => rank));
}

export const ONE_LEADER: CheckedProperty = {
  name: 'one-leader',
  kind: 'always',
  description: 'two live nodes never lead at the same time',
  claim: 'Bully: synchronous timing. Rings: every schedule, if no member joins.',
  needsEpochs: false,
  holds: (view) => leadersIn(view).length < 2,
  breach: (view) => `nodes ${leadersIn(view).join(' and ')} lead at the same time`,
};

export const ONE_LEADER_PER_EPOCH: CheckedProperty = {
  name: 'one-leader-per-epoch',
  kind: 'always',
  description: 'an epoch never has two leaders',
  claim: 'Every schedule, while disks and stores keep their data.',
  needsEpochs: true,
  holds: ({ epochBreach }) => epochBreach === null,
  breach: ({ epochBreach }) =>
    epochBreach === null
      ? 'no epoch has two leaders'
      : `nodes ${epochBreach.ranks.join(' and ')} both led epoch ${epochBreach.epoch}`,
};

export const AGREEMENT: CheckedProperty = {
  name: 'agreement',
  kind: 'always',
  description: 'at rest no two live nodes follow different leaders',
  claim: 'As one-leader, and no message is lost.',
  needsEpochs: false,
  holds: (view) => !view.isAtRest || [...followedIn(view)].filter((rank) => rank > 0).length < 2,
  breach: (view) => {
    const followed = [...followedIn(view)].filter((rank) => rank > 0);
    return `at rest, live nodes follow ${followed.join(' and ')}`;
  },
};

export const HIGHEST_WINS: CheckedProperty = {
  name: 'highest-wins',
  kind: 'always',
  description: 'at rest each node that follows a leader follows the highest live node',
  claim: 'Protocols that elect the highest node. Bully: synchronous timing; rings: no crash.',
  needsEpochs: false,
  holds: (view) => {
    if (!view.isAtRest) return true;
    const highest = highestLive(view);
    return [...followedIn(view)].every((rank) => rank === 0 || rank === highest);
  },
  breach: (view) =>
    `at rest, live nodes follow ${[...followedIn(view)].join(' and ')}, but ${highestLive(view)} is up`,
};

export const LEADER_ELECTED: CheckedProperty = {
  name: 'leader-elected',
  kind: 'eventually',
  description: 'at some moment all live nodes follow one live leader',
  claim: 'No message is lost. Bully: synchronous timing. Rings: no crash.',
  needsEpochs: false,
  holds: isElected,
  breach: (view) => {
    const without = honestLive(view).filter(({ leader }) => leader === null);
    return without.length > 0
      ? `nodes ${without.map(({ rank }) => rank).join(', ')} follow no leader`
      : `live nodes follow ${[...followedIn(view)].join(' and ')}`;
  },
};

export const SOMEONE_LEADS: CheckedProperty = {
  name: 'someone-leads',
  kind: 'sometimes',
  description: 'a live node leads',
  claim: 'Every protocol. Without it, the properties about leaders say nothing.',
  needsEpochs: false,
  holds: (view) => leadersIn(view).length > 0,
  breach: () => 'no node leads',
};

export const CHECKED_PROPERTIES: readonly CheckedProperty[] = [
  ...[ONE_LEADER, ONE_LEADER_PER_EPOCH, AGREEMENT, HIGHEST_WINS],
  ...[LEADER_ELECTED, SOMEONE_LEADS],
];

export const CHECKED_PROPERTY_NAMES = CHECKED_PROPERTIES.map(({ name }) => name);

/** The properties that a protocol with these facts claims. */
export function claimedBy({ unique, elects }: Pick<ProtocolFacts, 'unique' | 'elects'>) {
  const single = unique === 'epoch' ? ONE_LEADER_PER_EPOCH : ONE_LEADER;
  const highest = elects === 'highest' ? [HIGHEST_WINS] : [];
  return [single, AGREEMENT, ...highest, LEADER_ELECTED, SOMEONE_LEADS];
}
