/**
 * @module
 * What the phases of Zab's leader election share: messages, a node's state, what of it is on disk, and
 * what one step works with. Words are those of F. Junqueira, B. Reed and M. Serafini (2011), "Zab:
 * High-performance broadcast for primary-backup systems", DSN, and of A. Medeiros (2012), "ZooKeeper's
 * atomic broadcast protocol: theory and practice".
 */

import type { Effects, Json, Rank, Self } from '../machine.ts';
import type { AttributeOf } from '../protocol.ts';
import { isTerm, majorityOf } from './majority.ts';

/** A candidate, and what of its log speaks for it. */
export type Vote = {
  readonly leader: Rank;
  /** The last transaction in its log. */
  readonly zxid: number;
  /** The last epoch whose leader it was in synchrony with. */
  readonly peerEpoch: number;
};

export type Notification = Vote & {
  readonly type: 'NOTIFICATION';
  readonly round: number;
  readonly state: 'LOOKING' | 'FOLLOWING' | 'LEADING';
};

export interface AckEpoch {
  readonly type: 'ACKEPOCH';
  readonly epoch: number;
  /** False: it had promised this epoch to another leader, or does not know any more to whom. */
  readonly promised: boolean;
  readonly currentEpoch: number;
  readonly zxid: number;
}

/** What a follower says of what its leader proposed. */
export type FollowerWord = AckEpoch | { readonly type: 'ACK' | 'PONG'; readonly epoch: number };

/** What a leader says to its followers. */
export interface LeaderWord {
  readonly type: 'NEWEPOCH' | 'NEWLEADER' | 'COMMIT' | 'PING';
  readonly epoch: number;
}

export type ZabMessage =
  | Notification
  /** A follower's first word to its leader: the last epoch that it has accepted. */
  | { readonly type: 'CEPOCH'; readonly epoch: number }
  | FollowerWord
  | LeaderWord;

export type ZabPhase =
  /** It has not been started and nobody has spoken to it. */
  | 'idle'
  /** What it found on its disk is not what it writes there: it takes no part. */
  | 'refused'
  | 'looking'
  /** A leader counts CEPOCH, a follower has sent it. */
  | 'discovery'
  /** A leader counts ACKEPOCH, a follower has sent it. */
  | 'proposal'
  /** A leader counts ACK, a follower has sent it. */
  | 'synchronisation'
  /** Led, and followed. */
  | 'broadcast';

export type ZabState = {
  phase: ZabPhase;
  /** The highest epoch it has accepted (or proposed, as a leader); on disk. */
  acceptedEpoch: number;
  /** From whom; not on disk. */
  acceptedFrom: Rank | null;
  /** The last epoch it has been synchronised in; on disk. */
  currentEpoch: number;
  /** Of the election: not on disk, and told by others after a crash. */
  round: number;
  /** Its vote while it is looking, then whom it follows, itself when it leads. */
  vote: Vote;
  /** The last notification of each sender, by rank (`looking` only). */
  box: Record<string, Notification>;
  /** A quorum agrees with its vote, and timer "finalize" is set. */
  finalizing: boolean;
  /** How long it waits before it says its vote again. */
  notifyTicks: number;
  /** A leader's: who has sent CEPOCH, and the highest epoch in it. */
  known: Rank[];
  knownEpochMax: number;
  /** A leader's: who has sent ACKEPOCH with a promise, who ACK, and who PONG lately. */
  promised: Rank[];
  synced: Rank[];
  heard: Rank[];
};

export type ZabTicks = {
  readonly [Name in 'finalizeWaitTicks' | 'heartbeatTicks' | 'silenceTicks']: number;
};

/** Everything one step works with. */
export interface ZabStep {
  readonly ticks: ZabTicks;
  readonly zxidOf: AttributeOf;
  readonly self: Self;
  readonly state: ZabState;
  readonly effects: Effects<ZabMessage>;
}

/** What a node does next, after an event: `stay` is nothing more. */
export type Next = 'stay' | 'look' | 'lead' | 'follow';

/** A node that nobody has started. */
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

/** Both epochs in one write. */
export function persistEpochs({ state, effects }: ZabStep): void {
  effects.persist({ acceptedEpoch: state.acceptedEpoch, currentEpoch: state.currentEpoch });
}

/** What `persistEpochs` wrote; 0 and 0 for an empty disk, null for anything else. */
export function readEpochs(
  persisted: Json,
): { readonly acceptedEpoch: number; readonly currentEpoch: number } | null {
  if (persisted === null) return { acceptedEpoch: 0, currentEpoch: 0 };
  if (typeof persisted !== 'object' || Array.isArray(persisted)) return null;
  // isArray does not rule out a read-only array for the compiler: hence the `as`.
  const { acceptedEpoch, currentEpoch } = persisted as { readonly [field: string]: Json };
  if (!isEpoch(acceptedEpoch) || !isEpoch(currentEpoch)) return null;
  return currentEpoch <= acceptedEpoch ? { acceptedEpoch, currentEpoch } : null;
}

function isEpoch(value: Json | undefined): value is number {
  return isTerm(value);
}

/** Whether every epoch and round in a message is an exact number. */
export function isExact(message: ZabMessage): boolean {
  const fields: Readonly<Record<string, unknown>> = { ...message };
  return ['epoch', 'peerEpoch', 'currentEpoch', 'round'].every((field) => {
    const value = fields[field];
    return value === undefined || isTerm(value);
  });
}

/** Whether these, none of which is the node itself, are a quorum together with it. */
export function isQuorumWithSelf(self: Self, others: readonly Rank[]): boolean {
  return others.length + 1 >= majorityOf(self);
}

/** Adds a rank to a set kept as a list. */
export function note(ranks: Rank[], rank: Rank): void {
  if (!ranks.includes(rank)) ranks.push(rank);
}
