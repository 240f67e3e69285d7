/**
 * @module
 * Messages, state and disk record of a node of zk-slide-quorum. Epoch and candidate of its last
 * acknowledgement are one record. With only one of them it could acknowledge an epoch twice.
 */

import type { Step } from '../handlers.ts';
import type { Json, Rank, Self } from '../machine.ts';
import { isTerm } from './majority.ts';

export type SlideQuorumMessage =
  | {
      /** A candidate's question, a voter's acknowledgement, and a leader's announcement. */
      readonly type: 'NEW_LEADER' | 'ACK' | 'COMMIT';
      readonly epoch: number;
      readonly id: Rank;
    }
  /** A refusal, with the last epoch that the sender has acknowledged. */
  | { readonly type: 'NACK'; readonly epoch: number };

export type SlideQuorumState = {
  /** `barred`: its disk has no record of its own, so that it may have voted. */
  role: 'follower' | 'candidate' | 'barred';
  /** The last epoch that it has acknowledged. 0 before the first. */
  ackedEpoch: number;
  ackedId: Rank | null;
  /** The highest epoch that it knows of. */
  epochMax: number;
  /** The pointer: the leader that it follows, itself if it leads, and the leader's epoch. */
  leader: Rank | null;
  epoch: number;
  /** Voters of its own candidacy, each once. */
  acks: Rank[];
  /** Nodes that its detector suspects. */
  down: Rank[];
  /** Higher members that it has waited for without a result. */
  silent: Rank[];
  /** Timer "check" runs. */
  waiting: boolean;
  /** It has asked for a random back-off and not received it yet. */
  drawing: boolean;
};

export interface SlideQuorumOptions {
  /** R: a candidate without a quorum tries again after R to 2R − 1 ticks. */
  readonly retryTicks: number;
  /** How long a node waits for its successor to bring about a leader. */
  readonly checkTicks: number;
}

export type SlideQuorumStep = Step<SlideQuorumState, SlideQuorumMessage, SlideQuorumOptions>;

/** A node that has acknowledged no candidate. The dead leader of before the run is down. */
export function initSlideQuorum({ incumbent }: Pick<Self, 'incumbent'>): SlideQuorumState {
  return {
    role: 'follower',
    ackedEpoch: 0,
    ackedId: null,
    epochMax: 0,
    leader: null,
    epoch: 0,
    acks: [],
    down: incumbent === null ? [] : [incumbent],
    silent: [],
    waiting: false,
    drawing: false,
  };
}

/** A node that returns with what was on its disk. With null it has forgotten its acknowledgement. */
export function restoreSlideQuorum(self: Self, persisted: Json): SlideQuorumState {
  // A node that was down before may be up again.
  const state = initSlideQuorum({ incumbent: null });
  if (persisted === null) return state;
  if (typeof persisted === 'object' && 'ackedEpoch' in persisted && 'ackedId' in persisted) {
    const { ackedEpoch, ackedId } = persisted;
    const acked = self.members.find((member) => member === ackedId);
    if (isTerm(ackedEpoch) && acked !== undefined) {
      // It may have followed the node that it acknowledged, and follows none of an earlier epoch.
      return { ...state, ackedEpoch, ackedId: acked, epochMax: ackedEpoch, epoch: ackedEpoch };
    }
  }
  return { ...state, role: 'barred' };
}

/** Binds a node to one candidate of an epoch. It is on disk before any message depends on it. */
export function acknowledge(
  { state, effects }: SlideQuorumStep,
  { epoch, id }: { readonly epoch: number; readonly id: Rank },
): void {
  state.ackedEpoch = epoch;
  state.ackedId = id;
  effects.persist({ ackedEpoch: epoch, ackedId: id });
}

/** Whether it follows a leader and has acknowledged none of a later epoch. */
export function isSettled({ leader, epoch, ackedEpoch }: SlideQuorumState): boolean {
  return leader !== null && epoch >= ackedEpoch;
}

/** The next higher member that is neither down nor silent as far as it knows. Null if there is none. */
export function liveSuccessor(self: Self, { down, silent }: SlideQuorumState): Rank | null {
  const isUp = (member: Rank) => !down.includes(member) && !silent.includes(member);
  return self.members.find((member) => member > self.rank && isUp(member)) ?? null;
}
