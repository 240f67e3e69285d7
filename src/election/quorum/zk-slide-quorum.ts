/**
 * @module
 * Leader election by a quorum's acknowledgement, in the form of lectures on ZooKeeper (P. Hunt et al.,
 * "ZooKeeper: Wait-free coordination for Internet-scale systems", USENIX ATC 2010). The highest live
 * node asks to be the leader of an epoch. Each node acknowledges one candidate in an epoch, and when a
 * quorum has, COMMIT moves every node's pointer. When a node's successor fails and was the leader, the
 * node takes over. Otherwise it waits and checks again.
 *
 * Invariants: (1) an acknowledgement is on disk before it is sent, and there is one in an epoch; (2) a
 * candidate counts each voter once and leads with a majority of all members, so that no epoch has two
 * leaders, whatever the network does; (3) the epoch of a pointer never falls, also when a node returns:
 * it has acknowledged the leader that it follows; (4) a node that waits has the timer "check", a
 * candidate has "retry", a node with a leader has neither.
 * Lectures leave open what a candidate without a quorum does: here it takes a new epoch after a random
 * back-off, unless too many nodes are suspected for a quorum. The protocol comes to rest. A COMMIT that is lost without any suspicion is not repeated,
 * and a node that suspects a leader for ever never follows it: the detector must be eventually perfect.
 */

import { breaks } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { numbersOf, TICKS } from '../definition/flags.ts';
import { naming } from '../definition/forgery.ts';
import { DIRECT } from '../definition/message-definition.ts';
import { defineProtocol } from '../definition/protocol.ts';
import type { Step } from '../handlers.ts';
import { createMachine } from '../handlers.ts';
import type { Json, Machine, Message, Rank, Self } from '../machine.ts';
import { integerIn } from '../message-members.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, standbyTicks } from '../timing.ts';
import { broadcast, isPeer, isTerm, majorityOf, TERM_LIMIT } from './majority.ts';
import {
  CLOCKLESS_FAULTS,
  MINORITY,
  QUORUM,
  QUORUM_FAULTS,
  QUORUM_FORGERY,
  TWO_VOTES,
  UNRELAYED,
} from './quorum-facts.ts';

type Candidacy = Exclude<SlideQuorumMessage, { readonly type: 'NACK' }>;

const SLIDE_QUORUM_NUMBERS = {
  retryTicks: {
    ...TICKS,
    meaning: 'ticks R after which a candidate without a quorum tries again: R to 2R-1',
    // Time for an answer, and as much again in which candidates may miss each other.
    byDefault: (timing: Timing) => 2 * answerTicks(timing),
    shortTicks: 19,
  },
  checkTicks: {
    ...TICKS,
    meaning: 'ticks for which a node waits for its successor to bring about a leader',
    // The longest back-off, and the time from there to a COMMIT.
    byDefault: (timing: Timing) => 4 * answerTicks(timing) + standbyTicks(timing),
    shortTicks: 60,
  },
} as const satisfies NumberFlags;

const LOST_COMMIT =
  'A COMMIT is sent once, and again only to a node that the detector trusts again.';
const MEMBERS = { epoch: 'epoch', id: 'rank' } as const;
/** A node supports one candidate of an epoch. */
const SUPPORT = {
  members: MEMBERS,
  candidates: ['id'],
  statementOf: 'sender',
  claim: { within: ['epoch'], states: 'id', where: {} },
  ...UNRELAYED,
} as const;

export const ZK_SLIDE_QUORUM = defineProtocol({
  name: 'zk-slide-quorum',
  assumes:
    'Safe asynchronously, while disks keep what was acknowledged; static membership; to finish, a majority up, an eventually perfect detector, and links that lose nothing but what makes it suspect: no node sends a COMMIT again, so that nodes may stay with leaders of different epochs.',
  messageBound:
    'one candidate: n-1 NEW_LEADER + n-1 ACK + n-1 COMMIT; 2(n-1) NEW_LEADER, ACK and NACK more for each round without a quorum; n-1 COMMIT for a node that is trusted again',
  messagesAbout: (nodes) => 4 * nodes ** 2,
  inFlightAbout: null,
  steadyTicks: null,
  source:
    'P. Hunt et al., ZooKeeper: Wait-free coordination for Internet-scale systems, USENIX ATC 2010, in the form of lectures, where the highest live process asks a quorum',
  flags: {},
  numbers: SLIDE_QUORUM_NUMBERS,
  clash: null,
  attributes: null,
  leases: false,
  forgery: {
    // Voters must be members. The node that they vote for need not be one.
    acceptsStrangers: true,
    replacesSilentLeaders: false,
    numbering: 'epoch',
    announcement: naming(({ about, epoch }) => [{ type: 'COMMIT', epoch, id: about }]),
    candidacy: naming(({ about, epoch }) => [{ type: 'NEW_LEADER', epoch, id: about }]),
    answer: naming(({ about, epoch }) => [{ type: 'ACK', epoch, id: about }]),
    ...QUORUM_FORGERY,
  },
  messages: {
    NEW_LEADER: {
      members: MEMBERS,
      candidates: ['id'],
      statementOf: 'candidate',
      claim: null,
      ...UNRELAYED,
    },
    ACK: SUPPORT,
    NACK: { members: { epoch: 'epoch' }, ...DIRECT },
    COMMIT: SUPPORT,
  },
  counters: [
    {
      name: 'epochs',
      state: ['ackedEpoch', 'epochMax', 'epoch'],
      persisted: ['ackedEpoch'],
      messages: ['epoch'],
      // Epochs are compared with these, and begun above the highest that is known.
      unset: ['epoch', 'ackedEpoch'],
    },
  ],
  drawnTicks: [],
  symmetry: 'each node points to the next higher one',
  stall: { withheld: ['COMMIT'], hastened: ['check'] },
  doubleVote: { answers: acknowledgeAll, mutes: ['NEW_LEADER', 'ACK', 'NACK', 'COMMIT'] },
  inflation: { sends: (id, epoch) => ({ type: 'NEW_LEADER', epoch, id }), raises: null },
  certificate:
    'a node that returns announces the leader on its disk, which has no votes, and others announce it for that leader',
  faults: {
    drop: breaks(['S2'], `${LOST_COMMIT} Here the detector suspects no node.`),
    'clean-majority': breaks(['S2'], `${MINORITY} ${LOST_COMMIT}`),
    'majorities-ring': breaks(['S2'], LOST_COMMIT),
    'leader-isolated': breaks(['S2'], LOST_COMMIT),
    'swizzle-clog': breaks(['S2'], LOST_COMMIT),
    amnesia: breaks(['S1', 'S2', 'S4'], `${TWO_VOTES} ${LOST_COMMIT}`),
    'torn-record': breaks(
      ['S2'],
      `A record without a vote is none, so that the node refuses to start. ${LOST_COMMIT}`,
      { rarely: ['S1', 'S4', 'S5'], splits: true },
    ),
    ...CLOCKLESS_FAULTS,
    ...QUORUM_FAULTS,
  },
  create: (timing: Timing, flags: Flags) =>
    createZkSlideQuorum(numbersOf(SLIDE_QUORUM_NUMBERS, timing, flags)),
  votersIn: null,
  decided: null,
  ...QUORUM,
  isRanked: true,
});

/** The machine of every node. */
function createZkSlideQuorum(
  options: SlideQuorumOptions,
): Machine<SlideQuorumState, SlideQuorumMessage> {
  return createMachine<SlideQuorumState, SlideQuorumMessage, SlideQuorumOptions>({
    settings: options,
    init: initSlideQuorum,
    on: {
      start(step) {
        // A node may have missed the announcement.
        if (step.state.leader === step.self.rank) announce(step);
        else look(step);
      },
      recover,
      suspect: onSuspect,
      trust: onTrust,
      chosen: onDrawn,
      deliver: {
        NEW_LEADER: fromLive(onCandidate),
        ACK: fromLive(onAck),
        NACK: fromLive(() => {}),
        COMMIT: fromLive(onCommit),
      },
      timeout: {
        retry(step) {
          if (step.state.role === 'candidate') stand(step);
        },
        check(step) {
          const { self, state } = step;
          if (!state.waiting) return;
          state.waiting = false;
          const successor = liveSuccessor(self, state);
          if (successor !== null) state.silent.push(successor);
          look(step);
        },
      },
    },
    isBarred: ({ role }) => role === 'barred',
    isValid: ({ epoch }, self, from) => isPeer(self, from) && isTerm(epoch),
  });
}

/** Handles a message, whose sender is not silent, and whose epoch is known from now on. */
function fromLive<M extends SlideQuorumMessage>(
  handle: (step: SlideQuorumStep, message: M, from: Rank) => void,
) {
  return (step: SlideQuorumStep, message: M, from: Rank): void => {
    const { state } = step;
    state.silent = without(state.silent, from);
    // The epoch of an ACK is one that this node has begun itself.
    if (message.type !== 'ACK') state.epochMax = Math.max(state.epochMax, message.epoch);
    handle(step, message, from);
  };
}

function acknowledgeAll(question: Message, from: Rank): readonly SlideQuorumMessage[] | null {
  if (question.type !== 'NEW_LEADER') return null;
  return [{ type: 'ACK', epoch: integerIn(question, 'epoch'), id: from }];
}

/** A node that returns waits, because its detector reports a leader that is up. Only without one does it stand. */
function recover(step: SlideQuorumStep, persisted: Json): void {
  const { self, state } = step;
  Object.assign(state, restoreSlideQuorum(self, persisted));
  if (state.role !== 'barred') wait(step);
}

function onSuspect(step: SlideQuorumStep, node: Rank): void {
  const { self, state, effects } = step;
  if (node === self.rank) return;
  const isAwaited = node === state.ackedId || node === liveSuccessor(self, state);
  const wasLeader = node === state.leader;
  if (!state.down.includes(node)) state.down.push(node);
  if (wasLeader) {
    state.leader = null;
    effects.stepDown();
  }
  if (wasLeader || isAwaited) look(step);
}

function onTrust(step: SlideQuorumStep, node: Rank): void {
  const { self, state, effects } = step;
  if (node === self.rank) return;
  state.down = without(state.down, node);
  state.silent = without(state.silent, node);
  // One of the two nodes received no messages of the other, and may have missed a COMMIT.
  if (state.leader !== null) {
    effects.send(node, { type: 'COMMIT', epoch: state.epoch, id: state.leader });
  }
  // There may be a quorum again.
  if (state.role !== 'candidate' && !isSettled(state) && !state.waiting) wait(step);
}

/** Without a leader the highest node stands, and every other node waits for it. */
function look(step: SlideQuorumStep): void {
  const { self, state } = step;
  if (state.role === 'candidate' || isSettled(state)) return;
  if (liveSuccessor(self, state) === null) stand(step);
  else if (!state.waiting) wait(step);
}

function wait({ state, effects, settings }: SlideQuorumStep): void {
  state.waiting = true;
  effects.setTimer('check', settings.checkTicks, false);
}

/** Asks for the next epoch. Its own acknowledgement is the first. */
function stand(step: SlideQuorumStep): void {
  const { self, state, effects, settings } = step;
  state.role = 'follower';
  endWait(step);
  const live = self.members.filter((member) => !state.down.includes(member));
  const epoch = Math.max(state.epochMax, state.ackedEpoch) + 1;
  if (live.length < majorityOf(self) || epoch > TERM_LIMIT) return;
  state.role = 'candidate';
  state.epochMax = epoch;
  state.acks = [self.rank];
  acknowledge(step, { epoch, id: self.rank });
  broadcast(step, { type: 'NEW_LEADER', epoch, id: self.rank });
  state.drawing = state.acks.length < majorityOf(self);
  if (state.drawing) effects.choose(settings.retryTicks);
  else lead(step);
}

function onDrawn({ state, effects, settings }: SlideQuorumStep, value: number): void {
  if (!state.drawing) return;
  state.drawing = false;
  effects.setTimer('retry', settings.retryTicks + value, false);
}

function onCandidate(step: SlideQuorumStep, { epoch, id }: Candidacy, from: Rank): void {
  const { state, effects } = step;
  if (epoch > state.ackedEpoch) {
    acknowledge(step, { epoch, id });
    giveUp(step);
    // The candidate may fail, and its COMMIT may be lost.
    wait(step);
  }
  if (epoch === state.ackedEpoch && id === state.ackedId) {
    effects.send(from, { type: 'ACK', epoch, id });
  } else {
    effects.send(from, { type: 'NACK', epoch: state.ackedEpoch });
  }
}

function onAck(step: SlideQuorumStep, { epoch, id }: Candidacy, from: Rank): void {
  const { self, state } = step;
  if (state.role !== 'candidate' || epoch !== state.ackedEpoch || id !== self.rank) return;
  if (state.acks.includes(from)) return;
  state.acks.push(from);
  if (state.acks.length >= majorityOf(self)) lead(step);
}

function onCommit(step: SlideQuorumStep, { epoch, id }: Candidacy, from: Rank): void {
  const { self, state, effects } = step;
  if (epoch < state.epoch && state.leader !== null) {
    // The sender's pointer is behind.
    effects.send(from, { type: 'COMMIT', epoch: state.epoch, id: state.leader });
  }
  const isKnown = epoch < state.epoch || (epoch === state.epoch && state.leader !== null);
  if (isKnown || id === self.rank || state.down.includes(id)) return;
  if (epoch >= state.ackedEpoch) giveUp(step);
  // So that it follows no earlier leader again, not even after a crash.
  if (epoch > state.ackedEpoch) acknowledge(step, { epoch, id });
  point(step, { epoch, id });
}

function lead(step: SlideQuorumStep): void {
  const { self, state } = step;
  giveUp(step);
  point(step, { epoch: state.ackedEpoch, id: self.rank });
  announce(step);
}

/** Moves the pointer. */
function point(
  step: SlideQuorumStep,
  { epoch, id }: { readonly epoch: number; readonly id: Rank },
): void {
  const { state, effects } = step;
  state.leader = id;
  state.epoch = epoch;
  effects.elect(id, epoch);
  if (isSettled(state)) endWait(step);
}

function announce(step: SlideQuorumStep): void {
  const { self, state } = step;
  broadcast(step, { type: 'COMMIT', epoch: state.epoch, id: self.rank });
}

/** Ends the candidacy of the node. */
function giveUp({ state, effects }: SlideQuorumStep): void {
  if (state.role === 'candidate') effects.cancelTimer('retry');
  state.role = 'follower';
}

function endWait({ state, effects }: SlideQuorumStep): void {
  if (state.waiting) effects.cancelTimer('check');
  state.waiting = false;
}

function without(ranks: readonly Rank[], rank: Rank): Rank[] {
  return ranks.filter((other) => other !== rank);
}

/**
 * Messages, state and disk record of a node of zk-slide-quorum. Epoch and candidate of its last acknowledgement are
 * one record. With only one of them it could acknowledge an epoch twice.
 */
type SlideQuorumMessage =
  | {
      /** A candidate's question, a voter's acknowledgement, and a leader's announcement. */
      readonly type: 'NEW_LEADER' | 'ACK' | 'COMMIT';
      readonly epoch: number;
      readonly id: Rank;
    }
  /** A refusal, with the last epoch that the sender has acknowledged. */
  | { readonly type: 'NACK'; readonly epoch: number };

type SlideQuorumState = {
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
  /** Whether it has asked for a random back-off and not received it yet. */
  drawing: boolean;
};

interface SlideQuorumOptions {
  /** R: a candidate without a quorum tries again after R to 2R − 1 ticks. */
  readonly retryTicks: number;
  /** How long a node waits for its successor to bring about a leader. */
  readonly checkTicks: number;
}

type SlideQuorumStep = Step<SlideQuorumState, SlideQuorumMessage, SlideQuorumOptions>;

/** A node that has acknowledged no candidate. The dead leader of before the run is down. */
function initSlideQuorum({ incumbent }: Pick<Self, 'incumbent'>): SlideQuorumState {
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
function restoreSlideQuorum(self: Self, persisted: Json): SlideQuorumState {
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
function acknowledge(
  { state, effects }: SlideQuorumStep,
  { epoch, id }: { readonly epoch: number; readonly id: Rank },
): void {
  state.ackedEpoch = epoch;
  state.ackedId = id;
  effects.persist({ ackedEpoch: epoch, ackedId: id });
}

/** Whether it follows a leader and has acknowledged none of a later epoch. */
function isSettled({ leader, epoch, ackedEpoch }: SlideQuorumState): boolean {
  return leader !== null && epoch >= ackedEpoch;
}

/** The next higher member that is neither down nor silent as far as it knows. Null if there is none. */
function liveSuccessor(self: Self, { down, silent }: SlideQuorumState): Rank | null {
  const isUp = (member: Rank) => !down.includes(member) && !silent.includes(member);
  return self.members.find((member) => member > self.rank && isUp(member)) ?? null;
}
