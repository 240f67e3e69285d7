/**
 * @module
 * Elections with a master lease, as in Chubby (M. Burrows, "The Chubby lock service for loosely-coupled
 * distributed systems", OSDI 2006, section 4): replicas vote once a term and promise with the vote to
 * elect nobody else for D ticks; the master asks for the next lease half a lease after it asked for the
 * present one, however long that took, and steps down when it runs out. Leases after C. Gray and D.
 * Cheriton, SOSP 1989: the master counts D from when it sent the request and takes the drift off. The
 * term is the fencing number (Chubby's sequencer).
 *
 * Invariants: (1) a node votes once a term, and its vote is on disk before anybody hears of it: one
 * master a term, whatever network and clocks do; (2) with a promise outstanding, and while it is master
 * itself, a node votes for nobody else; (3) a lease counts from the request that a majority granted,
 * voter by voter: while clocks drift by no more than ρ no two are master at one moment, even if nodes
 * forget their disks; (4) a lease that is asked for has a timer of its own, and touches the one
 * that is held only once it is granted; (5) timer "promise", "belief" or "attempt" runs wherever nobody
 * leads itself. Followers learn of a master by MASTER, and by each renewal, and believe it for D.
 * Messages of n members: n−1 REQ, GRANT and MASTER for a candidate alone, 2(n−1) for a renewal.
 */

import type { Event, Json, Machine, Rank } from '../machine.ts';
import { isPeer, isTerm, majorityOf, TERM_LIMIT } from './majority.ts';
import type {
  QuorumLeaseMessage,
  QuorumLeaseOptions,
  QuorumLeaseState,
  QuorumLeaseStep,
} from './quorum-lease-state.ts';
import { initQuorumLease, pendingTimer, restoreQuorumLease, vote } from './quorum-lease-state.ts';

type Request = QuorumLeaseMessage & { readonly type: 'REQ' };
type Grant = QuorumLeaseMessage & { readonly type: 'GRANT' };

/** The machine of every node. */
export function createQuorumLease(
  options: QuorumLeaseOptions,
): Machine<QuorumLeaseState, QuorumLeaseMessage> {
  return {
    init: () => initQuorumLease(),
    step(self, state, event, effects) {
      if (state.role === 'barred' && event.type !== 'recover') return;
      step({ options, self, state, effects }, event);
    },
  };
}

function step(context: QuorumLeaseStep, event: Event<QuorumLeaseMessage>): void {
  const { self } = context;
  switch (event.type) {
    case 'start':
      seek(context);
      break;
    case 'recover':
      recover(context, event.persisted);
      break;
    case 'deliver':
      if (isPeer(self, event.from)) onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      onTimeout(context, event.timer);
      break;
    case 'chosen':
      onDrawn(context, event.value);
      break;
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'reply':
    case 'request':
      // Leases have their own time-outs; the members are fixed.
      break;
    default:
      event satisfies never;
  }
}

function recover(context: QuorumLeaseStep, persisted: Json): void {
  const { self, state, effects, options } = context;
  Object.assign(state, restoreQuorumLease(self, persisted));
  if (state.promise === null) return;
  effects.setTimer('promise', options.sitOutTicks, false);
  seek(context);
}

function onMessage(context: QuorumLeaseStep, from: Rank, message: QuorumLeaseMessage): void {
  if (!isTerm(message.term)) return;
  switch (message.type) {
    case 'REQ':
      if (message.leads) believe(context, from, message.term);
      onRequest(context, from, message);
      break;
    case 'GRANT':
      onGrant(context, from, message);
      break;
    case 'DENY':
      onDeny(context, message.term);
      break;
    case 'MASTER':
      believe(context, from, message.term);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(context: QuorumLeaseStep, timer: string): void {
  const { self, state } = context;
  switch (timer) {
    case 'lease-a':
    case 'lease-b':
      if (timer === pendingTimer(state)) state.asking = false;
      else if (state.role === 'master') depose(context);
      break;
    case 'promise':
      state.promise = null;
      break;
    case 'belief':
      if (state.leader !== null && state.leader !== self.rank) unfollow(context);
      break;
    case 'attempt':
      if (!state.waiting) return;
      state.waiting = false;
      stand(context);
      return;
    case 'renew':
      // Another request would make worthless the grants of this one that are on their way.
      if (state.asking) state.due = true;
      else if (state.role === 'master') ask(context);
      return;
    case 'retry':
      if (state.role === 'master') ask(context);
      return;
    default:
      return;
  }
  seek(context);
}

/** Waits for its turn to stand, unless it stands, leads, follows or has promised not to. */
function seek(context: QuorumLeaseStep): void {
  const { role, waiting, leader } = context.state;
  if (role !== 'follower' || waiting || leader !== null) return;
  if (!isPromisedAway(context, context.self.rank)) draw(context);
}

/** Random waits, so that candidates do not split the votes for ever. */
function draw({ state, effects, options }: QuorumLeaseStep): void {
  state.waiting = true;
  state.drawing = true;
  effects.choose(options.retryTicks);
}

function onDrawn({ state, effects, options }: QuorumLeaseStep, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  effects.setTimer('attempt', options.retryTicks + value, false);
}

function stand(context: QuorumLeaseStep): void {
  const { self, state } = context;
  if (state.term >= TERM_LIMIT) return;
  state.role = 'candidate';
  vote(context, { term: state.term + 1, votedFor: self.rank });
  ask(context);
  // Alone it is master by now.
  if (state.role === 'candidate') draw(context);
}

/** Asks everybody for a lease, its first or the next. Its own vote it has. */
function ask(context: QuorumLeaseStep): void {
  const { self, state, effects, options } = context;
  const { term, role } = state;
  state.round += 1;
  state.asking = true;
  state.due = false;
  state.grants = [self.rank];
  if (options.countedFrom === 'send') {
    effects.setTimer(pendingTimer(state), options.holdTicks, false);
  }
  effects.setTimer('renew', Math.max(1, Math.floor(options.holdTicks / 2)), false);
  // A renewal that is not answered is sent again, until the lease has run out.
  if (role === 'master') effects.setTimer('retry', options.retryTicks, false);
  broadcast(context, { type: 'REQ', term, round: state.round, leads: role === 'master' });
  confirmIfGranted(context);
}

function onRequest(context: QuorumLeaseStep, from: Rank, { term, round }: Request): void {
  const { state, effects, options } = context;
  if (!mayGrant(context, from, term)) {
    effects.send(from, { type: 'DENY', term: state.term });
    return;
  }
  withdraw(context);
  vote(context, { term, votedFor: from });
  if (state.leader !== null && state.leader !== from) {
    unfollow(context);
    effects.cancelTimer('belief');
  }
  state.promise = { to: from };
  effects.setTimer('promise', options.promiseTicks, false);
  effects.send(from, { type: 'GRANT', term, round });
}

/**
 * We can vote for whom we have promised nobody else, in a term in which we have not voted for another.
 * A master has promised itself.
 */
function mayGrant(context: QuorumLeaseStep, candidate: Rank, term: number): boolean {
  const { state } = context;
  if (state.role === 'master' || isPromisedAway(context, candidate)) return false;
  if (term > state.term) return true;
  const isFree = state.votedFor === null || state.votedFor === candidate;
  return term === state.term && isFree;
}

function isPromisedAway({ state }: QuorumLeaseStep, candidate: Rank): boolean {
  return state.promise !== null && state.promise.to !== candidate;
}

function onGrant(context: QuorumLeaseStep, from: Rank, { term, round }: Grant): void {
  const { state } = context;
  if (!state.asking || term !== state.term || round !== state.round) return;
  if (state.grants.includes(from)) return;
  state.grants.push(from);
  confirmIfGranted(context);
}

/** With a majority the lease that was asked for is the one that is held. */
function confirmIfGranted(context: QuorumLeaseStep): void {
  const { self, state, effects, options } = context;
  if (state.grants.length < majorityOf(self)) return;
  state.asking = false;
  if (state.role === 'master') {
    effects.cancelTimer(state.lease);
    effects.cancelTimer('retry');
  }
  state.lease = pendingTimer(state);
  // The flaw: grantors began to count before the answer was here.
  if (options.countedFrom === 'answer') effects.setTimer(state.lease, options.holdTicks, false);
  if (state.role !== 'master') lead(context);
  if (state.due) ask(context);
}

function lead(context: QuorumLeaseStep): void {
  const { self, state, effects } = context;
  endWait(context);
  state.role = 'master';
  state.leader = self.rank;
  state.leaderTerm = state.term;
  effects.elect(self.rank, state.term);
  broadcast(context, { type: 'MASTER', term: state.term });
}

/** A master says that it is one; what is older than this node's term is over. */
function believe(context: QuorumLeaseStep, master: Rank, term: number): void {
  const { state, effects, options } = context;
  if (term < state.term || (state.role === 'master' && term === state.term)) return;
  if (state.role === 'master') overthrow(context);
  withdraw(context);
  if (term > state.term) vote(context, { term, votedFor: null });
  if (state.leader !== master || state.leaderTerm !== term) {
    state.leader = master;
    state.leaderTerm = term;
    effects.elect(master, term);
  }
  effects.setTimer('belief', options.promiseTicks, false);
}

/** A voter is ahead, and would deny whatever this node asks for in its term. */
function onDeny(context: QuorumLeaseStep, term: number): void {
  const { state } = context;
  if (term <= state.term || state.role === 'follower') return;
  if (state.role === 'master') overthrow(context);
  else abandon(context);
  vote(context, { term, votedFor: null });
  seek(context);
}

/** Its lease has run out, or is given up: it steps down before anything else. */
function depose(context: QuorumLeaseStep): void {
  const { state, effects } = context;
  state.leader = null;
  effects.stepDown();
  if (state.asking) effects.cancelTimer('retry');
  abandon(context);
}

function overthrow(context: QuorumLeaseStep): void {
  depose(context);
  context.effects.cancelTimer(context.state.lease);
}

/** Neither a candidate nor about to be one. */
function withdraw(context: QuorumLeaseStep): void {
  if (context.state.role === 'candidate') abandon(context);
  endWait(context);
}

/** Grants that are on their way count no more. */
function abandon({ state, effects }: QuorumLeaseStep): void {
  state.role = 'follower';
  effects.cancelTimer('renew');
  if (state.asking) effects.cancelTimer(pendingTimer(state));
  state.asking = false;
}

function endWait({ state, effects }: QuorumLeaseStep): void {
  if (state.waiting) effects.cancelTimer('attempt');
  state.waiting = false;
}

function unfollow({ state, effects }: QuorumLeaseStep): void {
  state.leader = null;
  effects.stepDown();
}

function broadcast({ self, effects }: QuorumLeaseStep, message: QuorumLeaseMessage): void {
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, message);
  }
}
