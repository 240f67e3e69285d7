/**
 * @module
 * Elections with a master lease, as in Chubby (M. Burrows, "The Chubby lock service for loosely-coupled
 * distributed systems", OSDI 2006, section 4). Chubby's votes are those of Paxos; terms and votes here are those of
 * Raft (D. Ongaro and J. Ousterhout, 2014). Replicas vote once in a term and promise with the vote
 * to elect no other node for D ticks. The master asks for the next lease half a lease after it asked for
 * the present one, however long that took, and steps down when its lease runs out. Leases follow C. Gray
 * and D. Cheriton, SOSP 1989: the master counts D from when it sent the request and subtracts the drift.
 * The term is the fencing number (Chubby's sequencer).
 *
 * Invariants: (1) a node votes once in a term, and its vote is on disk before any message depends on
 * it: one master in a term, whatever network and clocks do; (2) with a promise outstanding, and while
 * it is master itself, a node votes for no other node; (3) each voter's promise and the lease count from
 * the request that a majority granted: while clocks drift by at most ρ, no two nodes are master at one
 * moment, even if disks forget; (4) a lease that is asked for has its own timer, and changes the one
 * that is held only when it is granted; (5) a node that does not lead has the timer "promise", "belief"
 * or "attempt". Followers learn of a master by MASTER and by each renewal, and believe it for D.
 */

import { breaks, live } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf, TICKS } from '../definition/flags.ts';
import { bySender } from '../definition/forgery.ts';
import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import { holderTicks, sitOutTicks } from '../lease-interval.ts';
import type { Json, Machine, Message, Rank, Self } from '../machine.ts';
import { integerIn, memberOf } from '../message-members.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { broadcast, isPeer, isTerm, majorityOf, TERM_LIMIT } from './majority.ts';
import { ANONYMOUS, MEMBERS_ONLY, QUORUM, TIRELESS_FAULTS, TWO_VOTES } from './quorum-facts.ts';

/**
 * Messages, state, options and disk record of a node of quorum-lease. Its ballot, term and vote, is one record. If
 * they were stored apart, a crash between the writes would free a vote that was given. Promises are not stored,
 * because no clock runs on through a crash: a node that returns waits for a whole lease.
 */
type QuorumLeaseMessage =
  | {
      readonly type: 'REQ';
      readonly term: number;
      /** Number of the sender's requests, so that a late grant does not count for a newer lease. */
      readonly round: number;
      /** Whether it is a renewal, whose sender is master. */
      readonly leads: boolean;
    }
  | { readonly type: 'GRANT'; readonly term: number; readonly round: number }
  | { readonly type: 'DENY'; readonly term: number }
  /** The sender has the lease. */
  | { readonly type: 'MASTER'; readonly term: number };

/** The lease that is held has one name, and the one that is asked for has the other. */
type LeaseTimer = 'lease-a' | 'lease-b';

type QuorumLeaseState = {
  /** `barred`: its disk has no ballot, so that it may have voted. */
  role: 'follower' | 'candidate' | 'master' | 'barred';
  /** 0 before the first election. */
  term: number;
  votedFor: Rank | null;
  /** Timer "promise" runs: it votes only for `to`. There null means that it has forgotten for which node. */
  promise: { to: Rank | null } | null;
  leader: Rank | null;
  /** The term in which the leader leads. */
  leaderTerm: number;
  /** Number of requests sent to all since it was last down. */
  round: number;
  /** The last request may still be granted. */
  asking: boolean;
  /** The request is half a lease old, and the next one follows when this one is granted. */
  due: boolean;
  /** The nodes that have granted the request, itself included. */
  grants: Rank[];
  lease: LeaseTimer;
  /** Whether it stands when timer "attempt" fires. */
  waiting: boolean;
  /** Whether it has asked for a random wait and not received it yet. */
  drawing: boolean;
};

/** Ticks are of the node's own clock. */
interface QuorumLeaseOptions {
  /** D: duration of a grantor's promise. */
  readonly promiseTicks: number;
  /** X: duration of a master's lease. */
  readonly holdTicks: number;
  /** How long a returned grantor makes no promise. */
  readonly sitOutTicks: number;
  /** R: attempts are R to 2R − 1 ticks apart, renewals without an answer are R ticks apart. */
  readonly retryTicks: number;
  readonly countedFrom: 'send' | 'answer';
}

type QuorumLeaseStep = Step<QuorumLeaseState, QuorumLeaseMessage, QuorumLeaseOptions>;

/** A node that has never voted and knows no leader. */
function initQuorumLease(): QuorumLeaseState {
  return {
    role: 'follower',
    term: 0,
    votedFor: null,
    promise: null,
    leader: null,
    leaderTerm: 0,
    round: 0,
    asking: false,
    due: false,
    grants: [],
    lease: 'lease-a',
    waiting: false,
    drawing: false,
  };
}

/** A node that returns with what was on its disk. With null it has forgotten its votes. */
function restoreQuorumLease(self: Self, persisted: Json): QuorumLeaseState {
  const state = initQuorumLease();
  if (persisted === null) return { ...state, promise: { to: null } };
  if (typeof persisted === 'object' && 'term' in persisted && 'votedFor' in persisted) {
    const { term, votedFor } = persisted;
    const voted = votedFor === null ? null : self.members.find((member) => member === votedFor);
    // It can have promised a lease only to the node that it voted for last.
    if (isTerm(term) && voted !== undefined) {
      return { ...state, term, votedFor: voted, promise: { to: voted } };
    }
  }
  return { ...state, role: 'barred' };
}

/** Enters a ballot. It is on disk before any message depends on it. */
function vote(
  { state, effects }: QuorumLeaseStep,
  { term, votedFor }: Pick<QuorumLeaseState, 'term' | 'votedFor'>,
): void {
  if (term === state.term && votedFor === state.votedFor) return;
  state.term = term;
  state.votedFor = votedFor;
  effects.persist({ term, votedFor });
}

/** The name of the lease that is asked for. */
function pendingTimer({ lease }: QuorumLeaseState): LeaseTimer {
  return lease === 'lease-a' ? 'lease-b' : 'lease-a';
}

/**
 * The default comes first. The other values break safety at a moment.
 *
 * - drift: whether a master subtracts the drift of clocks from its lease, D(1−ρ)/(1+ρ), or counts D.
 * - countedFrom: whether its lease begins when it sends the request, or with the answer that completes
 *   the majority, up to a round trip later.
 */
const QUORUM_LEASE_FLAGS = {
  drift: ['corrected', 'ignored'],
  countedFrom: ['send', 'answer'],
} as const;

const QUORUM_LEASE_NUMBERS = {
  leaseTicks: {
    ...TICKS,
    min: 10,
    meaning: 'ticks for which a vote binds',
    byDefault: silenceTicks,
    shortTicks: 80,
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'drift of clocks that leases allow for, in parts per million',
    byDefault: () => 10_000,
    shortTicks: null,
  },
  retryTicks: {
    ...TICKS,
    meaning: 'ticks R between two attempts, which come R to 2R-1 apart',
    // Twice a round trip: split votes are rare, and a lost attempt costs little.
    byDefault: (timing: Timing) => 2 * answerTicks(timing),
    shortTicks: 19,
  },
} as const satisfies NumberFlags;

/** Throws RangeError for a value that is not listed or out of bounds. */
function quorumLeaseOptions(timing: Timing, flags: Flags): QuorumLeaseOptions {
  const { leaseTicks, driftPpm, retryTicks } = numbersOf(QUORUM_LEASE_NUMBERS, timing, flags);
  const isCorrected = chosenFlag('drift', QUORUM_LEASE_FLAGS.drift, flags) === 'corrected';
  return {
    promiseTicks: leaseTicks,
    holdTicks: isCorrected ? holderTicks({ leaseTicks, driftPpm }) : leaseTicks,
    sitOutTicks: sitOutTicks({ leaseTicks, driftPpm }),
    retryTicks,
    countedFrom: chosenFlag('countedFrom', QUORUM_LEASE_FLAGS.countedFrom, flags),
  };
}

/**
 * Twice a lease: by then a lease that is not renewed has run out, and followers no longer believe in a
 * master that is down.
 */
function quorumLeaseSteadyTicks(timing: Timing, flags: Flags): number {
  return 2 * numbersOf(QUORUM_LEASE_NUMBERS, timing, flags).leaseTicks;
}

type Request = QuorumLeaseMessage & { readonly type: 'REQ' };
type Grant = QuorumLeaseMessage & { readonly type: 'GRANT' };

const TERM = { members: { term: 'epoch' }, ...DIRECT } as const;

export const QUORUM_LEASE = defineProtocol({
  name: 'quorum-lease',
  assumes:
    'One master a term asynchronously, while disks keep votes; one at a moment while clocks drift within bounds; static membership; to finish, a majority up and in time.',
  messageBound:
    'one candidate: n-1 REQ + n-1 GRANT + n-1 MASTER; then n-1 REQ + n-1 GRANT every half lease; DENY instead of GRANT where a vote is promised away',
  messagesAbout: (nodes) => 4 * nodes ** 2,
  inFlightAbout: null,
  steadyTicks: quorumLeaseSteadyTicks,
  source:
    'M. Burrows, The Chubby lock service for loosely-coupled distributed systems, OSDI 2006; C. Gray and D. Cheriton, Leases: An Efficient Fault-Tolerant Mechanism for Distributed File Cache Consistency, SOSP 1989; terms and votes as in Raft (D. Ongaro and J. Ousterhout, USENIX ATC 2014), where Chubby has Paxos',
  flags: QUORUM_LEASE_FLAGS,
  numbers: QUORUM_LEASE_NUMBERS,
  clash: null,
  attributes: null,
  leases: true,
  forgery: {
    numbering: 'term',
    announcement: bySender(({ epoch }) => [{ type: 'MASTER', term: epoch }]),
    candidacy: bySender(({ epoch }) => [{ type: 'REQ', term: epoch, round: 1, leads: false }]),
    answer: bySender(({ epoch }) => [{ type: 'GRANT', term: epoch, round: 1 }]),
    ...MEMBERS_ONLY,
  },
  // The sender of a REQ or a MASTER is the candidate or leader, so that no member names it.
  messages: {
    REQ: { members: { term: 'epoch', round: 'integer', leads: 'boolean' }, ...DIRECT },
    GRANT: {
      members: { term: 'epoch', round: 'integer' },
      claim: { within: ['term'], states: null, where: {} },
      ...ANONYMOUS,
    },
    DENY: TERM,
    MASTER: TERM,
  },
  // It withholds MASTER and sends each renewal as a first request, because renewals announce the master.
  counters: [],
  drawnTicks: [],
  symmetry: {
    of: 'members',
    state: ['votedFor', 'promise.to', 'leader', 'grants.*'],
    persisted: ['votedFor'],
    store: null,
  },
  stall: { withheld: ['MASTER'], hastened: ['attempt'] },
  doubleVote: { answers: grantAll, mutes: ['REQ', 'GRANT', 'DENY', 'MASTER'] },
  inflation: {
    sends: (_rank, epoch) => ({ type: 'REQ', term: epoch, round: 1, leads: false }),
    raises: null,
  },
  certificate: {
    question: 'REQ',
    vote: 'GRANT',
    number: 'term',
    announces: (message) => message.type === 'MASTER' || memberOf(message, 'leads') === true,
  },
  faults: {
    // Even then no two nodes hold a lease at once: a node that has forgotten waits first.
    amnesia: breaks(['S1', 'S4'], TWO_VOTES),
    pause: breaks(
      ['M'],
      'A master that wakes up steps down first. While it sleeps two nodes lead.',
    ),
    // For candidates that start together. A slow master among fast voters has its own test.
    'clock-skew': live(
      'The node with the fastest clock stands first, and its lease is the shortest.',
    ),
    'clock-jump': breaks(
      ['M'],
      'A clock that jumps forwards ends a promise too early, and one that jumps back a lease too late.',
    ),
    'torn-record': live(
      'A node that returns makes no promise until the ballots of that term are over.',
    ),
    ...TIRELESS_FAULTS,
  },
  create: (timing: Timing, flags: Flags) => createQuorumLease(quorumLeaseOptions(timing, flags)),
  votersIn: null,
  decided: null,
  ...QUORUM,
});

/** The machine of every node. */
export function createQuorumLease(
  options: QuorumLeaseOptions,
): Machine<QuorumLeaseState, QuorumLeaseMessage> {
  return createMachine<QuorumLeaseState, QuorumLeaseMessage, QuorumLeaseOptions>({
    settings: options,
    init: initQuorumLease,
    on: {
      start: seek,
      recover,
      chosen: onDrawn,
      deliver: {
        REQ(step, message, from) {
          if (message.leads) believe(step, message, from);
          onRequest(step, message, from);
        },
        GRANT: onGrant,
        DENY: onDeny,
        MASTER: believe,
      },
      timeout: {
        'lease-a': onLeaseOver,
        'lease-b': onLeaseOver,
        promise(step) {
          step.state.promise = null;
          seek(step);
        },
        belief(step) {
          const { self, state } = step;
          if (state.leader !== null && state.leader !== self.rank) unfollow(step);
          seek(step);
        },
        attempt(step) {
          if (!step.state.waiting) return;
          step.state.waiting = false;
          stand(step);
        },
        renew(step) {
          // Another request would void the grants of this one that are on their way.
          if (step.state.asking) step.state.due = true;
          else if (step.state.role === 'master') ask(step);
        },
        retry(step) {
          if (step.state.role === 'master') ask(step);
        },
      },
    },
    isBarred: ({ role }) => role === 'barred',
    isValid: ({ term }, self, from) => isPeer(self, from) && isTerm(term),
  });
}

/** Grants every request, also renewals, whatever it has promised. */
function grantAll(question: Message): readonly QuorumLeaseMessage[] | null {
  if (question.type !== 'REQ') return null;
  const term = integerIn(question, 'term');
  return [{ type: 'GRANT', term, round: integerIn(question, 'round') }];
}

function recover(step: QuorumLeaseStep, persisted: Json): void {
  const { self, state, effects, settings } = step;
  Object.assign(state, restoreQuorumLease(self, persisted));
  if (state.promise === null) return;
  effects.setTimer('promise', settings.sitOutTicks, false);
  seek(step);
}

function onLeaseOver(step: QuorumLeaseStep, timer: string): void {
  const { state } = step;
  if (timer === pendingTimer(state)) state.asking = false;
  else if (state.role === 'master') depose(step);
  seek(step);
}

/** Waits for its turn to stand, unless it stands, leads, follows or has promised its vote away. */
function seek(step: QuorumLeaseStep): void {
  const { role, waiting, leader } = step.state;
  if (role !== 'follower' || waiting || leader !== null) return;
  if (!isPromisedAway(step, step.self.rank)) draw(step);
}

/** Random waits, so that candidates do not split the votes for ever. */
function draw({ state, effects, settings }: QuorumLeaseStep): void {
  state.waiting = true;
  state.drawing = true;
  effects.choose(settings.retryTicks);
}

function onDrawn({ state, effects, settings }: QuorumLeaseStep, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  effects.setTimer('attempt', settings.retryTicks + value, false);
}

function stand(step: QuorumLeaseStep): void {
  const { self, state } = step;
  if (state.term >= TERM_LIMIT) return;
  state.role = 'candidate';
  vote(step, { term: state.term + 1, votedFor: self.rank });
  ask(step);
  // Alone it is master by now.
  if (state.role === 'candidate') draw(step);
}

/** Asks all members for a lease, the first or the next. It has its own vote. */
function ask(step: QuorumLeaseStep): void {
  const { self, state, effects, settings } = step;
  const { term, role } = state;
  state.round += 1;
  state.asking = true;
  state.due = false;
  state.grants = [self.rank];
  if (settings.countedFrom === 'send') {
    effects.setTimer(pendingTimer(state), settings.holdTicks, false);
  }
  effects.setTimer('renew', Math.max(1, Math.floor(settings.holdTicks / 2)), false);
  // A renewal that is not answered is sent again, until the lease has run out.
  if (role === 'master') effects.setTimer('retry', settings.retryTicks, false);
  broadcast(step, { type: 'REQ', term, round: state.round, leads: role === 'master' });
  confirmIfGranted(step);
}

function onRequest(step: QuorumLeaseStep, { term, round }: Request, from: Rank): void {
  const { state, effects, settings } = step;
  if (!mayGrant(step, from, term)) {
    effects.send(from, { type: 'DENY', term: state.term });
    return;
  }
  withdraw(step);
  vote(step, { term, votedFor: from });
  if (state.leader !== null && state.leader !== from) {
    unfollow(step);
    effects.cancelTimer('belief');
  }
  state.promise = { to: from };
  effects.setTimer('promise', settings.promiseTicks, false);
  effects.send(from, { type: 'GRANT', term, round });
}

/**
 * A node can vote for a candidate if it has promised no other node, and has voted for no other in the
 * term. A master has promised itself.
 */
function mayGrant(step: QuorumLeaseStep, candidate: Rank, term: number): boolean {
  const { state } = step;
  if (state.role === 'master' || isPromisedAway(step, candidate)) return false;
  if (term > state.term) return true;
  const isFree = state.votedFor === null || state.votedFor === candidate;
  return term === state.term && isFree;
}

function isPromisedAway({ state }: QuorumLeaseStep, candidate: Rank): boolean {
  return state.promise !== null && state.promise.to !== candidate;
}

function onGrant(step: QuorumLeaseStep, { term, round }: Grant, from: Rank): void {
  const { state } = step;
  if (!state.asking || term !== state.term || round !== state.round) return;
  if (state.grants.includes(from)) return;
  state.grants.push(from);
  confirmIfGranted(step);
}

/** With a majority the lease that was asked for becomes the one that is held. */
function confirmIfGranted(step: QuorumLeaseStep): void {
  const { self, state, effects, settings } = step;
  if (state.grants.length < majorityOf(self)) return;
  state.asking = false;
  if (state.role === 'master') {
    effects.cancelTimer(state.lease);
    effects.cancelTimer('retry');
  }
  state.lease = pendingTimer(state);
  // The mistake: grantors began to count before the answer arrived.
  if (settings.countedFrom === 'answer') effects.setTimer(state.lease, settings.holdTicks, false);
  if (state.role !== 'master') lead(step);
  if (state.due) ask(step);
}

function lead(step: QuorumLeaseStep): void {
  const { self, state, effects } = step;
  endWait(step);
  state.role = 'master';
  state.leader = self.rank;
  state.leaderTerm = state.term;
  effects.elect(self.rank, state.term);
  broadcast(step, { type: 'MASTER', term: state.term });
}

/** A node reports that it is master. A term below this node's own is over. */
function believe(step: QuorumLeaseStep, { term }: { readonly term: number }, master: Rank): void {
  const { state, effects, settings } = step;
  if (term < state.term || (state.role === 'master' && term === state.term)) return;
  if (state.role === 'master') overthrow(step);
  withdraw(step);
  if (term > state.term) vote(step, { term, votedFor: null });
  if (state.leader !== master || state.leaderTerm !== term) {
    state.leader = master;
    state.leaderTerm = term;
    effects.elect(master, term);
  }
  effects.setTimer('belief', settings.promiseTicks, false);
}

/** A voter is ahead, and would deny every request of this node in its term. */
function onDeny(step: QuorumLeaseStep, { term }: { readonly term: number }): void {
  const { state } = step;
  if (term <= state.term || state.role === 'follower') return;
  if (state.role === 'master') overthrow(step);
  else abandon(step);
  vote(step, { term, votedFor: null });
  seek(step);
}

/** The lease of the node has run out or is given up. The node steps down before it does anything else. */
function depose(step: QuorumLeaseStep): void {
  const { state, effects } = step;
  state.leader = null;
  effects.stepDown();
  if (state.asking) effects.cancelTimer('retry');
  abandon(step);
}

function overthrow(step: QuorumLeaseStep): void {
  depose(step);
  step.effects.cancelTimer(step.state.lease);
}

/** Neither a candidate nor about to be one. */
function withdraw(step: QuorumLeaseStep): void {
  if (step.state.role === 'candidate') abandon(step);
  endWait(step);
}

/** Grants that are on their way no longer count. */
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
