/**
 * @module
 * What the phases of Zab's leader election share: messages, a node's state, and its disk record. Terms
 * are those of F. Junqueira, B. Reed and M. Serafini (2011), "Zab: High-performance broadcast for
 * primary-backup systems", DSN, and of A. Medeiros (2012), "ZooKeeper's atomic broadcast protocol:
 * theory and practice".
 */

import type { AttributeOf } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import type { Json, Rank, Self } from '../machine.ts';
import { isTerm, majorityOf } from './majority.ts';

/** A candidate and the state of its log. */
export type Vote = {
  readonly leader: Rank;
  /** The last transaction in its log. */
  readonly zxid: number;
  /** The last epoch in which it was synchronised with the leader. */
  readonly peerEpoch: number;
};

export type Notification = Vote & {
  readonly type: 'NOTIFICATION';
  readonly round: number;
  readonly state: 'LOOKING' | 'FOLLOWING' | 'LEADING';
};

/** A message that carries an epoch only. */
export interface EpochMessage {
  /**
   * CEPOCH is a follower's first message to its leader, with the last epoch that it has accepted. ACK
   * and PONG are sent by followers, the other types by leaders.
   */
  readonly type: 'CEPOCH' | 'NEWEPOCH' | 'NEWLEADER' | 'ACK' | 'COMMIT' | 'PING' | 'PONG';
  readonly epoch: number;
}

export interface AckEpoch {
  readonly type: 'ACKEPOCH';
  readonly epoch: number;
  /** False if it promised this epoch to another leader, or no longer knows to which one. */
  readonly promised: boolean;
  readonly currentEpoch: number;
  readonly zxid: number;
}

export type ZabMessage = Notification | EpochMessage | AckEpoch;

export type ZabPhase =
  /** The node has not been started and has received no message. */
  | 'idle'
  /** The disk has no record of the node, so that it takes no part. */
  | 'refused'
  | 'looking'
  /** A leader counts CEPOCH, a follower has sent it. */
  | 'discovery'
  /** A leader counts ACKEPOCH, a follower has sent it. */
  | 'proposal'
  /** A leader counts ACK, a follower has sent it. */
  | 'synchronisation'
  /** The node leads, or follows a leader. */
  | 'broadcast';

export type ZabState = {
  phase: ZabPhase;
  /** The highest epoch that it has accepted, or proposed as a leader. On disk. */
  acceptedEpoch: number;
  /** The leader that it accepted this epoch from. Not on disk. */
  acceptedFrom: Rank | null;
  /** The last epoch in which it was synchronised. On disk. */
  currentEpoch: number;
  /** Number of the election. Not on disk: after a crash it is learned from others. */
  round: number;
  /** The vote of the node while it is looking, then the leader that it follows, itself if it leads. */
  vote: Vote;
  /** The last notification of each sender, by rank (`looking` only). */
  box: Record<string, Notification>;
  /** A quorum agrees with its vote, and timer "finalize" is set. */
  finalizing: boolean;
  /** Ticks until it repeats its vote. */
  notifyTicks: number;
  /** The nodes that have sent CEPOCH to this leader, and the highest epoch in these. */
  known: Rank[];
  knownEpochMax: number;
  /** The nodes that have sent this leader ACKEPOCH with a promise, ACK, and lately PONG. */
  promised: Rank[];
  synced: Rank[];
  heard: Rank[];
};

export interface ZabSettings {
  readonly finalizeWaitTicks: number;
  readonly heartbeatTicks: number;
  readonly silenceTicks: number;
  /** The last transaction in the log of a rank. */
  readonly zxidOf: AttributeOf;
}

export type ZabStep = Step<ZabState, ZabMessage, ZabSettings>;

/** A node that has not been started. */
export function initZab(self: Self): ZabState {
  return {
    phase: 'idle',
    acceptedEpoch: 0,
    acceptedFrom: null,
    currentEpoch: 0,
    round: 0,
    vote: { leader: self.rank, zxid: 0, peerEpoch: 0 },
    box: {},
    finalizing: false,
    notifyTicks: 0,
    known: [],
    knownEpochMax: 0,
    promised: [],
    synced: [],
    heard: [],
  };
}

/** Stores both epochs in one write. */
export function persistEpochs({ state, effects }: ZabStep): void {
  effects.persist({ acceptedEpoch: state.acceptedEpoch, currentEpoch: state.currentEpoch });
}

/** What `persistEpochs` stored: 0 and 0 for an empty disk, null for anything else. */
export function readEpochs(
  persisted: Json,
): { readonly acceptedEpoch: number; readonly currentEpoch: number } | null {
  if (persisted === null) return { acceptedEpoch: 0, currentEpoch: 0 };
  if (typeof persisted !== 'object' || Array.isArray(persisted)) return null;
  // isArray does not rule out a read-only array for the compiler: hence the `as`.
  const { acceptedEpoch, currentEpoch } = persisted as { readonly [field: string]: Json };
  if (!isTerm(acceptedEpoch) || !isTerm(currentEpoch)) return null;
  return currentEpoch <= acceptedEpoch ? { acceptedEpoch, currentEpoch } : null;
}

/** Whether every epoch and round in a message is an exact number. */
export function isExact(message: ZabMessage): boolean {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return ['epoch', 'peerEpoch', 'currentEpoch', 'round'].every((field) => {
    const value = fields[field];
    return value === undefined || isTerm(value);
  });
}

/** Whether these nodes, none of which is this one, are a quorum together with it. */
export function isQuorumWithSelf(self: Self, others: readonly Rank[]): boolean {
  return others.length + 1 >= majorityOf(self);
}

/** Adds a rank to a set that is kept as a list. */
export function note(ranks: Rank[], rank: Rank): void {
  if (!ranks.includes(rank)) ranks.push(rank);
}
