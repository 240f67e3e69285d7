/**
 * @module
 * Zab's leader election in ZooKeeper's form: fast leader election, then discovery and synchronisation,
 * after which there is a leader. F. Junqueira, B. Reed and M. Serafini (2011), "Zab: High-performance
 * broadcast for primary-backup systems", DSN; A. Medeiros (2012), "ZooKeeper's atomic broadcast
 * protocol: theory and practice"; P. Hunt et al. (2010), "ZooKeeper", USENIX ATC. No transaction is
 * broadcast here: a node's last zxid is its attribute and does not change. A leader that is behind a follower looks
 * again, as in ZooKeeper. In the paper it takes over the follower's history.
 *
 * Invariants: (1) `acceptedEpoch` never falls, `currentEpoch` never exceeds it, and both are on disk
 * before a message depends on them; (2) a node promises an epoch to one leader, itself included; (3) a
 * leader has a quorum's promises of its epoch, so that no other node leads in it, on any network, until
 * a disk forgets; (4) its log is not behind that of any node that promised; (5) a node that follows in
 * `broadcast` follows one that led in that epoch; (6) a looking node has the timer "notify" or, if a
 * quorum agrees with it, "finalize"; a node that leads or follows has "silence". Messages when all n
 * start and receive each other's messages in ascending order in one tick: each sends every better vote
 * that it receives, n(n+1)/2 times n−1 NOTIFICATION; at best (the best vote arrives first) 2n−1 times
 * n−1; then 6(n−1) up to COMMIT, and 2(n−1) every heartbeat.
 */

import { breaks, live } from '../definition/fault-row.ts';
import type { Flags, NumberFlags } from '../definition/flags.ts';
import { faultUnlessBelow, numbersOf, TICKS } from '../definition/flags.ts';
import { GREATEST, naming } from '../definition/forgery.ts';
import { DIRECT, UNRELAYED_STATEMENT } from '../definition/message-definition.ts';
import type { AttributeOf } from '../definition/protocol.ts';
import { defineProtocol } from '../definition/protocol.ts';
import { createMachine } from '../handlers.ts';
import type { Machine, Message, Rank } from '../machine.ts';
import { integerIn, memberOf } from '../message-members.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';
import { TERM_LIMIT } from './majority.ts';
import {
  ANONYMOUS,
  CLOCKLESS_FAULTS,
  MEMBERS_ONLY,
  QUORUM,
  TIRELESS_FAULTS,
} from './quorum-facts.ts';
import type { Outcome } from './zab-looking.ts';
import {
  compareVotes,
  conclude,
  look,
  notifyAgain,
  onVote,
  ownNotification,
} from './zab-looking.ts';
import type {
  AckEpoch,
  EpochMessage,
  Notification,
  ZabMessage,
  ZabSettings,
  ZabState,
  ZabStep,
} from './zab-state.ts';
import {
  initZab,
  isExact,
  isQuorumWithSelf,
  note,
  persistEpochs,
  readEpochs,
} from './zab-state.ts';

/** Times that the descriptions leave to the configuration. */
const ZAB_NUMBERS = {
  finalizeWaitTicks: {
    ...TICKS,
    meaning: 'ticks that a node waits for a better vote when a quorum agrees with its own',
    byDefault: answerTicks,
    shortTicks: 10,
  },
  heartbeatTicks: {
    ...TICKS,
    meaning: 'ticks between the PINGs of a leader, and after which a joining follower asks again',
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('silenceTicks') / 10)),
    shortTicks: 10,
  },
  silenceTicks: {
    ...TICKS,
    meaning: 'ticks without a PING, a quorum of PONGs or progress after which a node looks again',
    byDefault: silenceTicks,
    shortTicks: 70,
  },
} as const satisfies NumberFlags;

const EPOCH = { members: { epoch: 'epoch' }, ...DIRECT } as const;

export const ZAB_FLE = defineProtocol({
  name: 'zab-fle',
  assumes:
    'Asynchronous; static membership; a stable store; to finish, a majority up and in time, in touch with each other.',
  messageBound:
    'all start: (2n-1)(n-1) to n(n+1)/2*(n-1) NOTIFICATION; then 6(n-1) CEPOCH to COMMIT, and 2(n-1) a heartbeat',
  // Twice the number of messages when all start. Nearly all of these can be in flight in one tick.
  messagesAbout: (nodes) => nodes ** 3 + nodes,
  inFlightAbout: (nodes) => nodes ** 3 / 2,
  steadyTicks: zabSteadyTicks,
  source:
    "F. Junqueira, B. Reed and M. Serafini, Zab, DSN 2011; A. Medeiros, ZooKeeper's atomic broadcast protocol: theory and practice, 2012; as in ZooKeeper, whose leader looks again if a follower is ahead of it",
  flags: {},
  numbers: ZAB_NUMBERS,
  clash: (numberOf, flags) => faultUnlessBelow(['heartbeatTicks', 'silenceTicks'], numberOf, flags),
  attributes: 'the last zxid in its log; of those of one epoch the newest leads',
  leases: false,
  forgery: {
    numbering: 'round',
    announcement: 'no node is followed before a quorum has promised and acknowledged its epoch',
    candidacy: naming(({ about, epoch }) => {
      const vote = { leader: about, zxid: GREATEST, peerEpoch: GREATEST };
      return [{ type: 'NOTIFICATION', ...vote, round: epoch, state: 'LOOKING' }];
    }),
    answer: 'a vote is a candidacy, and a node may vote for any member',
    ...MEMBERS_ONLY,
  },
  messages: {
    NOTIFICATION: {
      members: {
        leader: 'rank',
        zxid: 'integer',
        round: 'epoch',
        peerEpoch: 'epoch',
        state: ['LOOKING', 'FOLLOWING', 'LEADING'],
      },
      candidates: ['leader'],
      ...UNRELAYED_STATEMENT,
    },
    CEPOCH: EPOCH,
    NEWEPOCH: EPOCH,
    ACKEPOCH: {
      members: { epoch: 'epoch', promised: 'boolean', currentEpoch: 'epoch', zxid: 'integer' },
      claim: { within: ['epoch'], states: null, where: { promised: true } },
      ...ANONYMOUS,
    },
    NEWLEADER: EPOCH,
    ACK: {
      members: { epoch: 'epoch' },
      claim: { within: ['epoch'], states: null, where: {} },
      ...ANONYMOUS,
    },
    COMMIT: EPOCH,
    PING: EPOCH,
    PONG: EPOCH,
  },
  counters: [
    {
      name: 'epochs',
      state: [
        'acceptedEpoch',
        'currentEpoch',
        'vote.peerEpoch',
        'box.*.peerEpoch',
        'knownEpochMax',
      ],
      persisted: ['acceptedEpoch', 'currentEpoch'],
      messages: ['epoch', 'peerEpoch', 'currentEpoch'],
      unset: ['knownEpochMax'],
    },
    {
      name: 'rounds',
      state: ['round', 'box.*.round'],
      persisted: [],
      messages: ['round'],
      unset: [],
    },
  ],
  drawnTicks: [],
  symmetry: 'the higher rank wins if epochs are equal',
  stall: { withheld: ['NEWEPOCH'], hastened: [] },
  doubleVote: {
    answers: confirmEverything,
    mutes: ['NOTIFICATION', 'CEPOCH', 'ACKEPOCH', 'ACK', 'PONG'],
  },
  // The next leader's epoch is one above the highest that a quorum has accepted.
  inflation: { sends: null, raises: { type: 'CEPOCH', path: ['epoch'] } },
  certificate:
    'every node receives the votes of all others itself and follows only a node for which a majority voted',
  faults: {
    amnesia: breaks(['S1', 'S4'], 'A follower that has forgotten promises an epoch twice.'),
    'torn-record': live('An epoch that was accepted from an unknown leader is not promised again.'),
    ...CLOCKLESS_FAULTS,
    ...TIRELESS_FAULTS,
  },
  create: createZab,
  votersIn: null,
  decided: null,
  ...QUORUM,
  isRanked: true,
});

/** The machine of every node. `zxidOf` is the last transaction in a rank's log, 0 by default. */
export function createZab(
  timing: Timing,
  flags: Flags = {},
  zxidOf: AttributeOf = () => 0,
): Machine<ZabState, ZabMessage> {
  return createMachine<ZabState, ZabMessage, ZabSettings>({
    settings: { ...numbersOf(ZAB_NUMBERS, timing, flags), zxidOf },
    init: initZab,
    on: {
      start(step) {
        if (step.state.phase === 'idle') look(step);
      },
      recover(step, persisted) {
        // The disk has no rounds and no leaders.
        const epochs = readEpochs(persisted);
        Object.assign(step.state, initZab(step.self), epochs);
        if (epochs === null) step.state.phase = 'refused';
        else look(step);
      },
      deliver: {
        NOTIFICATION: onNotification,
        CEPOCH: toLeader(onCepoch),
        ACKEPOCH: toLeader(ofPresentEpoch(onAckEpoch)),
        ACK: toLeader(ofPresentEpoch(onAck)),
        PONG: toLeader(ofPresentEpoch(onPong)),
        NEWEPOCH: toFollower(onNewEpoch),
        NEWLEADER: toFollower(onNewLeader),
        COMMIT: toFollower(onCommit),
        PING: toFollower(onPing),
      },
      timeout: {
        notify(step) {
          if (step.state.phase === 'looking') notifyAgain(step);
        },
        finalize(step) {
          if (step.state.phase === 'looking') proceed(step, conclude(step));
        },
        retry(step) {
          if (isJoining(step) && !isLeading(step)) introduce(step);
        },
        heartbeat(step) {
          if (step.state.phase === 'broadcast' && isLeading(step)) ping(step);
        },
        silence(step) {
          if (isJoining(step) || step.state.phase === 'broadcast') look(step);
        },
      },
    },
    isBarred: ({ phase }) => phase === 'refused',
    isValid: isExact,
  });
}

/**
 * How long one agreed leader must last: a leader that had lost its followers would have been silent for
 * too long.
 */
function zabSteadyTicks(timing: Timing, flags: Flags): number {
  const ticks = numbersOf(ZAB_NUMBERS, timing, flags);
  return ticks.silenceTicks + ticks.heartbeatTicks + answerTicks(timing);
}

function proceed(step: ZabStep, outcome: Outcome): void {
  if (outcome === 'lead') lead(step);
  if (outcome === 'follow') follow(step);
}

function onNotification(step: ZabStep, notification: Notification, from: Rank): void {
  const { state, effects } = step;
  const isLooking = notification.state === 'LOOKING';
  if (state.phase === 'idle') {
    if (!isLooking) return;
    look(step);
  }
  if (state.phase === 'looking') proceed(step, onVote(step, notification, from));
  // A looking node learns which leader this node follows, and may join.
  else if (isLooking) effects.send(from, ownNotification(step));
}

type Handler<M> = (step: ZabStep, message: M, from: Rank) => void;

/** Handles a message only at a node that leads or votes for itself. */
function toLeader<M>(handle: Handler<M>): Handler<M> {
  return (step, message, from) => {
    if (isLeading(step)) handle(step, message, from);
  };
}

/** Handles a message only if it is about the epoch that this node has proposed. */
function ofPresentEpoch<M extends { readonly epoch: number }>(handle: Handler<M>): Handler<M> {
  return (step, message, from) => {
    if (message.epoch === step.state.acceptedEpoch) handle(step, message, from);
  };
}

/** Handles a message only if it is from the leader that this node follows. */
function toFollower<M>(handle: Handler<M>): Handler<M> {
  return (step, message, from) => {
    const { phase, vote } = step.state;
    if (phase === 'idle' || phase === 'looking' || from !== vote.leader) return;
    if (!isLeading(step)) handle(step, message, from);
  };
}

/** Whether it leads, or would lead: its vote is for itself. */
function isLeading({ self, state }: ZabStep): boolean {
  return state.phase !== 'idle' && state.vote.leader === self.rank;
}

function isJoining({ state: { phase } }: ZabStep): boolean {
  return phase === 'discovery' || phase === 'proposal' || phase === 'synchronisation';
}

/** Answers every looking node with the vote of that node, and follows every candidate. */
function confirmEverything(question: Message, from: Rank) {
  const epoch = integerIn(question, 'epoch');
  if (question.type === 'NOTIFICATION') {
    if (memberOf(question, 'state') !== 'LOOKING') return [];
    const isOwn = memberOf(question, 'leader') === from;
    return [{ ...question }, ...(isOwn ? [{ type: 'CEPOCH', epoch: 0 }] : [])];
  }
  if (question.type === 'NEWEPOCH') {
    return [{ type: 'ACKEPOCH', epoch, promised: true, currentEpoch: 0, zxid: 0 }];
  }
  if (question.type === 'NEWLEADER') return [{ type: 'ACK', epoch }];
  return question.type === 'PING' ? [{ type: 'PONG', epoch }] : null;
}

/**
 * Begins discovery with the leader of its vote. A follower's side of Zab. It reports the epoch that it has accepted
 * to its leader, promises a higher one, acknowledges the leader's history, and follows when a quorum has done so (F.
 * Junqueira, B. Reed and M. Serafini 2011, "Zab", DSN, section IV). What it promises or acknowledges is on disk
 * before it is sent.
 */
function follow(step: ZabStep): void {
  step.state.phase = 'discovery';
  restartSilence(step);
  introduce(step);
}

/** Sends the first message to the leader. It is repeated if an answer is missing. */
function introduce(step: ZabStep): void {
  const { state, effects } = step;
  effects.send(state.vote.leader, { type: 'CEPOCH', epoch: state.acceptedEpoch });
  awaitAnswer(step);
}

/** The leader proposes an epoch. */
function onNewEpoch(step: ZabStep, { epoch }: EpochMessage): void {
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
function onNewLeader(step: ZabStep, { epoch }: EpochMessage): void {
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
function onCommit(step: ZabStep, { epoch }: EpochMessage): void {
  const { state, effects } = step;
  if (state.phase !== 'synchronisation' || epoch !== state.currentEpoch) return;
  state.phase = 'broadcast';
  effects.cancelTimer('retry');
  restartSilence(step);
  effects.elect(state.vote.leader, epoch);
}

/** The leader's heartbeat. */
function onPing(step: ZabStep, { epoch }: EpochMessage): void {
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

/**
 * Begins discovery. Nodes that followed before this one knew that it leads are counted already. A prospective
 * leader's side of Zab. Discovery: from the accepted epochs of a quorum it makes a higher one, which a quorum
 * promises. Synchronisation: a quorum acknowledges its history. Only then does it lead, while a quorum answers its
 * PINGs (F. Junqueira, B. Reed and M. Serafini 2011, "Zab", DSN, section IV). A promise is given to one leader, so
 * that an epoch has one. Every message may arrive twice: a follower that misses an answer sends CEPOCH again and
 * repeats all steps.
 */
function lead(step: ZabStep): void {
  const { state, effects, settings } = step;
  state.phase = 'discovery';
  state.promised = [];
  state.synced = [];
  state.heard = [];
  effects.setTimer('silence', settings.silenceTicks, false);
  proposeIfKnown(step);
}

/** The first message of a node that takes this one for its leader. */
function onCepoch(step: ZabStep, { epoch }: EpochMessage, from: Rank): void {
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
function onAckEpoch(step: ZabStep, message: AckEpoch, from: Rank): void {
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
function onAck(step: ZabStep, _message: EpochMessage, from: Rank): void {
  const { state, effects } = step;
  if (state.phase !== 'synchronisation' && state.phase !== 'broadcast') return;
  note(state.synced, from);
  if (state.phase === 'synchronisation') establishIfSynced(step);
  else effects.send(from, { type: 'COMMIT', epoch: state.acceptedEpoch });
}

/** A follower answers a heartbeat. */
function onPong(step: ZabStep, _message: EpochMessage, from: Rank): void {
  if (step.state.phase !== 'broadcast') return;
  note(step.state.heard, from);
  restartSilenceOfLeader(step);
}

/** Heartbeats go to all nodes that have been synchronised. */
function ping(step: ZabStep): void {
  sendEpoch(step, 'PING', step.state.synced);
  // A quorum of one needs no answer.
  restartSilenceOfLeader(step);
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
function restartSilenceOfLeader({ self, state, effects, settings }: ZabStep): void {
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
