/**
 * @module
 * Fast leader election, Zab's phase 0: every looking node says whom it votes for, takes over a better
 * vote, and is done when a quorum of one round agrees with it and no better vote came for a while. It
 * makes a hint of who may lead, not a leader: that needs a quorum's promises (A. Medeiros 2012,
 * "ZooKeeper's atomic broadcast protocol", section 3; P. Hunt et al. 2010, "ZooKeeper", USENIX ATC).
 */

import type { Rank } from '../machine.ts';
import { majorityOf } from './majority.ts';
import type { Next, Notification, Vote, ZabStep } from './zab-state.ts';

/** Below, at or above 0: by epoch, then by log, then by rank. Equal only for the same vote. */
export function compareVotes(one: Vote, other: Vote): number {
  if (one.peerEpoch !== other.peerEpoch) return one.peerEpoch - other.peerEpoch;
  if (one.zxid !== other.zxid) return one.zxid - other.zxid;
  if (one.leader === other.leader) return 0;
  return one.leader > other.leader ? 1 : -1;
}

/** Begins a round, with a vote for itself; whoever it followed or led is no longer its leader. */
export function look(context: ZabStep): void {
  const { ticks, state } = context;
  if (state.phase !== 'idle') leave(context);
  state.phase = 'looking';
  state.known = [];
  state.knownEpochMax = 0;
  state.box = {};
  state.finalizing = false;
  state.notifyTicks = ticks.finalizeWaitTicks;
  enterRound(context, state.round + 1, ownVote(context));
}

/** A notification reaches a node that is looking. */
export function hear(context: ZabStep, from: Rank, notification: Notification): Next {
  const { self, state } = context;
  if (!self.members.includes(notification.leader)) return 'stay';
  if (notification.state !== 'LOOKING') {
    state.box[from] = notification;
    if (isJoinable(context, notification.leader)) return join(context, notification.leader);
  } else if (!hearLooking(context, from, notification)) {
    return 'stay';
  }
  const isForOwn = notification.leader === state.vote.leader;
  if (isForOwn && !state.finalizing && hasQuorum(context)) finalize(context);
  return 'stay';
}

/** Its vote has brought no quorum, so notifications may be lost: once more, and ever less often. */
export function notifyAgain(context: ZabStep): void {
  const { ticks, state } = context;
  if (state.finalizing) return;
  state.notifyTicks = Math.min(2 * state.notifyTicks, ticks.silenceTicks);
  notifyAll(context);
}

/** No better vote came: the election is over for this node. */
export function conclude({ self, state }: ZabStep): Next {
  if (!state.finalizing) return 'stay';
  state.finalizing = false;
  return state.vote.leader === self.rank ? 'lead' : 'follow';
}

/** What it says to others of itself. */
export function ownNotification({ self, state }: ZabStep): Notification {
  const { leader, zxid, peerEpoch } = state.vote;
  const settled = leader === self.rank ? 'LEADING' : 'FOLLOWING';
  return {
    type: 'NOTIFICATION',
    leader,
    zxid,
    peerEpoch,
    round: state.round,
    state: state.phase === 'looking' ? 'LOOKING' : settled,
  };
}

function leave({ self, state, effects }: ZabStep): void {
  if (state.phase === 'broadcast') effects.stepDown();
  effects.cancelTimer('silence');
  effects.cancelTimer(state.vote.leader === self.rank ? 'heartbeat' : 'retry');
}

/** Whether the vote counts: one of an older round is answered instead. */
function hearLooking(context: ZabStep, from: Rank, notification: Notification): boolean {
  const { state, effects } = context;
  if (notification.round < state.round) {
    effects.send(from, ownNotification(context));
    // Whatever leader it spoke of, it has none now.
    delete state.box[from];
    return false;
  }
  if (notification.round > state.round) {
    const own = ownVote(context);
    enterRound(context, notification.round, better(notification, own));
  } else if (compareVotes(notification, state.vote) > 0) {
    voteFor(context, notification);
  }
  const before = state.box[from];
  // Votes of one round only improve: on a link that reorders, a worse one is an older one; and
  // a round is over for whoever has found a leader in it.
  const isOlder =
    before !== undefined &&
    before.round === notification.round &&
    (before.state !== 'LOOKING' || compareVotes(before, notification) > 0);
  if (!isOlder) state.box[from] = notification;
  return true;
}

/** Votes of older rounds are void; what nodes with a leader said is not. */
function enterRound(context: ZabStep, round: number, vote: Vote): void {
  const { state } = context;
  state.round = round;
  for (const [sender, { state: said }] of Object.entries(state.box)) {
    if (said === 'LOOKING') delete state.box[sender];
  }
  voteFor(context, vote);
}

function voteFor(context: ZabStep, { leader, zxid, peerEpoch }: Vote): void {
  const { self, state, effects } = context;
  state.vote = { leader, zxid, peerEpoch };
  if (state.finalizing) effects.cancelTimer('finalize');
  state.finalizing = false;
  notifyAll(context);
  if (majorityOf(self) === 1) finalize(context);
}

function finalize({ ticks, state, effects }: ZabStep): void {
  state.finalizing = true;
  effects.cancelTimer('notify');
  effects.setTimer('finalize', ticks.finalizeWaitTicks, false);
}

/**
 * Whether a leader is there already: it says so itself and is followed by a quorum. The votes of its
 * round, this node's too, count as if they followed; those who do follow may have found it in an older
 * round, and waited while it looked on.
 */
function isJoinable({ self, state }: ZabStep, leader: Rank): boolean {
  const word = state.box[leader];
  if (leader === self.rank || word?.state !== 'LEADING' || word.leader !== leader) return false;
  const { round, vote } = state;
  const own = { state: 'LOOKING', round, leader: vote.leader };
  const following = self.members.filter((member) => {
    const said = member === self.rank ? own : state.box[member];
    if (said?.leader !== leader) return false;
    return said.state !== 'LOOKING' || said.round === word.round;
  });
  return following.length >= majorityOf(self);
}

function join({ state, effects }: ZabStep, leader: Rank): Next {
  const word = state.box[leader];
  if (word === undefined) throw new TypeError(`"leader" expected one that spoke, got ${leader}`);
  state.round = word.round;
  state.vote = { leader, zxid: word.zxid, peerEpoch: word.peerEpoch };
  effects.cancelTimer(state.finalizing ? 'finalize' : 'notify');
  state.finalizing = false;
  return 'follow';
}

/** Whether a quorum is for its vote in its round, itself included. */
function hasQuorum({ self, state }: ZabStep): boolean {
  const agreeing = self.members.filter((member) => {
    if (member === self.rank) return true;
    const said = state.box[member];
    return said?.round === state.round && said.leader === state.vote.leader;
  });
  return agreeing.length >= majorityOf(self);
}

function ownVote({ zxidOf, self, state }: ZabStep): Vote {
  return { leader: self.rank, zxid: zxidOf(self.rank), peerEpoch: state.currentEpoch };
}

function better(one: Vote, other: Vote): Vote {
  return compareVotes(one, other) > 0 ? one : other;
}

function notifyAll(context: ZabStep): void {
  const { self, state, effects } = context;
  const notification = ownNotification(context);
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, notification);
  }
  effects.setTimer('notify', state.notifyTicks, false);
}
