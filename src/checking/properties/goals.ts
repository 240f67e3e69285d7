/**
 * @module
 * The goals of an adversary, each a `sometimes` property by the signs with which attacks are judged
 * (adversary/followed.ts). A world has no duration: a split, or a lack of leaders, lasts if the world is at rest. For a
 * protocol that never rests, it lasts if a fair execution never leaves it again.
 */

import type { Aim } from '../../adversary/behaviours/behaviour.ts';
import type { Followed } from '../../adversary/followed.ts';
import { followedAmong, isSplit, servingLeader } from '../../adversary/followed.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import type { ResourceKind } from '../../election/lease/stores/resource.ts';
import type { Timing } from '../../election/timing.ts';
import type { CheckedProperty, WorldView } from '../property.ts';
import { FENCED_WRITES, STALE_WRITES, staleText } from './fenced-writes.ts';
import { honestLive, listed } from './followers.ts';
import { ONE_LEADER_PER_EPOCH } from './one-leader-per-epoch.ts';

export const GOAL_NAMES = ['leader', 'no-leader', 'split', 'stale-writes', 'late-writes'] as const;
export type GoalName = (typeof GOAL_NAMES)[number];

export interface Goal {
  /** What an adversary with this goal aims at. */
  readonly aim: Aim;
  /** Holds in a world in which the goal is reached. */
  readonly property: CheckedProperty;
  /** What such a world shows, as words that follow a colon. */
  readonly shown: (view: WorldView) => string;
  /** What is so in each world of an execution that never rests, and from which on it lasts. Null if it need not last. */
  readonly lasting: Sought | null;
  /** Why no world of these can show it, as a clause. Null if some may. */
  readonly unsupportedReason: (stage: GoalStage) => string | null;
}

/** What a search for a goal looks for. */
export interface Sought {
  readonly property: CheckedProperty;
  readonly shown: (view: WorldView) => string;
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
  partner: null,
  histories: [],
  readings: [],
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
  description:
    'at rest an honest node is up, honest nodes are not split, and no live leader is followed by all of them and itself',
  holds: (view) => view.isAtRest && lacksLeader(view),
};

const NO_LEADER_LASTS: CheckedProperty = {
  ...NO_LEADER,
  name: 'no-leader-lasts',
  description:
    'from some moment on an honest node is up, honest nodes are not split, and no live leader is followed by all of them and itself',
  holds: lacksLeader,
};

const SPLIT: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'split',
  description:
    'at rest two live honest nodes follow different live leaders, or two honest nodes have led the same epoch',
  histories: ONE_LEADER_PER_EPOCH.histories,
  holds: (view) => (view.isAtRest && isSplit(followed(view))) || !ONE_LEADER_PER_EPOCH.holds(view),
};

const SPLIT_LASTS: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'split-lasts',
  description: 'from some moment on live honest nodes follow different live leaders',
  holds: (view) => isSplit(followed(view)),
};

const STALE_WRITE: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'stale-writes',
  description: 'the resource accepts a write of a leader that has been replaced',
  histories: [STALE_WRITES],
  holds: (view) => view.pastOf(STALE_WRITES).stale !== null,
};

const LATE_WRITE: CheckedProperty = {
  ...GOAL,
  isSymmetric: true,
  name: 'late-writes',
  description: 'the resource accepts a write after an operation of a later leader',
  histories: FENCED_WRITES.histories,
  holds: (view) => !FENCED_WRITES.holds(view),
};

export const GOALS: Readonly<Record<GoalName, Goal>> = {
  leader: {
    aim: 'lead',
    property: ADVERSARY_LEADS,
    shown: (view) =>
      `every live honest node follows node ${listed(followed(view).live)}, which is Byzantine`,
    lasting: null,
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
    lasting: {
      property: NO_LEADER_LASTS,
      shown: () => 'from then on, there is no live leader that all live honest nodes follow',
    },
    unsupportedReason: () => null,
  },
  split: {
    aim: 'split',
    property: SPLIT,
    shown: (view) =>
      ONE_LEADER_PER_EPOCH.holds(view)
        ? `at rest, honest nodes follow ${leadersText(view)}`
        : ONE_LEADER_PER_EPOCH.breach(view),
    lasting: {
      property: SPLIT_LASTS,
      shown: (view) =>
        `from then on, honest nodes follow different live leaders, at first ${leadersText(view)}`,
    },
    unsupportedReason: () => null,
  },
  'stale-writes': writing(STALE_WRITE, staleText),
  'late-writes': writing(LATE_WRITE, FENCED_WRITES.breach),
};

function writing(property: CheckedProperty, shown: Goal['shown']): Goal {
  return {
    aim: 'outlive-lease',
    property,
    shown,
    lasting: null,
    unsupportedReason: ({ protocol, resource }) =>
      FENCED_WRITES.claim.unsupportedReason(protocol, resource),
  };
}

/** What a check of this stage looks for. If no world is at rest, only two leaders of one epoch are a split at once. */
export function soughtBy(name: GoalName, stage: GoalStage): readonly Sought[] {
  const goal = GOALS[name];
  if (goal.lasting === null || !isRestless(stage)) return [goal];
  return name === 'split' && stage.protocol.unique === 'epoch'
    ? [goal, goal.lasting]
    : [goal.lasting];
}

/** The properties that the goal is never reached. One is violated by an example that reaches it. */
export function neverReached(name: GoalName, stage: GoalStage): readonly CheckedProperty[] {
  return soughtBy(name, stage).map(({ property, shown }) => {
    const holds = (view: WorldView) => !property.holds(view);
    const never = { ...property, isGoal: true as const, holds, breach: shown };
    const isLasting = property === GOALS[name].lasting?.property;
    return isLasting
      ? { ...never, kind: 'eventually', recurs: true }
      : { ...never, kind: 'always' };
  });
}

function followed({ nodes, byzantine }: WorldView): Followed {
  return followedAmong(nodes, byzantine);
}

/** Whether no leader serves, and honest nodes are not divided between several. */
function lacksLeader(view: WorldView): boolean {
  const found = followed(view);
  return honestLive(view).length > 0 && servingLeader(found) === null && !isSplit(found);
}

/** Whether a leader repeats messages or a timer for ever, so that no world with one is at rest. */
function isRestless({ protocol, flags, timing }: GoalStage): boolean {
  // Whether it is null depends on the flags alone.
  return (protocol.steadyTicks?.(timing, flags, 1) ?? null) !== null;
}

function leadersText(view: WorldView): string {
  return listed(followed(view).live.toSorted((one, other) => one - other));
}
