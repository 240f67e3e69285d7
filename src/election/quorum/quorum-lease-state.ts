/**
 * @module
 * What a node of quorum-lease says, remembers and stores. Its ballot, term and vote, is one record on
 * disk: stored apart, a crash between them would free a vote that was already given. Promises are not
 * stored, since there is no clock that runs on through a crash: whoever returns sits out a lease.
 */

import type { Effects, Json, Rank, Self } from '../machine.ts';
import { isTerm } from './majority.ts';

export type QuorumLeaseMessage =
  | {
      readonly type: 'REQ';
      readonly term: number;
      /** Of its sender, so that a late grant does not count for a newer lease. */
      readonly round: number;
      /** A renewal: its sender is master. */
      readonly leads: boolean;
    }
  | { readonly type: 'GRANT'; readonly term: number; readonly round: number }
  | { readonly type: 'DENY'; readonly term: number }
  /** Its sender has the lease. */
  | { readonly type: 'MASTER'; readonly term: number };

/** The lease that is held has the one name, the one that is asked for the other. */
export type LeaseTimer = 'lease-a' | 'lease-b';

export type QuorumLeaseState = {
  /** `barred`: what it found on its disk is no ballot, so that it may have voted. */
  role: 'follower' | 'candidate' | 'master' | 'barred';
  /** 0 before the first election. */
  term: number;
  votedFor: Rank | null;
  /** Timer "promise" runs: it votes for nobody but `to`; null there: it has forgotten for whom. */
  promise: { to: Rank | null } | null;
  leader: Rank | null;
  /** In which the leader leads. */
  leaderTerm: number;
  /** Requests sent to all, since it was last down. */
  round: number;
  /** The last of them may still be granted. */
  asking: boolean;
  /** It is half a lease old, and the next is to follow once this one is granted. */
  due: boolean;
  /** By these, itself included. */
  grants: Rank[];
  lease: LeaseTimer;
  /** It is to stand when timer "attempt" fires. */
  waiting: boolean;
  /** It has asked how long to wait and not been told yet. */
  drawing: boolean;
};

/** Everything one step works with. Ticks are of the node's own clock. */
export interface QuorumLeaseStep {
  readonly options: QuorumLeaseOptions;
  readonly self: Self;
  readonly state: QuorumLeaseState;
  readonly effects: Effects<QuorumLeaseMessage>;
}

export interface QuorumLeaseOptions {
  /** D, for which a grantor promises. */
  readonly promiseTicks: number;
  /** X, for which a master leads. */
  readonly holdTicks: number;
  /** For which a returned grantor makes no promise. */
  readonly sitOutTicks: number;
  /** R: attempts come R to 2R − 1 ticks apart, renewals that nobody answers R. */
  readonly retryTicks: number;
  readonly countedFrom: 'send' | 'answer';
}

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

/** A node as it returns with what was on its disk; with null it has forgotten its votes. */
export function restoreQuorumLease(self: Self, persisted: Json): QuorumLeaseState {
  const state = initQuorumLease();
  if (persisted === null) return { ...state, promise: { to: null } };
  if (typeof persisted === 'object' && 'term' in persisted && 'votedFor' in persisted) {
    const { term, votedFor } = persisted;
    const voted = votedFor === null ? null : self.members.find((member) => member === votedFor);
    // Whoever it voted for last is the only one that it can have promised anything.
    if (isTerm(term) && voted !== undefined) {
      return { ...state, term, votedFor: voted, promise: { to: voted } };
    }
  }
  return { ...state, role: 'barred' };
}

/** Enters a ballot; on disk before anybody hears of it. */
export function vote(
  { state, effects }: Pick<QuorumLeaseStep, 'state' | 'effects'>,
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
