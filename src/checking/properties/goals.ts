/**
 * @module
 * The goals of an adversary, each a `sometimes` property by the signs with which attacks are judged
 * (adversary/followed.ts). A world has no duration: a split, or a lack of leaders, lasts if the world is at rest.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { Followed } from '../../adversary/followed.ts';
import { followedAmong, isSplit, servingLeader } from '../../adversary/followed.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { Timing } from '../../election/timing.ts';
import type { CheckedProperty, WorldView } from '../property.ts';
import { FENCED_WRITES } from './fenced-writes.ts';
import { honestLive, listed } from './followers.ts';
import { ONE_LEADER_PER_EPOCH } from './one-leader-per-epoch.ts';

export const GOAL_NAMES = ['leader', 'no-leader', 'split', 'stale-writes'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

export interface Goal {
  /** What an adversary with this goal aims at. */
  readonly aim: Aim;
  /** Holds in a world in which the goal is reached. */
  readonly property: CheckedProperty;
  /** What such a world shows, as words that follow a colon. */
  readonly shown: (view: WorldView) => string;
  /** Why no world of these can show it, as a clause. Null if some may. */
  readonly unsupportedReason: (stage: GoalStage) => string | null;
}

/** The part of a check on which it depends whether a goal can show. */
export interface GoalStage {
  readonly protocol: Protocol;
  readonly flags: Flags;
  readonly timing: Timing;
  readonly resource: ResourceKind | null;
}

/** What all goals have in common. They are checked by name only. */
const GOAL = {
  kind: 'sometimes',
  ...{ partner: null, histories: [], readings: [] },
  claim: { unsupportedReason: () => null, matrix: null },
  breach: () => 'the adversary has not reached it',
} as const;

const ADVERSARY_LEADS: CheckedProperty = {
  ...GOAL,
  name: 'adversary-leads',
  description: 'all live honest nodes follow one live Byzantine node',
  holds: (view) => followed(view).isUsurped,
};

const NO_LEADER: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'no-leader',
  description: 'at rest some honest node is up, and no live leader is followed',
  holds: (view) => view.isAtRest && lacksLeader(view),
};

const SPLIT: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'split',
  description:
    'at rest live honest nodes follow different live leaders, or two of them led one epoch',
  histories: ONE_LEADER_PER_EPOCH.histories,
  holds: (view) => (view.isAtRest && isSplit(followed(view))) || !ONE_LEADER_PER_EPOCH.holds(view),
};

const STALE_WRITES: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'stale-writes',
  description: 'the resource accepts a write of a leader that has been replaced',
  readings: FENCED_WRITES.readings,
  holds: (view) => !FENCED_WRITES.holds(view),
};

export const GOALS: Readonly<Record<GoalName, Goal>> = {
  leader: {
    aim: 'lead',
    property: ADVERSARY_LEADS,
    shown: (view) =>
      `every live honest node follows node ${listed(followed(view).live)}, which is Byzantine`,
    unsupportedReason: () => null,
  },
  'no-leader': {
    aim: 'stop',
    property: NO_LEADER,
    shown(view) {
      const { live } = followed(view);
      const without = honestLive(view).filter(({ leader }) => !live.includes(leader ?? 0));
      return without.length === 0
        ? `at rest, node ${listed(live)} is followed, but does not lead`
        : `at rest, no live leader is followed by ${listed(without.map(({ rank }) => rank))}`;
    },
    unsupportedReason: (stage) => restless(stage, 'leader-elected'),
  },
  split: {
    aim: 'split',
    property: SPLIT,
    shown: (view) =>
      ONE_LEADER_PER_EPOCH.holds(view)
        ? `at rest, honest nodes follow ${listed(followed(view).live.toSorted((one, other) => one - other))}`
        : ONE_LEADER_PER_EPOCH.breach(view),
    unsupportedReason: (stage) =>
      stage.protocol.unique === 'epoch' ? null : restless(stage, 'one-leader'),
  },
  'stale-writes': {
    aim: 'outlive-lease',
    property: STALE_WRITES,
    shown: (view) => FENCED_WRITES.breach(view),
    unsupportedReason: ({ protocol, resource }) =>
      FENCED_WRITES.claim.unsupportedReason(protocol, resource),
  },
};

/** The property that the goal is never reached. It is violated by an example that reaches it. */
export function neverReached({ property, shown }: Goal): CheckedProperty {
  const holds = (view: WorldView) => !property.holds(view);
  return { ...property, kind: 'always', isGoal: true, holds, breach: shown };
}

function followed({ nodes, byzantine }: WorldView): Followed {
  return followedAmong(nodes, byzantine);
}

/** Whether no leader serves, and honest nodes are not divided between several. */
function lacksLeader(view: WorldView): boolean {
  const found = followed(view);
  return honestLive(view).length > 0 && servingLeader(found) === null && !isSplit(found);
}

function restless({ protocol, flags, timing }: GoalStage, instead: string): string | null {
  if ((protocol.steadyTicks?.(timing, flags) ?? null) === null) return null;
  return `its leader repeats messages or a timer for ever, so that no world is at rest: check --property ${instead}`;
}
