/**
 * @module
 * A follower's side of Zab: it tells its leader what epoch it has accepted, promises a higher one,
 * acknowledges the leader's history, and follows when a quorum has (F. Junqueira, B. Reed and M.
 * Serafini 2011, "Zab", DSN, section IV). What it promises or acknowledges is on disk before it says so.
 */

import type { Rank } from '../machine.ts';
import type { LeaderWord, Next, ZabStep } from './zab-state.ts';
import { persistEpochs } from './zab-state.ts';

/** Begins discovery with the leader of its vote. */
export function follow(context: ZabStep): void {
  const { ticks, state, effects } = context;
  state.phase = 'discovery';
  effects.setTimer('silence', ticks.silenceTicks, false);
  introduce(context);
}

/** Its first word; said again when an answer is missing. */
export function introduce(context: ZabStep): void {
  const { state, effects } = context;
  effects.send(state.vote.leader, { type: 'CEPOCH', epoch: state.acceptedEpoch });
  awaitAnswer(context);
}

/** What a leader says to its followers. */
export function hearLeader(context: ZabStep, from: Rank, message: LeaderWord): Next {
  if (from !== context.state.vote.leader) return 'stay';
  switch (message.type) {
    case 'NEWEPOCH':
      return hearNewEpoch(context, message.epoch);
    case 'NEWLEADER':
      hearNewLeader(context, message.epoch);
      return 'stay';
    case 'COMMIT':
      hearCommit(context, message.epoch);
      return 'stay';
    case 'PING':
      hearPing(context, message.epoch);
      return 'stay';
    default:
      return message.type satisfies never;
  }
}

function hearNewEpoch(context: ZabStep, epoch: number): Next {
  const { zxidOf, self, state, effects } = context;
  const { leader } = state.vote;
  if (state.phase === 'broadcast') return 'stay';
  if (epoch < state.acceptedEpoch) return 'look';
  if (epoch > state.acceptedEpoch) {
    state.acceptedEpoch = epoch;
    state.acceptedFrom = leader;
    persistEpochs(context);
    state.phase = 'discovery';
  }
  if (state.phase === 'discovery') state.phase = 'proposal';
  effects.send(leader, {
    type: 'ACKEPOCH',
    epoch,
    promised: state.acceptedFrom === leader,
    currentEpoch: state.currentEpoch,
    zxid: zxidOf(self.rank),
  });
  awaitAnswer(context);
  return 'stay';
}

function hearNewLeader(context: ZabStep, epoch: number): void {
  const { state, effects } = context;
  if (state.phase !== 'proposal' && state.phase !== 'synchronisation') return;
  if (epoch !== state.acceptedEpoch) return;
  state.phase = 'synchronisation';
  if (state.currentEpoch !== epoch) {
    state.currentEpoch = epoch;
    persistEpochs(context);
  }
  effects.send(state.vote.leader, { type: 'ACK', epoch });
  awaitAnswer(context);
}

function hearCommit({ ticks, state, effects }: ZabStep, epoch: number): void {
  if (state.phase !== 'synchronisation' || epoch !== state.currentEpoch) return;
  state.phase = 'broadcast';
  effects.cancelTimer('retry');
  effects.setTimer('silence', ticks.silenceTicks, false);
  effects.elect(state.vote.leader, epoch);
}

function hearPing({ ticks, state, effects }: ZabStep, epoch: number): void {
  if (state.phase !== 'broadcast' || epoch !== state.currentEpoch) return;
  effects.send(state.vote.leader, { type: 'PONG', epoch });
  effects.setTimer('silence', ticks.silenceTicks, false);
}

function awaitAnswer({ ticks, effects }: ZabStep): void {
  effects.setTimer('retry', ticks.heartbeatTicks, false);
}
