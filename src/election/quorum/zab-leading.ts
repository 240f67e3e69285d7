/**
 * @module
 * A prospective leader's side of Zab. Discovery: from a quorum's accepted epochs it makes a higher one
 * and has a quorum promise it; synchronisation: a quorum acknowledges its history; only then does it
 * lead, as long as a quorum answers its PINGs (F. Junqueira, B. Reed and M. Serafini 2011, "Zab", DSN,
 * section IV). Any promise is given to one leader, so an epoch has one. Everything may come twice: a
 * follower that is short of an answer says CEPOCH again and is led through all steps once more.
 */

import type { Rank } from '../machine.ts';
import { TERM_LIMIT } from './majority.ts';
import { compareVotes } from './zab-looking.ts';
import type { AckEpoch, FollowerWord, LeaderWord, Next, ZabStep } from './zab-state.ts';
import { isQuorumWithSelf, note, persistEpochs } from './zab-state.ts';

/** Begins discovery; who followed before this node knew that it leads is counted already. */
export function lead(context: ZabStep): void {
  const { ticks, state, effects } = context;
  state.phase = 'discovery';
  state.promised = [];
  state.synced = [];
  state.heard = [];
  effects.setTimer('silence', ticks.silenceTicks, false);
  proposeIfKnown(context);
}

/** A node's first word to the one it takes for its leader. */
export function hearCepoch(context: ZabStep, from: Rank, epoch: number): Next {
  const { state, effects } = context;
  if (state.phase === 'looking' || state.phase === 'discovery') {
    note(state.known, from);
    state.knownEpochMax = Math.max(state.knownEpochMax, epoch);
    if (state.phase === 'discovery') proposeIfKnown(context);
    return 'stay';
  }
  // It must not go back, so nothing but a higher epoch can win it over.
  if (epoch > state.acceptedEpoch) return 'look';
  effects.send(from, { type: 'NEWEPOCH', epoch: state.acceptedEpoch });
  return 'stay';
}

/** What a follower says to its leader's proposals. */
export function hearFollower(context: ZabStep, from: Rank, message: FollowerWord): Next {
  if (message.epoch !== context.state.acceptedEpoch) return 'stay';
  switch (message.type) {
    case 'ACKEPOCH':
      return hearAckEpoch(context, from, message);
    case 'ACK':
      hearAck(context, from);
      return 'stay';
    case 'PONG':
      if (context.state.phase === 'broadcast') hearPong(context, from);
      return 'stay';
    default:
      return message satisfies never;
  }
}

/** Heartbeats go to all that have been synchronised. */
export function ping(context: ZabStep): void {
  tell(context, 'PING', context.state.synced);
  // A quorum of one needs no answer.
  listenOn(context);
}

function proposeIfKnown(context: ZabStep): void {
  const { self, state } = context;
  if (!isQuorumWithSelf(self, state.known)) return;
  const epoch = Math.max(state.acceptedEpoch, state.knownEpochMax) + 1;
  if (epoch > TERM_LIMIT) return;
  state.phase = 'proposal';
  state.acceptedEpoch = epoch;
  state.acceptedFrom = self.rank;
  persistEpochs(context);
  tell(context, 'NEWEPOCH', state.known);
  synchroniseIfPromised(context);
}

function hearAckEpoch(context: ZabStep, from: Rank, message: AckEpoch): Next {
  const { state, effects } = context;
  if (state.phase === 'proposal') {
    if (isAhead(context, from, message)) return 'look';
    if (message.promised) note(state.promised, from);
    synchroniseIfPromised(context);
  } else if (state.phase === 'synchronisation' || state.phase === 'broadcast') {
    effects.send(from, { type: 'NEWLEADER', epoch: state.acceptedEpoch });
  }
  return 'stay';
}

/** A follower has what its leader lacks, and what a quorum may have committed. */
function isAhead(context: ZabStep, from: Rank, { currentEpoch, zxid }: AckEpoch): boolean {
  const { self, state, zxidOf } = context;
  const theirs = { leader: from, peerEpoch: currentEpoch, zxid };
  const own = { leader: from, peerEpoch: state.currentEpoch, zxid: zxidOf(self.rank) };
  return compareVotes(theirs, own) > 0;
}

function synchroniseIfPromised(context: ZabStep): void {
  const { self, state } = context;
  if (!isQuorumWithSelf(self, state.promised)) return;
  state.phase = 'synchronisation';
  state.currentEpoch = state.acceptedEpoch;
  persistEpochs(context);
  tell(context, 'NEWLEADER', state.promised);
  establishIfSynced(context);
}

function hearAck(context: ZabStep, from: Rank): void {
  const { state, effects } = context;
  if (state.phase !== 'synchronisation' && state.phase !== 'broadcast') return;
  note(state.synced, from);
  if (state.phase === 'synchronisation') establishIfSynced(context);
  else effects.send(from, { type: 'COMMIT', epoch: state.acceptedEpoch });
}

function establishIfSynced(context: ZabStep): void {
  const { ticks, self, state, effects } = context;
  if (!isQuorumWithSelf(self, state.synced)) return;
  state.phase = 'broadcast';
  effects.elect(self.rank, state.acceptedEpoch);
  tell(context, 'COMMIT', state.synced);
  effects.setTimer('silence', ticks.silenceTicks, false);
  effects.setTimer('heartbeat', ticks.heartbeatTicks, true);
}

function hearPong(context: ZabStep, from: Rank): void {
  note(context.state.heard, from);
  listenOn(context);
}

/** Once a quorum has answered, another one has to within as long again. */
function listenOn({ ticks, self, state, effects }: ZabStep): void {
  if (!isQuorumWithSelf(self, state.heard)) return;
  state.heard = [];
  effects.setTimer('silence', ticks.silenceTicks, false);
}

function tell(
  { state, effects }: ZabStep,
  type: LeaderWord['type'],
  followers: readonly Rank[],
): void {
  for (const follower of followers) effects.send(follower, { type, epoch: state.acceptedEpoch });
}
