/**
 * @module
 * Leader election of Raft (D. Ongaro and J. Ousterhout, USENIX ATC 2014, section 5.2 and 5.4.1), with
 * PreVote and CheckQuorum as etcd has them (Ongaro's dissertation, 2014, sections 4.2.3, 6.2, 9.6).
 *
 * Invariants: (1) the term never falls and a node votes once in it, and both are on disk before
 * anybody hears of them; (2) whoever leads has the votes of a majority of all members in its term, so
 * no term has two leaders, whatever the network does; (3) a vote goes only to a log no shorter than
 * the voter's; (4) a PRE_VOTE changes nobody's term or vote; (5) timer "election" runs wherever
 * nobody leads itself, "heartbeat" (and "quorum" under `checkQuorum`) where it does.
 * Messages of n members, one candidate: n−1 VOTE, as many replies, n−1 HEARTBEAT, with `preVote`
 * 2(n−1) more; then 2(n−1) every heartbeat. Split votes repeat an election (raft-odds.ts).
 */

import type { Event, Machine, Rank } from '../machine.ts';
import { isPeer, isTerm, majorityOf } from './majority.ts';
import type { RaftMessage, RaftState } from './raft-state.ts';
import { createRaftState, restoreRaftState } from './raft-state.ts';
import type { RaftOptions, Step } from './raft-step.ts';
import {
  broadcast,
  draw,
  enterTerm,
  hearTerm,
  onDrawn,
  restartTimer,
  retire,
  save,
  unfollow,
} from './raft-step.ts';
import { campaign, onPreVote, onPreVoteReply, onVote, onVoteReply } from './raft-votes.ts';

/** The machine of every node. */
export function createRaft(options: RaftOptions): Machine<RaftState, RaftMessage> {
  return {
    init: () => createRaftState(),
    step: (self, state, event, effects) => stepRaft({ options, self, state, effects }, event),
  };
}

function stepRaft(step: Step, event: Event<RaftMessage>): void {
  const { self, state } = step;
  if (state.role === 'halted' && event.type !== 'recover') return;
  switch (event.type) {
    case 'start':
      if (state.timeoutTicks === 0) draw(step);
      break;
    case 'recover':
      Object.assign(state, restoreRaftState(self, event.persisted));
      if (state.role !== 'halted') draw(step);
      break;
    case 'deliver':
      if (isPeer(self, event.from) && isTerm(event.message.term)) {
        onMessage(step, event.from, event.message);
      }
      break;
    case 'timeout':
      onTimeout(step, event.timer);
      break;
    case 'chosen':
      onDrawn(step, event.value);
      break;
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

function onMessage(step: Step, from: Rank, message: RaftMessage): void {
  switch (message.type) {
    case 'PRE_VOTE':
      onPreVote(step, from, message);
      break;
    case 'PRE_VOTE_REPLY':
      onPreVoteReply(step, from, message);
      break;
    case 'VOTE':
      onVote(step, from, message);
      break;
    case 'VOTE_REPLY':
      onVoteReply(step, from, message);
      break;
    case 'HEARTBEAT':
      onHeartbeat(step, from, message.term);
      break;
    case 'HEARTBEAT_REPLY':
      onHeartbeatReply(step, from, message.term);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(step: Step, timer: string): void {
  const { state } = step;
  const leads = state.role === 'leader';
  if (timer === 'lease') state.leased = false;
  if (timer === 'heartbeat' && leads) broadcast(step, { type: 'HEARTBEAT', term: state.term });
  if (timer === 'quorum' && leads) checkQuorum(step);
  if (timer === 'election' && !leads) campaign(step);
}

function onHeartbeat(step: Step, from: Rank, term: number): void {
  const { state, effects, options } = step;
  if (term < state.term) {
    // Its candidacy overtook a leader whom nobody deposes for it under these two: it would be alone
    // for ever.
    if (options.preVote === 'on' || options.checkQuorum === 'on') {
      effects.send(from, { type: 'HEARTBEAT_REPLY', term: state.term });
    }
    return;
  }
  const isLater = term > state.term;
  // Two leaders of one term: somebody has forgotten its vote. Neither gives way to the other.
  if (!isLater && state.role === 'leader') return;
  if (isLater) {
    enterTerm(step, term);
    save(step);
  }
  if (state.role !== 'follower') retire(step);
  if (isLater || state.leader !== from) {
    state.leader = from;
    effects.elect(from, term);
  }
  restartTimer(step);
  if (options.checkQuorum === 'on') {
    state.leased = true;
    effects.setTimer('lease', options.electionTicks, false);
  }
  effects.send(from, { type: 'HEARTBEAT_REPLY', term });
}

function onHeartbeatReply(step: Step, from: Rank, term: number): void {
  const { state } = step;
  hearTerm(step, term);
  const isNew = state.role === 'leader' && term === state.term && !state.active.includes(from);
  if (isNew) state.active.push(from);
}

function checkQuorum(step: Step): void {
  const { self, state } = step;
  const heard = state.active.length + 1;
  state.active = [];
  if (heard >= majorityOf(self)) return;
  retire(step);
  unfollow(step);
}
