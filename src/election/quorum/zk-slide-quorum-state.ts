/**
 * @module
 * What a node of zk-slide-quorum says, remembers and stores. What it acknowledged last is one record
 * on disk, epoch and candidate: of one without the other it could acknowledge an epoch twice.
 */

import type { Effects, Json, Rank, Self } from '../machine.ts';
import { isTerm } from './majority.ts';

export type SlideQuorumMessage =
  | {
      /** A candidate's question, its voters' yes, and what a quorum of them makes true. */
      readonly type: 'NEW_LEADER' | 'ACK' | 'COMMIT';
      readonly epoch: number;
      readonly id: Rank;
    }
  /** No, this epoch is taken: the last that its sender has acknowledged. */
  | { readonly type: 'NACK'; readonly epoch: number };

export type SlideQuorumState = {
  /** `barred`: what it found on its disk is no record of its own, so that it may have voted. */
  role: 'follower' | 'candidate' | 'barred';
  /** 0 before the first. */
  ackedEpoch: number;
  ackedId: Rank | null;
  /** The highest epoch it has heard of. */
  epochMax: number;
  /** Whom the pointer names, itself when it leads, and since which epoch. */
  leader: Rank | null;
  epoch: number;
  /** Of its own candidacy, each voter once. */
  acks: Rank[];
  /** Who is down by its detector's word. */
  down: Rank[];
  /** Higher members for which it has waited in vain. */
  silent: Rank[];
  /** Timer "check" runs. */
  waiting: boolean;
  /** It has asked how long to back off and not been told yet. */
  drawing: boolean;
};

/** Everything one step works with. */
export interface SlideQuorumStep {
  readonly options: SlideQuorumOptions;
  readonly self: Self;
  readonly state: SlideQuorumState;
  readonly effects: Effects<SlideQuorumMessage>;
}

export interface SlideQuorumOptions {
  /** R: a candidate without a quorum tries again after R to 2R − 1 ticks. */
  readonly retryTicks: number;
  /** For how long a node waits for its successor to bring about a leader. */
  readonly checkTicks: number;
}

/** A node that has acknowledged nobody; the dead leader everybody knew is down. */
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

/** A node as it returns with what was on its disk; with null it has forgotten what it acknowledged. */
export function restoreSlideQuorum(self: Self, persisted: Json): SlideQuorumState {
  // Who was down before may be back.
  const state = initSlideQuorum({ incumbent: null });
  if (persisted === null) return state;
  if (typeof persisted === 'object' && 'ackedEpoch' in persisted && 'ackedId' in persisted) {
    const { ackedEpoch, ackedId } = persisted;
    const acked = self.members.find((member) => member === ackedId);
    if (isTerm(ackedEpoch) && acked !== undefined) {
      // It may have followed whom it acknowledged, and follows nobody from before that.
      return { ...state, ackedEpoch, ackedId: acked, epochMax: ackedEpoch, epoch: ackedEpoch };
    }
  }
  return { ...state, role: 'barred' };
}

/** Binds a node to one candidate of an epoch; on disk before anybody hears of it. */
export function acknowledge(
  { state, effects }: Pick<SlideQuorumStep, 'state' | 'effects'>,
  { epoch, id }: { readonly epoch: number; readonly id: Rank },
): void {
  state.ackedEpoch = epoch;
  state.ackedId = id;
  effects.persist({ ackedEpoch: epoch, ackedId: id });
}

/** It follows a leader, and has acknowledged none that would come after. */
export function isSettled({ leader, epoch, ackedEpoch }: SlideQuorumState): boolean {
  return leader !== null && epoch >= ackedEpoch;
}

/** The next higher member that it does not hold for down or silent; null for the highest. */
export function liveSuccessor(self: Self, { down, silent }: SlideQuorumState): Rank | null {
  const isUp = (member: Rank) => !down.includes(member) && !silent.includes(member);
  return self.members.find((member) => member > self.rank && isUp(member)) ?? null;
}
