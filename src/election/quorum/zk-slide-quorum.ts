/**
 * @module
 * Leader election by a quorum's acknowledgement, as lectures tell ZooKeeper's (P. Hunt et al.,
 * "ZooKeeper: Wait-free coordination for Internet-scale systems", USENIX ATC 2010): the highest live
 * node it knows asks to be the leader of an epoch, everybody acknowledges one candidate an epoch, and
 * when a quorum has, COMMIT moves everybody's pointer. When a node's successor fails and was the
 * leader, it takes over; else it waits and checks again.
 *
 * Invariants: (1) what a node acknowledges is on disk first, and one candidate an epoch; (2) a
 * candidate counts each voter once and leads with a majority of all members, so no epoch has two
 * leaders, whatever the network does; (3) the epoch of a pointer never falls, nor when a node returns:
 * whom it follows it has acknowledged; (4) timer "check" runs wherever a node waits, "retry" where it
 * stands, neither where it has a leader.
 * Message bound: 3(n−1) for a candidate alone: NEW_LEADER, ACK, COMMIT; 2(n−1) for each round without
 * a quorum; n−1 COMMIT for a node that is trusted again. Lectures leave open what candidates do without
 * a quorum: here a new epoch after a random back-off, unless so many are suspected that there is none
 * to be had. It rests when all is said; a COMMIT that is lost where no detector saw it is not said again,
 * and whoever suspects a leader for ever never follows it: the detector must be eventually perfect.
 */

import type { NumberFlags } from '../flags.ts';
import type { Event, Json, Machine, Rank } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, standbyTicks } from '../timing.ts';
import { isPeer, isTerm, majorityOf, TERM_LIMIT } from './majority.ts';
import type {
  SlideQuorumMessage,
  SlideQuorumOptions,
  SlideQuorumState,
  SlideQuorumStep,
} from './zk-slide-quorum-state.ts';
import {
  acknowledge,
  initSlideQuorum,
  isSettled,
  liveSuccessor,
  restoreSlideQuorum,
} from './zk-slide-quorum-state.ts';

type Candidacy = Exclude<SlideQuorumMessage, { readonly type: 'NACK' }>;

export const SLIDE_QUORUM_NUMBERS = {
  retryTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks R after which a candidate without a quorum tries again: R to 2R-1',
    // Time for an answer, and as much again in which candidates may miss each other.
    byDefault: (timing: Timing) => 2 * answerTicks(timing),
  },
  checkTicks: {
    min: 1,
    max: 1_000_000_000,
    meaning: 'ticks for which a node waits for its successor to bring about a leader',
    // The longest back-off, and what a candidate takes from there to its COMMIT.
    byDefault: (timing: Timing) => 4 * answerTicks(timing) + standbyTicks(timing),
  },
} as const satisfies NumberFlags;

/** The machine of every node. */
export function createZkSlideQuorum(
  options: SlideQuorumOptions,
): Machine<SlideQuorumState, SlideQuorumMessage> {
  return {
    init: initSlideQuorum,
    step(self, state, event, effects) {
      if (state.role === 'barred' && event.type !== 'recover') return;
      step({ options, self, state, effects }, event);
    },
  };
}

function step(context: SlideQuorumStep, event: Event<SlideQuorumMessage>): void {
  const { self, state } = context;
  switch (event.type) {
    case 'start':
      // Somebody may not have heard.
      if (state.leader === self.rank) announce(context);
      else look(context);
      break;
    case 'recover':
      recover(context, event.persisted);
      break;
    case 'suspect':
      onSuspect(context, event.node);
      break;
    case 'trust':
      onTrust(context, event.node);
      break;
    case 'deliver':
      if (isPeer(self, event.from)) onMessage(context, event.from, event.message);
      break;
    case 'timeout':
      onTimeout(context, event.timer);
      break;
    case 'chosen':
      onDrawn(context, event.value);
      break;
    case 'join':
    case 'leave':
    case 'reply':
    case 'request':
      break;
    default:
      event satisfies never;
  }
}

/** A leader that stands will tell it, by its own detector's word; only without one does it stand. */
function recover(context: SlideQuorumStep, persisted: Json): void {
  const { self, state } = context;
  Object.assign(state, restoreSlideQuorum(self, persisted));
  if (state.role !== 'barred') wait(context);
}

function onSuspect(context: SlideQuorumStep, node: Rank): void {
  const { self, state, effects } = context;
  if (node === self.rank) return;
  const isAwaited = node === state.ackedId || node === liveSuccessor(self, state);
  const wasLeader = node === state.leader;
  if (!state.down.includes(node)) state.down.push(node);
  if (wasLeader) {
    state.leader = null;
    effects.stepDown();
  }
  if (wasLeader || isAwaited) look(context);
}

function onTrust(context: SlideQuorumStep, node: Rank): void {
  const { self, state, effects } = context;
  if (node === self.rank) return;
  state.down = without(state.down, node);
  state.silent = without(state.silent, node);
  // One of the two has heard nothing of the other, and may have missed a COMMIT.
  if (state.leader !== null) {
    effects.send(node, { type: 'COMMIT', epoch: state.epoch, id: state.leader });
  }
  // There may be a quorum again.
  if (state.role !== 'candidate' && !isSettled(state) && !state.waiting) wait(context);
}

function onMessage(context: SlideQuorumStep, from: Rank, message: SlideQuorumMessage): void {
  const { state } = context;
  if (!isTerm(message.epoch)) return;
  state.silent = without(state.silent, from);
  switch (message.type) {
    case 'NEW_LEADER':
      noteEpoch(state, message.epoch);
      onCandidate(context, from, message);
      break;
    case 'ACK':
      onAck(context, from, message);
      break;
    case 'NACK':
      noteEpoch(state, message.epoch);
      break;
    case 'COMMIT':
      noteEpoch(state, message.epoch);
      onCommit(context, from, message);
      break;
    default:
      // A Byzantine neighbour may speak another protocol; there is nothing to do.
      message satisfies never;
  }
}

function onTimeout(context: SlideQuorumStep, timer: string): void {
  const { self, state } = context;
  if (timer === 'retry' && state.role === 'candidate') stand(context);
  if (timer !== 'check' || !state.waiting) return;
  state.waiting = false;
  const successor = liveSuccessor(self, state);
  if (successor !== null) state.silent.push(successor);
  look(context);
}

/** Without a leader the highest takes over, and everybody else waits for it. */
function look(context: SlideQuorumStep): void {
  const { self, state } = context;
  if (state.role === 'candidate' || isSettled(state)) return;
  if (liveSuccessor(self, state) === null) stand(context);
  else if (!state.waiting) wait(context);
}

function wait({ state, effects, options }: SlideQuorumStep): void {
  state.waiting = true;
  effects.setTimer('check', options.checkTicks, false);
}

/** Asks for the next epoch, its own acknowledgement being the first. */
function stand(context: SlideQuorumStep): void {
  const { self, state, effects, options } = context;
  state.role = 'follower';
  endWait(context);
  const live = self.members.filter((member) => !state.down.includes(member));
  const epoch = Math.max(state.epochMax, state.ackedEpoch) + 1;
  if (live.length < majorityOf(self) || epoch > TERM_LIMIT) return;
  state.role = 'candidate';
  state.epochMax = epoch;
  state.acks = [self.rank];
  acknowledge(context, { epoch, id: self.rank });
  broadcast(context, { type: 'NEW_LEADER', epoch, id: self.rank });
  state.drawing = state.acks.length < majorityOf(self);
  if (state.drawing) effects.choose(options.retryTicks);
  else lead(context);
}

function onDrawn({ state, effects, options }: SlideQuorumStep, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  effects.setTimer('retry', options.retryTicks + value, false);
}

function onCandidate(context: SlideQuorumStep, from: Rank, { epoch, id }: Candidacy): void {
  const { state, effects } = context;
  if (epoch > state.ackedEpoch) {
    acknowledge(context, { epoch, id });
    giveUp(context);
    // For the outcome: a candidate may fail, and its COMMIT may be lost.
    wait(context);
  }
  if (epoch === state.ackedEpoch && id === state.ackedId) {
    effects.send(from, { type: 'ACK', epoch, id });
  } else {
    effects.send(from, { type: 'NACK', epoch: state.ackedEpoch });
  }
}

function onAck(context: SlideQuorumStep, from: Rank, { epoch, id }: Candidacy): void {
  const { self, state } = context;
  if (state.role !== 'candidate' || epoch !== state.ackedEpoch || id !== self.rank) return;
  if (state.acks.includes(from)) return;
  state.acks.push(from);
  if (state.acks.length >= majorityOf(self)) lead(context);
}

function onCommit(context: SlideQuorumStep, from: Rank, { epoch, id }: Candidacy): void {
  const { self, state, effects } = context;
  if (epoch < state.epoch && state.leader !== null) {
    // Its pointer is behind.
    effects.send(from, { type: 'COMMIT', epoch: state.epoch, id: state.leader });
  }
  const isKnown = epoch < state.epoch || (epoch === state.epoch && state.leader !== null);
  if (isKnown || id === self.rank || state.down.includes(id)) return;
  if (epoch >= state.ackedEpoch) giveUp(context);
  // So that it goes back to nobody before this one, even when it returns.
  if (epoch > state.ackedEpoch) acknowledge(context, { epoch, id });
  point(context, { epoch, id });
}

function lead(context: SlideQuorumStep): void {
  const { self, state } = context;
  giveUp(context);
  point(context, { epoch: state.ackedEpoch, id: self.rank });
  announce(context);
}

/** Moves the pointer. */
function point(
  context: SlideQuorumStep,
  { epoch, id }: { readonly epoch: number; readonly id: Rank },
): void {
  const { state, effects } = context;
  state.leader = id;
  state.epoch = epoch;
  effects.elect(id, epoch);
  if (isSettled(state)) endWait(context);
}

function announce(context: SlideQuorumStep): void {
  const { self, state } = context;
  broadcast(context, { type: 'COMMIT', epoch: state.epoch, id: self.rank });
}

/** It stands no longer, for better or worse. */
function giveUp({ state, effects }: SlideQuorumStep): void {
  if (state.role === 'candidate') effects.cancelTimer('retry');
  state.role = 'follower';
}

function endWait({ state, effects }: SlideQuorumStep): void {
  if (state.waiting) effects.cancelTimer('check');
  state.waiting = false;
}

function noteEpoch(state: SlideQuorumState, epoch: number): void {
  state.epochMax = Math.max(state.epochMax, epoch);
}

function without(ranks: readonly Rank[], rank: Rank): Rank[] {
  return ranks.filter((other) => other !== rank);
}

function broadcast({ self, effects }: SlideQuorumStep, message: SlideQuorumMessage): void {
  for (const member of self.members) {
    if (member !== self.rank) effects.send(member, message);
  }
}
