/**
 * @module
 * A follower's side of Zab. It reports the epoch that it has accepted to its leader, promises a higher
 * one, acknowledges the leader's history, and follows when a quorum has done so (F. Junqueira, B. Reed
 * and M. Serafini 2011, "Zab", DSN, section IV). What it promises or acknowledges is on disk before it
 * is sent.
 */

import { look } from './zab-looking.ts';
import type { EpochMessage, ZabStep } from './zab-state.ts';
import { persistEpochs } from './zab-state.ts';

/** Begins discovery with the leader of its vote. */
export function follow(step: ZabStep): void {
  step.state.phase = 'discovery';
  restartSilence(step);
  introduce(step);
}

/** Its first message to the leader. It is repeated if an answer is missing. */
export function introduce(step: ZabStep): void {
  const { state, effects } = step;
  effects.send(state.vote.leader, { type: 'CEPOCH', epoch: state.acceptedEpoch });
  awaitAnswer(step);
}

/** The leader proposes an epoch. */
export function onNewEpoch(step: ZabStep, { epoch }: EpochMessage): void {
  const { self, state, effects, settings } = step;
  const { leader } = state.vote;
  if (state.phase === 'broadcast') return;
  if (epoch < state.acceptedEpoch) {
    look(step);
    return;
  }
  if (epoch > state.acceptedEpoch) {
    state.acceptedEpoch = epoch;
    state.acceptedFrom = leader;
    persistEpochs(step);
    state.phase = 'discovery';
  }
  if (state.phase === 'discovery') state.phase = 'proposal';
  effects.send(leader, {
    type: 'ACKEPOCH',
    epoch,
    promised: state.acceptedFrom === leader,
    currentEpoch: state.currentEpoch,
    zxid: settings.zxidOf(self.rank),
  });
  awaitAnswer(step);
}

/** The leader has a quorum's promises, and sends its history. */
export function onNewLeader(step: ZabStep, { epoch }: EpochMessage): void {
  const { state, effects } = step;
  if (state.phase !== 'proposal' && state.phase !== 'synchronisation') return;
  if (epoch !== state.acceptedEpoch) return;
  state.phase = 'synchronisation';
  if (state.currentEpoch !== epoch) {
    state.currentEpoch = epoch;
    persistEpochs(step);
  }
  effects.send(state.vote.leader, { type: 'ACK', epoch });
  awaitAnswer(step);
}

/** A quorum has acknowledged the leader's history. */
export function onCommit(step: ZabStep, { epoch }: EpochMessage): void {
  const { state, effects } = step;
  if (state.phase !== 'synchronisation' || epoch !== state.currentEpoch) return;
  state.phase = 'broadcast';
  effects.cancelTimer('retry');
  restartSilence(step);
  effects.elect(state.vote.leader, epoch);
}

/** The leader's heartbeat. */
export function onPing(step: ZabStep, { epoch }: EpochMessage): void {
  const { state, effects } = step;
  if (state.phase !== 'broadcast' || epoch !== state.currentEpoch) return;
  effects.send(state.vote.leader, { type: 'PONG', epoch });
  restartSilence(step);
}

function restartSilence({ effects, settings }: ZabStep): void {
  effects.setTimer('silence', settings.silenceTicks, false);
}

function awaitAnswer({ effects, settings }: ZabStep): void {
  effects.setTimer('retry', settings.heartbeatTicks, false);
}
