/**
 * @module
 * Messages, state, options and disk record of a node of quorum-lease. Its ballot, term and vote, is one record.
 * If they were stored apart, a crash between the writes would free a vote that was given. Promises are
 * not stored, because no clock runs on through a crash: a node that returns waits for a whole lease.
 */

import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf, TICKS } from '../definition/flags.ts';
import type { Step } from '../handlers.ts';
import { holderTicks, sitOutTicks } from '../lease-interval.ts';
import type { Json, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { isTerm } from './majority.ts';

export type QuorumLeaseMessage =
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
  /** Its sender has the lease. */
  | { readonly type: 'MASTER'; readonly term: number };

/** The lease that is held has one name, and the one that is asked for has the other. */
export type LeaseTimer = 'lease-a' | 'lease-b';

export type QuorumLeaseState = {
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
  /** It stands when timer "attempt" fires. */
  waiting: boolean;
  /** It has asked for a random wait and not received it yet. */
  drawing: boolean;
};

/** Ticks are of the node's own clock. */
export interface QuorumLeaseOptions {
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

export type QuorumLeaseStep = Step<QuorumLeaseState, QuorumLeaseMessage, QuorumLeaseOptions>;

/** A node that has never voted and knows no leader. */
export function initQuorumLease(): QuorumLeaseState {
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
export function restoreQuorumLease(self: Self, persisted: Json): QuorumLeaseState {
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
export function vote(
  { state, effects }: QuorumLeaseStep,
  { term, votedFor }: Pick<QuorumLeaseState, 'term' | 'votedFor'>,
): void {
  if (term === state.term && votedFor === state.votedFor) return;
  state.term = term;
  state.votedFor = votedFor;
  effects.persist({ term, votedFor });
}

/** The name of the lease that is asked for. */
export function pendingTimer({ lease }: QuorumLeaseState): LeaseTimer {
  return lease === 'lease-a' ? 'lease-b' : 'lease-a';
}

/**
 * The default comes first. The other values break safety at a moment.
 *
 * - drift: whether a master subtracts the drift of clocks from its lease, D(1−ρ)/(1+ρ), or counts D.
 * - countedFrom: whether its lease begins when it sends the request, or with the answer that completes
 *   the majority, up to a round trip later.
 */
export const QUORUM_LEASE_FLAGS = {
  drift: ['corrected', 'ignored'],
  countedFrom: ['send', 'answer'],
} as const;

export const QUORUM_LEASE_NUMBERS = {
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
export function quorumLeaseOptions(timing: Timing, flags: Flags): QuorumLeaseOptions {
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
export function quorumLeaseSteadyTicks(timing: Timing, flags: Flags): number {
  return 2 * numbersOf(QUORUM_LEASE_NUMBERS, timing, flags).leaseTicks;
}
