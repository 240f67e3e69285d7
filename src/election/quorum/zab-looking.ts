/**
 * @module
 * Fast leader election, Zab's phase 0. Every looking node sends its vote, adopts a better one, and
 * stops when a quorum of one round agrees with it and no better vote arrived for a while. The result
 * is a prospective leader. To lead it needs the promises of a quorum (A. Medeiros 2012, "ZooKeeper's
 * atomic broadcast protocol", section 3; P. Hunt et al. 2010, "ZooKeeper", USENIX ATC).
 */

import type { Rank } from '../machine.ts';
import { broadcast, majorityOf } from './majority.ts';
import type { Notification, Vote, ZabStep } from './zab-state.ts';

/** What follows: the node still looks (`stay`), or its election is over. */
export type Outcome = 'stay' | 'lead' | 'follow';

/** Below, at or above 0: by epoch, then by log, then by rank. 0 only for equal votes. */
export function compareVotes(one: Vote, other: Vote): number {
  if (one.peerEpoch !== other.peerEpoch) return one.peerEpoch - other.peerEpoch;
  if (one.zxid !== other.zxid) return one.zxid - other.zxid;
  if (one.leader === other.leader) return 0;
  return one.leader > other.leader ? 1 : -1;
}

/** Begins a round with a vote for itself. The node no longer leads or follows. */
export function look(step: ZabStep): void {
  const { state, settings } = step;
  if (state.phase !== 'idle') leave(step);
  state.phase = 'looking';
  state.known = [];
  state.knownEpochMax = 0;
  state.box = {};
  state.finalizing = false;
  state.notifyTicks = settings.finalizeWaitTicks;
  enterRound(step, state.round + 1, ownVote(step));
}

/** A notification reaches a node that is looking. */
export function onVote(step: ZabStep, notification: Notification, from: Rank): Outcome {
  const { self, state } = step;
  if (!self.members.includes(notification.leader)) return 'stay';
  if (notification.state !== 'LOOKING') {
    state.box[from] = notification;
    const established = findLeader(step, notification.leader);
    if (established !== null) return join(step, established);
  } else if (!countVote(step, notification, from)) {
    return 'stay';
  }
  const isForOwn = notification.leader === state.vote.leader;
  if (isForOwn && !state.finalizing && hasQuorum(step)) finalize(step);
  return 'stay';
}

/** The vote of the node has found no quorum. Notifications may be lost: the node repeats them, ever less often. */
export function notifyAgain(step: ZabStep): void {
  const { state, settings } = step;
  if (state.finalizing) return;
  state.notifyTicks = Math.min(2 * state.notifyTicks, settings.silenceTicks);
  notifyAll(step);
}

/** No better vote arrived: the election is over for this node. */
export function conclude({ self, state }: ZabStep): Outcome {
  if (!state.finalizing) return 'stay';
  state.finalizing = false;
  return state.vote.leader === self.rank ? 'lead' : 'follow';
}

/** This node's vote or leader, as it sends it to others. */
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

/** Whether the vote counts. A vote of an older round is answered instead. */
function countVote(step: ZabStep, notification: Notification, from: Rank): boolean {
  const { state, effects } = step;
  if (notification.round < state.round) {
    effects.send(from, ownNotification(step));
    // The sender looks for a leader, so that an earlier notification of one is out of date.
    delete state.box[from];
    return false;
  }
  if (notification.round > state.round) {
    const own = ownVote(step);
    enterRound(step, notification.round, better(notification, own));
  } else if (compareVotes(notification, state.vote) > 0) {
    voteFor(step, notification);
  }
  const before = state.box[from];
  // Votes of one round only improve, so that a worse one is an older one on a link that reorders. A
  // round is over for a node that has found a leader in it.
  const isOlder =
    before !== undefined &&
    before.round === notification.round &&
    (before.state !== 'LOOKING' || compareVotes(before, notification) > 0);
  if (!isOlder) state.box[from] = notification;
  return true;
}

/** Votes of older rounds are void. Notifications of nodes with a leader are not. */
function enterRound(step: ZabStep, round: number, vote: Vote): void {
  const { state } = step;
  state.round = round;
  for (const [sender, notification] of Object.entries(state.box)) {
    if (notification.state === 'LOOKING') delete state.box[sender];
  }
  voteFor(step, vote);
}

function voteFor(step: ZabStep, { leader, zxid, peerEpoch }: Vote): void {
  const { self, state, effects } = step;
  state.vote = { leader, zxid, peerEpoch };
  if (state.finalizing) effects.cancelTimer('finalize');
  state.finalizing = false;
  notifyAll(step);
  if (majorityOf(self) === 1) finalize(step);
}

function finalize({ state, effects, settings }: ZabStep): void {
  state.finalizing = true;
  effects.cancelTimer('notify');
  effects.setTimer('finalize', settings.finalizeWaitTicks, false);
}

/**
 * The notification of a leader that this node can join: it reports that it leads, and a quorum follows
 * it. Votes for it in its round, this node's too, count as following. A follower may have found it in
 * an older round.
 */
function findLeader({ self, state }: ZabStep, leader: Rank): Notification | null {
  const latest = state.box[leader];
  if (leader === self.rank || latest?.state !== 'LEADING' || latest.leader !== leader) return null;
  const { round, vote } = state;
  const own = { state: 'LOOKING', round, leader: vote.leader };
  const following = self.members.filter((member) => {
    const said = member === self.rank ? own : state.box[member];
    if (said?.leader !== leader) return false;
    return said.state !== 'LOOKING' || said.round === latest.round;
  });
  return following.length >= majorityOf(self) ? latest : null;
}

function join(
  { state, effects }: ZabStep,
  { leader, zxid, peerEpoch, round }: Notification,
): Outcome {
  state.round = round;
  state.vote = { leader, zxid, peerEpoch };
  effects.cancelTimer(state.finalizing ? 'finalize' : 'notify');
  state.finalizing = false;
  return 'follow';
}

/** Whether a quorum supports its vote in its round, itself included. */
function hasQuorum({ self, state }: ZabStep): boolean {
  const agreeing = self.members.filter((member) => {
    if (member === self.rank) return true;
    const said = state.box[member];
    return said?.round === state.round && said.leader === state.vote.leader;
  });
  return agreeing.length >= majorityOf(self);
}

function ownVote({ self, state, settings }: ZabStep): Vote {
  return { leader: self.rank, zxid: settings.zxidOf(self.rank), peerEpoch: state.currentEpoch };
}

function better(one: Vote, other: Vote): Vote {
  return compareVotes(one, other) > 0 ? one : other;
}

function notifyAll(step: ZabStep): void {
  const { state, effects } = step;
  broadcast(step, ownNotification(step));
  effects.setTimer('notify', state.notifyTicks, false);
}
