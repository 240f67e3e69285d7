/**
 * @module
 * The defences that a threat model and an attack can name: those of nodes, which their registry lists, and
 * those of the network, which are defined here.
 */

import type { Level } from '../../election/authentication/authenticated.ts';
import type { ResponseFacts } from '../../election/defences/defence.ts';
import type { DefenceName } from '../../election/defences/registry.ts';
import { DEFENCE_NAMES } from '../../election/defences/registry.ts';

interface NetworkDefinition {
  /** The code of the defence in the catalogue. */
  readonly code: string;
  /** The level of authentication that it is, which includes the levels below. */
  readonly level: Level | null;
  /** The flag that sets it. Null if it is named as a defence. */
  readonly flag: string | null;
  /** What it stops and what it costs. */
  readonly summary: string;
  /** Facts about the response, as the defences of nodes have them. */
  readonly response: ResponseFacts;
}

/** Defences of the network instead of its nodes. */
export const NETWORK_DEFENCES = {
  'channel-authentication': {
    response: { newcomers: 'admitted', ranks: 'by-id' },
    code: 'L1',
    level: 'L1',
    flag: '--level L1',
    summary:
      'Level L1: the network shows the sender of each message, so that no node sends as another; costs authenticated links, and statements about other nodes are believed as before.',
  },
  signatures: {
    response: { newcomers: 'admitted', ranks: 'by-id' },
    code: 'D1',
    level: 'L2',
    flag: '--level L2',
    summary:
      'Level L2: messages and candidacies are signed by keys that are bound to IDs, so that no node makes statements for others or names a node that does not exist; costs a signature for each message.',
  },
  freshness: {
    response: { newcomers: 'admitted', ranks: 'by-id' },
    code: 'D2',
    level: 'L3',
    flag: '--level L3',
    summary:
      'Level L3: the number of the election and a counter are also signed, so that no old message counts again; costs each node a table of the messages that it has received.',
  },
  'proof-of-work': {
    code: 'D13',
    response: { newcomers: 'admitted', ranks: 'by-id' },
    level: null,
    flag: '--c1 with more bits',
    summary:
      'More bits for newcomers (--c1), as many as make the same attempts forge nothing; each bit doubles the work of every honest newcomer.',
  },
  'beacon-rank': {
    response: { newcomers: 'admitted', ranks: 'drawn' },
    code: 'D4',
    level: null,
    flag: null,
    summary:
      'Ranks are SHA-256(beacon ‖ ID) under a beacon that is drawn after registration, so that no ID can be aimed at a rank; costs a beacon, and an adversary with k of n identities leads in k of n elections.',
  },
} as const satisfies Readonly<Record<string, NetworkDefinition>>;

export type NetworkDefence = keyof typeof NETWORK_DEFENCES;
export type AttackDefence = DefenceName | NetworkDefence;

/** In the order of the lists. The keys of an object are strings to the compiler: hence the `as`. */
export const NETWORK_DEFENCE_NAMES = Object.keys(NETWORK_DEFENCES) as readonly NetworkDefence[];

/** What `defences` may name. The others are set by the level and the difficulty. */
export type ChosenDefence = DefenceName | 'beacon-rank';

/** In the order of the lists. */
export const CHOSEN_DEFENCE_NAMES: readonly ChosenDefence[] = [...DEFENCE_NAMES, 'beacon-rank'];

/** The definition of a defence of the network. Undefined for other names. */
export function networkDefence(name: string): NetworkDefinition | undefined {
  return NETWORK_DEFENCE_NAMES.filter((each) => each === name).map(
    (each) => NETWORK_DEFENCES[each],
  )[0];
}
