/**
 * @module
 * What all of Raft's rules work with: terms that only rise, the way back to being a follower, and the
 * election time-out, drawn from a range so that few stand at once (Ongaro and Ousterhout 2014, section
 * 5.2). Nothing here decides anything.
 */

import type { NumberFlags } from '../flags.ts';
import type { Effects, Rank, Self } from '../machine.ts';
import { silenceTicks } from '../timing.ts';
import type { RaftMessage, RaftState } from './raft-state.ts';
import { recordOf } from './raft-state.ts';

/**
 * - preVote: whether a node asks if it could win before it raises the term, so that one that hears
 *   nobody deposes nobody.
 * - checkQuorum: whether a leader that hears no majority for an election time-out steps down, and
 *   nobody who has heard a leader within one helps to replace it.
 */
export const RAFT_FLAGS = { preVote: ['off', 'on'], checkQuorum: ['off', 'on'] } as const;

const NUMBER_TICKS_MAX = 1_000_000_000;

/**
 * Drawn from a range as long as the shortest (Ongaro and Ousterhout have 150 to 300 ms), which is ten
 * heartbeats, as etcd advises.
 */
export const RAFT_NUMBERS = {
  electionTicks: {
    min: 1,
    max: NUMBER_TICKS_MAX,
    meaning: 'ticks of the shortest election time-out',
    byDefault: silenceTicks,
  },
  spreadTicks: {
    min: 1,
    max: NUMBER_TICKS_MAX,
    meaning: 'how many lengths of a time-out there are, one tick apart; 1 leaves nothing to chance',
    byDefault: (_timing, numberOf) => numberOf('electionTicks'),
  },
  heartbeatTicks: {
    min: 1,
    max: NUMBER_TICKS_MAX,
    meaning: 'ticks from one heartbeat of a leader to the next',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('electionTicks') / 10)),
  },
} as const satisfies NumberFlags;

export interface RaftOptions {
  readonly preVote: (typeof RAFT_FLAGS.preVote)[number];
  readonly checkQuorum: (typeof RAFT_FLAGS.checkQuorum)[number];
  readonly electionTicks: number;
  readonly spreadTicks: number;
  readonly heartbeatTicks: number;
  /** The index of a node's last log entry. All entries are of one term. */
  readonly lastIndexOf: (rank: Rank) => number;
}

/** Everything one step works with. */
export interface Step {
  readonly options: RaftOptions;
  readonly self: Self;
  readonly state: RaftState;
  readonly effects: Effects<RaftMessage>;
}

/** Somebody is ahead: whatever this node was in its own term, it is no more. */
export function hearTerm(step: Step, term: number): void {
  if (term <= step.state.term) return;
  enterTerm(step, term);
  save(step);
  unfollow(step);
}

/** Whom it follows and what is on disk are the caller's to set right. */
export function enterTerm(step: Step, term: number): void {
  step.state.term = term;
  step.state.votedFor = null;
  // Else whoever drew the longest could be kept from standing for ever by a neighbour that cannot win.
  step.state.timeoutTicks = 0;
  retire(step);
}

/** Becomes a follower. A candidate's election timer runs on; a leader had none. */
export function retire(step: Step): void {
  const { state, effects } = step;
  const led = state.role === 'leader';
  state.role = 'follower';
  state.granted = [];
  state.refused = [];
  state.active = [];
  if (!led) return;
  effects.cancelTimer('heartbeat');
  effects.cancelTimer('quorum');
  draw(step);
}

/** Follows nobody, and says so if it followed somebody. */
export function unfollow({ state, effects }: Step): void {
  if (state.leader === null) return;
  state.leader = null;
  effects.stepDown();
}

/** To every other member, the dead included. */
export function broadcast({ self, effects }: Step, message: RaftMessage): void {
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, message);
  }
}

/** Puts term and vote on disk, before anything that depends on them is sent. */
export function save({ state, effects }: Step): void {
  effects.persist(recordOf(state));
}

/** A fresh election time-out, from now on. */
export function draw({ state, effects, options }: Step): void {
  if (state.drawing) return;
  state.drawing = true;
  effects.choose(options.spreadTicks);
}

/** Starts the election timer with what was drawn; a number that nobody asked for is nothing. */
export function onDrawn({ state, effects, options }: Step, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  state.timeoutTicks = options.electionTicks + value;
  effects.setTimer('election', state.timeoutTicks, false);
}

/** The election time-out from the beginning: within a term the one it has drawn. */
export function restartTimer(step: Step): void {
  const { state, effects } = step;
  if (state.timeoutTicks === 0) draw(step);
  else if (!state.drawing) effects.setTimer('election', state.timeoutTicks, false);
}
