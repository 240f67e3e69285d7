/**
 * @module
 * What an adversary wants of an election (experiment/staging/judgement.ts has the aims of simulated attacks), as
 * properties that no world may violate. So a search ends at the first world in which the adversary has it. They are
 * judged by the live honest nodes, and checked by name only.
 */

import type { CheckedProperty, WorldView } from '../property.ts';
import { followedIn, listed } from './followers.ts';

const COMMON = {
  kind: 'always',
  claim: { unsupportedReason: () => null, matrix: null },
  histories: [],
  readings: [],
} as const satisfies Partial<CheckedProperty>;

const NO_USURPER: CheckedProperty = {
  ...COMMON,
  name: 'no-usurper',
  partner: 'someone-leads',
  description: 'the live honest nodes never all follow one Byzantine node',
  holds: (view) => usurperIn(view) === null,
  breach: (view) => `every live honest node follows node ${usurperIn(view)}, which is Byzantine`,
};

const NO_SPLIT: CheckedProperty = {
  ...COMMON,
  name: 'no-split',
  partner: 'comes-to-rest',
  description: 'at rest no two live honest nodes follow different live leaders',
  holds: (view) => !view.isAtRest || liveLeaders(view).length < 2,
  breach: (view) => `at rest, live honest nodes follow ${listed(liveLeaders(view))}`,
};

const NO_STANDSTILL: CheckedProperty = {
  ...COMMON,
  name: 'no-standstill',
  partner: 'comes-to-rest',
  description: 'at rest some live honest node follows a live leader',
  holds: (view) => !view.isAtRest || liveLeaders(view).length > 0,
  breach: () => 'at rest, no live honest node follows a live leader',
};

/** What an adversary can want, and the property that says that it does not get it. */
export const ADVERSARY_GOALS = {
  leader: NO_USURPER,
  split: NO_SPLIT,
  'no-leader': NO_STANDSTILL,
} as const satisfies Readonly<Record<string, CheckedProperty>>;

export type AdversaryGoal = keyof typeof ADVERSARY_GOALS;

export const ADVERSARY_GOAL_NAMES = [
  'leader',
  'split',
  'no-leader',
] as const satisfies readonly AdversaryGoal[];

/** The live Byzantine node that all live honest nodes follow. Null if there is none. */
function usurperIn(view: WorldView): number | null {
  const [leader = 0, ...others] = followedIn(view);
  if (others.length > 0 || !view.byzantine.has(leader)) return null;
  return view.nodes[leader - 1]?.up === true ? leader : null;
}

/** The live leaders that live honest nodes follow. */
function liveLeaders(view: WorldView): number[] {
  return [...followedIn(view)].filter((rank) => view.nodes[rank - 1]?.up === true);
}
