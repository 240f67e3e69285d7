/**
 * @module
 * The names of defences in a threat model and in an attack: defences of nodes come from their registry,
 * defences of the network are listed here.
 */

import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';

/** Of the network, not of its nodes: name, code in the catalogue of defences, what it stops and costs. */
export const NETWORK_DEFENCES = {
  'channel-authentication': {
    code: 'L1',
    summary:
      'Level L1: the network shows who a message is from, so that nobody sends as another; costs authenticated links, and what is said of others is believed as before.',
  },
  signatures: {
    code: 'D1',
    summary:
      'Level L2: messages and candidacies are signed by keys that are bound to IDs, so that nobody speaks for others or names a node that is none; costs a signature for each message.',
  },
  freshness: {
    code: 'D2',
    summary:
      'Level L3: the number of the election and a counter are signed too, so that what was said once is not said again; costs each node a table of what it has heard.',
  },
  'proof-of-work': {
    code: 'D8',
    summary:
      'More bits for newcomers (--c1), so many that the same attempts forge nothing; costs every honest newcomer twice the work a bit.',
  },
  'beacon-rank': {
    code: 'D4',
    summary:
      'Ranks are SHA-256(beacon ‖ ID) under a beacon that is drawn when all are registered, so that no ID can be aimed at a rank; costs a beacon, and an adversary with k of n identities leads as often as k of n.',
  },
} as const;

export type NetworkDefence = keyof typeof NETWORK_DEFENCES;

/** In the order of the lists. The keys of an object are strings to the compiler: hence the `as`. */
export const NETWORK_DEFENCE_NAMES = Object.keys(NETWORK_DEFENCES) as readonly NetworkDefence[];

/** What `defences` of an attack may name: the others are said by its level and its difficulty. */
export type ChosenDefence = DefenceName | 'beacon-rank';

/** In the order of the lists. */
export const CHOSEN_DEFENCE_NAMES: readonly ChosenDefence[] = [...DEFENCE_NAMES, 'beacon-rank'];
