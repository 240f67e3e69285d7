/**
 * @module
 * How a Raft node comes to lead and whom it votes for (Ongaro and Ousterhout 2014, sections 5.2 and
 * 5.4.1; PreVote: Ongaro's dissertation, 2014, section 9.6, in etcd's form). It must send no vote that
 * is not on disk.
 */

import type { Rank } from '../machine.ts';
import { majorityOf, TERM_LIMIT } from './majority.ts';
import type { RaftState, VoteQuestion, VoteReply } from './raft-state.ts';
import type { Step } from './raft-step.ts';
import {
  broadcast,
  draw,
  enterTerm,
  hearTerm,
  restartTimer,
  retire,
  save,
  unfollow,
} from './raft-step.ts';

/** Its election timer has fired: a candidacy, or the question whether one would succeed. */
export function campaign(step: Step): void {
  // In the last term nobody can stand any more.
  if (step.state.term >= TERM_LIMIT) return;
  if (step.options.preVote === 'on') rehearse(step);
  else stand(step);
}

/** Asks who would vote for it, without raising the term. */
function rehearse(step: Step): void {
  const { self, state, options } = step;
  unfollow(step);
  state.role = 'pre-candidate';
  openBallot(step);
  if (isWon(step)) {
    stand(step);
    return;
  }
  const lastIndex = options.lastIndexOf(self.rank);
  broadcast(step, { type: 'PRE_VOTE', term: state.term + 1, lastIndex });
  draw(step);
}

function stand(step: Step): void {
  const { self, state, options } = step;
  unfollow(step);
  state.role = 'candidate';
  state.term += 1;
  state.votedFor = self.rank;
  save(step);
  openBallot(step);
  if (isWon(step)) {
    lead(step);
    return;
  }
  broadcast(step, { type: 'VOTE', term: state.term, lastIndex: options.lastIndexOf(self.rank) });
  draw(step);
}

/** Says whether it would vote for the sender, and changes nothing. */
export function onPreVote(step: Step, from: Rank, message: VoteQuestion<'PRE_VOTE'>): void {
  const { state, effects } = step;
  const isLater = message.term > state.term;
  if (isLater && isLeased(step)) return;
  const granted =
    (isLater || (message.term === state.term && mayVote(state, from))) && isLogFit(step, message);
  // The term of a grant is the one it is for; that of a refusal tells the asker how far it is behind.
  const term = granted ? message.term : state.term;
  effects.send(from, { type: 'PRE_VOTE_REPLY', term, granted });
}

/** A majority that would vote for this node makes a candidate of it. */
export function onPreVoteReply(step: Step, from: Rank, message: VoteReply<'PRE_VOTE_REPLY'>): void {
  const { state } = step;
  const { term, granted } = message;
  if (!granted) hearTerm(step, term);
  if (state.role !== 'pre-candidate' || term !== state.term + (granted ? 1 : 0)) return;
  countBallot(state, from, granted);
  if (isWon(step)) stand(step);
  else if (isLost(step)) retire(step);
}

/** Votes for the first of a term whose log is fit, or refuses. */
export function onVote(step: Step, from: Rank, message: VoteQuestion<'VOTE'>): void {
  const { state, effects } = step;
  const isLater = message.term > state.term;
  if (isLater && isLeased(step)) return;
  if (isLater) {
    enterTerm(step, message.term);
    unfollow(step);
  }
  const granted = message.term === state.term && mayVote(state, from) && isLogFit(step, message);
  if (granted) {
    state.votedFor = from;
    restartTimer(step);
  }
  // Term and vote together, and before the answer.
  if (isLater || granted) save(step);
  effects.send(from, { type: 'VOTE_REPLY', term: state.term, granted });
}

/** A majority of votes makes a leader of this node. */
export function onVoteReply(step: Step, from: Rank, message: VoteReply<'VOTE_REPLY'>): void {
  const { state } = step;
  hearTerm(step, message.term);
  if (state.role !== 'candidate' || message.term !== state.term) return;
  countBallot(state, from, message.granted);
  if (isWon(step)) lead(step);
  else if (isLost(step)) retire(step);
}

function lead(step: Step): void {
  const { self, state, effects, options } = step;
  state.role = 'leader';
  state.leader = self.rank;
  state.active = [];
  effects.cancelTimer('election');
  effects.elect(self.rank, state.term);
  broadcast(step, { type: 'HEARTBEAT', term: state.term });
  effects.setTimer('heartbeat', options.heartbeatTicks, true);
  if (options.checkQuorum === 'on') effects.setTimer('quorum', options.electionTicks, true);
}

/** Its leader is alive as far as it knows: a leader always, a follower for one time-out. */
function isLeased({ state, options }: Step): boolean {
  if (options.checkQuorum === 'off' || state.leader === null) return false;
  return state.role === 'leader' || state.leased;
}

function mayVote({ votedFor, leader }: RaftState, candidate: Rank): boolean {
  return votedFor === candidate || (votedFor === null && leader === null);
}

function isLogFit({ self, options }: Step, message: { readonly lastIndex: number }): boolean {
  return message.lastIndex >= options.lastIndexOf(self.rank);
}

function openBallot({ self, state }: Step): void {
  state.granted = [self.rank];
  state.refused = [];
}

function countBallot(state: RaftState, voter: Rank, granted: boolean): void {
  if (state.granted.includes(voter) || state.refused.includes(voter)) return;
  (granted ? state.granted : state.refused).push(voter);
}

function isWon({ self, state }: Step): boolean {
  return state.granted.length >= majorityOf(self);
}

function isLost({ self, state }: Step): boolean {
  return state.refused.length >= majorityOf(self);
}
