/**
 * @module
 * What a Raft node says, remembers and stores (D. Ongaro and J. Ousterhout, In Search of an
 * Understandable Consensus Protocol, USENIX ATC 2014, figure 2, without the log). Term and vote are
 * one record: stored apart, a crash between them would free a vote that was already given.
 */

import type { Json, Rank, Self } from '../machine.ts';
import { isTerm } from './majority.ts';

/** RequestVote, and its rehearsal, whose term is the one that its sender would begin. */
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
  /** `halted`: what it found on its disk is no record of its own, so that it may have voted. */
  role: 'follower' | 'pre-candidate' | 'candidate' | 'leader' | 'halted';
  /** 0 before the first election. */
  term: number;
  votedFor: Rank | null;
  leader: Rank | null;
  /** Voters of the running candidacy, each once, however often their replies arrive. */
  granted: Rank[];
  refused: Rank[];
  /** Who has answered the leader since it last looked. */
  active: Rank[];
  /** Its election time-out as drawn in this term; 0 until then. */
  timeoutTicks: number;
  /** It has asked for a number and not been told yet. */
  drawing: boolean;
  /** It has heard a leader within the shortest election time-out. */
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

/** A node as it returns with what `recordOf` stored; with null it has forgotten term and vote. */
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

/** What must be on disk before anybody hears of it. */
export function recordOf({ term, votedFor }: RaftState): Json {
  return { term, votedFor };
}
