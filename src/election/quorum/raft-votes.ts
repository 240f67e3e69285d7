/**
 * @module
 * How a Raft node votes and comes to lead (Ongaro and Ousterhout 2014, sections 5.2 and 5.4.1; PreVote:
 * Ongaro's dissertation, 2014, section 9.6, in etcd's form). It must send no vote that is not on disk.
 */

import type { Rank } from '../machine.ts';
import { broadcast, majorityOf, TERM_LIMIT } from './majority.ts';
import type { RaftOptions, RaftState, RaftStep, VoteQuestion, VoteReply } from './raft-step.ts';
import { adoptTerm, draw, enterTerm, restartTimer, retire, save, unfollow } from './raft-step.ts';

/** The election timer has fired: a candidacy, or the question whether one would succeed. */
export function campaign(step: RaftStep): void {
  // In the last term no node can stand any more.
  if (step.state.term >= TERM_LIMIT) return;
  if (step.settings.preVote === 'on') canvass(step);
  else stand(step);
}

/** Asks which nodes would vote for it, without raising the term. */
function canvass(step: RaftStep): void {
  const { self, state, settings } = step;
  unfollow(step);
  state.role = 'pre-candidate';
  openBallot(step);
  if (isWon(step)) {
    stand(step);
    return;
  }
  const lastIndex = settings.lastIndexOf(self.rank);
  broadcast(step, { type: 'PRE_VOTE', term: state.term + 1, lastIndex });
  draw(step);
}

function stand(step: RaftStep): void {
  const { self, state, settings } = step;
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
  broadcast(step, { type: 'VOTE', term: state.term, lastIndex: settings.lastIndexOf(self.rank) });
  draw(step);
}

/** Answers whether it would vote for the sender, and changes nothing. */
export function onPreVote(step: RaftStep, message: VoteQuestion<'PRE_VOTE'>, from: Rank): void {
  const { state, effects } = step;
  const isLater = message.term > state.term;
  if (isLater && isLeased(step)) return;
  const granted =
    (isLater || (message.term === state.term && mayVote(state, from, 'etcd'))) &&
    isLogFit(step, message);
  // A grant carries the term that it is for. A refusal carries the voter's own term.
  const term = granted ? message.term : state.term;
  effects.send(from, { type: 'PRE_VOTE_REPLY', term, granted });
}

/** A majority that would vote for this node makes it a candidate. */
export function onPreVoteReply(
  step: RaftStep,
  { term, granted }: VoteReply<'PRE_VOTE_REPLY'>,
  from: Rank,
): void {
  const { state } = step;
  if (!granted) adoptTerm(step, term);
  if (state.role !== 'pre-candidate' || term !== state.term + (granted ? 1 : 0)) return;
  countBallot(state, from, granted);
  if (isWon(step)) stand(step);
  else if (isLost(step)) retire(step);
}

/** Votes for the first candidate of a term whose log is fit, or refuses. */
export function onVote(step: RaftStep, message: VoteQuestion<'VOTE'>, from: Rank): void {
  const { state, effects, settings } = step;
  const isLater = message.term > state.term;
  if (isLater ? isLeased(step) : message.term < state.term && settings.rules === 'etcd') return;
  if (isLater) {
    enterTerm(step, message.term);
    unfollow(step);
  }
  const granted =
    message.term === state.term && mayVote(state, from, settings.rules) && isLogFit(step, message);
  if (granted) {
    state.votedFor = from;
    restartTimer(step);
  }
  // Term and vote together, and before the answer.
  if (isLater || granted) save(step);
  effects.send(from, { type: 'VOTE_REPLY', term: state.term, granted });
}

/** A majority of votes makes this node the leader. */
export function onVoteReply(step: RaftStep, message: VoteReply<'VOTE_REPLY'>, from: Rank): void {
  const { state } = step;
  adoptTerm(step, message.term);
  if (state.role !== 'candidate' || message.term !== state.term) return;
  countBallot(state, from, message.granted);
  if (isWon(step)) lead(step);
  else if (isLost(step)) retire(step);
}

function lead(step: RaftStep): void {
  const { self, state, effects, settings } = step;
  state.role = 'leader';
  state.leader = self.rank;
  state.active = [];
  effects.cancelTimer('election');
  effects.elect(self.rank, state.term);
  broadcast(step, { type: 'HEARTBEAT', term: state.term });
  effects.setTimer('heartbeat', settings.heartbeatTicks, true);
  if (settings.checkQuorum === 'on') effects.setTimer('quorum', settings.electionTicks, true);
}

/** Whether it takes its leader for alive: a leader always, a follower for one time-out. */
function isLeased({ state, settings }: RaftStep): boolean {
  if (settings.checkQuorum === 'off' || state.leader === null) return false;
  return state.role === 'leader' || state.leased;
}

function mayVote(
  { votedFor, leader }: RaftState,
  candidate: Rank,
  rules: RaftOptions['rules'],
): boolean {
  if (votedFor !== null) return votedFor === candidate;
  return leader === null || rules === 'figure2';
}

function isLogFit({ self, settings }: RaftStep, message: { readonly lastIndex: number }): boolean {
  return message.lastIndex >= settings.lastIndexOf(self.rank);
}

function openBallot({ self, state }: RaftStep): void {
  state.granted = [self.rank];
  state.refused = [];
}

function countBallot(state: RaftState, voter: Rank, granted: boolean): void {
  if (state.granted.includes(voter) || state.refused.includes(voter)) return;
  (granted ? state.granted : state.refused).push(voter);
}

function isWon({ self, state }: RaftStep): boolean {
  return state.granted.length >= majorityOf(self);
}

function isLost({ self, state }: RaftStep): boolean {
  return state.refused.length >= majorityOf(self);
}
