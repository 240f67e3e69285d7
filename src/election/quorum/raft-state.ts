/**
 * @module
 * Messages, state and disk record of a Raft node (D. Ongaro and J. Ousterhout, In Search of an
 * Understandable Consensus Algorithm, USENIX ATC 2014, figure 2, without the log). Term and vote are
 * one record. If they were stored apart, a crash between the writes would free a vote that was given.
 */

import type { Json, Rank, Self } from '../machine.ts';
import { isTerm } from './majority.ts';

/** RequestVote, and its dry run PRE_VOTE, whose term is the one that its sender would begin. */
export interface VoteQuestion<Type extends 'VOTE' | 'PRE_VOTE'> {
  readonly type: Type;
  readonly term: number;
  readonly lastIndex: number;
}

export interface VoteReply<Type extends 'VOTE_REPLY' | 'PRE_VOTE_REPLY'> {
  readonly type: Type;
  readonly term: number;
  readonly granted: boolean;
}

export type RaftMessage =
  | VoteQuestion<'VOTE'>
  | VoteQuestion<'PRE_VOTE'>
  | VoteReply<'VOTE_REPLY'>
  | VoteReply<'PRE_VOTE_REPLY'>
  /** An empty AppendEntries. Its sender is the leader. */
  | { readonly type: 'HEARTBEAT' | 'HEARTBEAT_REPLY'; readonly term: number };

export type RaftState = {
  /** `halted`: its disk has no record of its own, so that it may have voted. */
  role: 'follower' | 'pre-candidate' | 'candidate' | 'leader' | 'halted';
  /** 0 before the first election. */
  term: number;
  votedFor: Rank | null;
  leader: Rank | null;
  /** Voters of the running candidacy, each once, however often their replies arrive. */
  granted: Rank[];
  refused: Rank[];
  /** Nodes that have answered the leader since it last checked. */
  active: Rank[];
  /** Its election time-out as drawn in this term, in ticks. 0 until then. */
  timeoutTicks: number;
  /** It has asked for a random number and not received it yet. */
  drawing: boolean;
  /** It has received a leader's heartbeat within the shortest election time-out. */
  leased: boolean;
};

/** A node that has never voted and knows no leader. */
export function createRaftState(): RaftState {
  return {
    role: 'follower',
    term: 0,
    votedFor: null,
    leader: null,
    granted: [],
    refused: [],
    active: [],
    timeoutTicks: 0,
    drawing: false,
    leased: false,
  };
}

/** A node that returns with what `recordOf` stored. With null it has forgotten term and vote. */
export function restoreRaftState(self: Self, persisted: Json): RaftState {
  const state = createRaftState();
  if (persisted === null) return state;
  if (typeof persisted === 'object' && 'term' in persisted && 'votedFor' in persisted) {
    const { term, votedFor } = persisted;
    const voted = votedFor === null ? null : self.members.find((member) => member === votedFor);
    if (isTerm(term) && voted !== undefined) return { ...state, term, votedFor: voted };
  }
  return { ...state, role: 'halted' };
}

/** What must be on disk before any message that depends on it is sent. */
export function recordOf({ term, votedFor }: RaftState): Json {
  return { term, votedFor };
}
