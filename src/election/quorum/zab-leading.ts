/**
 * @module
 * A prospective leader's side of Zab. Discovery: from the accepted epochs of a quorum it makes a higher
 * one, which a quorum promises. Synchronisation: a quorum acknowledges its history. Only then does it
 * lead, while a quorum answers its PINGs (F. Junqueira, B. Reed and M. Serafini 2011, "Zab", DSN,
 * section IV). A promise is given to one leader, so that an epoch has one. Every message may arrive
 * twice: a follower that misses an answer sends CEPOCH again and repeats all steps.
 */

import type { Rank } from '../machine.ts';
import { TERM_LIMIT } from './majority.ts';
import { compareVotes, look } from './zab-looking.ts';
import type { AckEpoch, EpochMessage, ZabStep } from './zab-state.ts';
import { isQuorumWithSelf, note, persistEpochs } from './zab-state.ts';

/** Begins discovery. Nodes that followed before this one knew that it leads are counted already. */
export function lead(step: ZabStep): void {
  const { state, effects, settings } = step;
  state.phase = 'discovery';
  state.promised = [];
  state.synced = [];
  state.heard = [];
  effects.setTimer('silence', settings.silenceTicks, false);
  proposeIfKnown(step);
}

/** The first message of a node that takes this one for its leader. */
export function onCepoch(step: ZabStep, { epoch }: EpochMessage, from: Rank): void {
  const { state, effects } = step;
  if (state.phase === 'looking' || state.phase === 'discovery') {
    note(state.known, from);
    state.knownEpochMax = Math.max(state.knownEpochMax, epoch);
    if (state.phase === 'discovery') proposeIfKnown(step);
  } else if (epoch > state.acceptedEpoch) {
    // An epoch must not fall, so that only a higher one can win this follower.
    look(step);
  } else {
    effects.send(from, { type: 'NEWEPOCH', epoch: state.acceptedEpoch });
  }
}

/** A follower's answer to the proposed epoch. */
export function onAckEpoch(step: ZabStep, message: AckEpoch, from: Rank): void {
  const { state, effects } = step;
  if (state.phase === 'proposal') {
    if (isAhead(step, message, from)) {
      look(step);
      return;
    }
    if (message.promised) note(state.promised, from);
    synchroniseIfPromised(step);
  } else if (state.phase === 'synchronisation' || state.phase === 'broadcast') {
    effects.send(from, { type: 'NEWLEADER', epoch: state.acceptedEpoch });
  }
}

/** A follower has this node's history. */
export function onAck(step: ZabStep, _message: EpochMessage, from: Rank): void {
  const { state, effects } = step;
  if (state.phase !== 'synchronisation' && state.phase !== 'broadcast') return;
  note(state.synced, from);
  if (state.phase === 'synchronisation') establishIfSynced(step);
  else effects.send(from, { type: 'COMMIT', epoch: state.acceptedEpoch });
}

/** A follower answers a heartbeat. */
export function onPong(step: ZabStep, _message: EpochMessage, from: Rank): void {
  if (step.state.phase !== 'broadcast') return;
  note(step.state.heard, from);
  restartSilence(step);
}

/** Heartbeats go to all nodes that have been synchronised. */
export function ping(step: ZabStep): void {
  sendEpoch(step, 'PING', step.state.synced);
  // A quorum of one needs no answer.
  restartSilence(step);
}

function proposeIfKnown(step: ZabStep): void {
  const { self, state } = step;
  if (!isQuorumWithSelf(self, state.known)) return;
  const epoch = Math.max(state.acceptedEpoch, state.knownEpochMax) + 1;
  if (epoch > TERM_LIMIT) return;
  state.phase = 'proposal';
  state.acceptedEpoch = epoch;
  state.acceptedFrom = self.rank;
  persistEpochs(step);
  sendEpoch(step, 'NEWEPOCH', state.known);
  synchroniseIfPromised(step);
}

/** Whether a follower has transactions that this node lacks. A quorum may have committed them. */
function isAhead(step: ZabStep, { currentEpoch, zxid }: AckEpoch, from: Rank): boolean {
  const { self, state, settings } = step;
  const theirs = { leader: from, peerEpoch: currentEpoch, zxid };
  const own = { leader: from, peerEpoch: state.currentEpoch, zxid: settings.zxidOf(self.rank) };
  return compareVotes(theirs, own) > 0;
}

function synchroniseIfPromised(step: ZabStep): void {
  const { self, state } = step;
  if (!isQuorumWithSelf(self, state.promised)) return;
  state.phase = 'synchronisation';
  state.currentEpoch = state.acceptedEpoch;
  persistEpochs(step);
  sendEpoch(step, 'NEWLEADER', state.promised);
  establishIfSynced(step);
}

function establishIfSynced(step: ZabStep): void {
  const { self, state, effects, settings } = step;
  if (!isQuorumWithSelf(self, state.synced)) return;
  state.phase = 'broadcast';
  effects.elect(self.rank, state.acceptedEpoch);
  sendEpoch(step, 'COMMIT', state.synced);
  effects.setTimer('silence', settings.silenceTicks, false);
  effects.setTimer('heartbeat', settings.heartbeatTicks, true);
}

/** After a quorum has answered, another one must answer within the same time. */
function restartSilence({ self, state, effects, settings }: ZabStep): void {
  if (!isQuorumWithSelf(self, state.heard)) return;
  state.heard = [];
  effects.setTimer('silence', settings.silenceTicks, false);
}

function sendEpoch(
  { state, effects }: ZabStep,
  type: EpochMessage['type'],
  followers: readonly Rank[],
): void {
  for (const follower of followers) effects.send(follower, { type, epoch: state.acceptedEpoch });
}
