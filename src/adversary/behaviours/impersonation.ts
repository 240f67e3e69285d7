/**
 * @module
 * Behaviours that announce or nominate a node falsely. Their messages are sent at the first event of an election, and again at each end of the timer 'byz:<name>'. Messages
 * to all nodes are repeated as often as answers are awaited; messages that travel round a ring by
 * themselves a few times, whenever an election should be over.
 */

import type { ForgedMessages } from '../../election/definition/forgery.ts';
import { reasonIn } from '../../election/definition/forgery.ts';
import type { AnyMachine } from '../../election/definition/protocol.ts';
import { isDetectorType } from '../../election/detectors/detector.ts';
import type { Rank } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import { answerTicks, ringElectionTicks } from '../../election/timing.ts';
import { canForge } from '../forging.ts';
import type { BehaviourStage, ByzantineNode } from './behaviour.ts';
import { defineBehaviour } from './behaviour.ts';
import type { ByzantineStep } from './byzantine-machine.ts';
import { bestAccomplice, createByzantine, recipientsOf, sendForged } from './byzantine-machine.ts';

/** How often it has sent its messages. */
export type Repetitions = { repeated: number };

export interface Repetition {
  readonly name: string;
  readonly speak: (context: ByzantineStep<Repetitions>) => void;
  /** Whether the behaviour decides which leader the node follows. */
  readonly electsForNode?: boolean;
  /** Whether the node's own machine sends only the messages of its detector. */
  readonly mutesNode?: boolean;
}

/** Bounds the number of messages that circle a ring for ever. */
const TIMES_MAX = 8;

/** Events that begin an election at a node. */
const ROUSING: readonly string[] = ['start', 'deliver', 'recover', 'suspect', 'trust'];

/** A machine that does what the node's own does, and repeats its messages. */
export function createRepeating(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  { name, speak, electsForNode, mutesNode }: Repetition,
): AnyMachine {
  const timer = `byz:${name}`;
  const isEndless = PROTOCOLS[byzantineNode.protocol].forgery.route === 'each-node';
  const turn = (context: ByzantineStep<Repetitions>) => {
    const { own } = context.state;
    own.repeated += 1;
    speak(context);
    if (!isEndless && own.repeated >= TIMES_MAX) context.effects.cancelTimer(timer);
  };
  return createByzantine<Repetitions>(machine, byzantineNode, {
    init: () => ({ repeated: 0 }),
    electsForNode,
    alter: mutesNode === true ? (_, body) => (isDetectorType(body.type) ? body : null) : undefined,
    intercept(context, event) {
      const isTurn = event.type === 'timeout' && event.timer === timer;
      const isFirst = context.state.own.repeated === 0;
      if (isFirst && ROUSING.includes(event.type)) {
        context.effects.setTimer(timer, pauseTicks(context, isEndless), true);
        turn(context);
      } else if (isTurn && !isFirst) {
        turn(context);
      }
      return !isTurn;
    },
  });
}

/** On a ring a little later than nodes that begin again when an election should be over. */
function pauseTicks(
  { self, byzantineNode }: ByzantineStep<Repetitions>,
  isEndless: boolean,
): number {
  const { timing } = byzantineNode;
  const ticks = answerTicks(timing);
  return isEndless ? ticks : ringElectionTicks(timing, self.ringNodes) + ticks;
}

/**
 * A1: announces a leader that has not won. If members follow any leader, that is its best accomplice, and nothing is
 * forged: an announcement proves the name of the leader, not that it won. If they follow higher ranks only, it is
 * the highest member whose name the node can use, alive or dead: they wait for a dead one.
 */
export const SPOOF_COORDINATOR = defineBehaviour({
  name: 'spoof-coordinator',
  attack: 'A1',
  summary:
    'Announces itself as leader at once and whenever an election should be over. If nodes follow higher ranks only, it announces the highest member that it can name.',
  aim: 'lead',
  needsTopId: false,
  comesLate: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  remains(protocol) {
    const { family, forgery, certificate } = PROTOCOLS[protocol];
    const isUnproved = typeof certificate === 'string' && reasonIn(forgery.announcement) === null;
    // A Bully follows no node below itself, and signatures show the true sender.
    return isUnproved && family !== 'bully'
      ? 'An announcement contains no proof of the election: any member can sign that it won.'
      : null;
  },
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, {
      name: 'spoof-coordinator',
      speak: spoofCoordinatorSpeak,
      // The node counts as leader for itself, whatever its machine receives.
      electsForNode: PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank',
      // The machine of the node would soon stand for election against this lie.
      mutesNode: PROTOCOLS[byzantineNode.protocol].forgery.replacesSilentLeaders,
    }),
});

/** A Bully follows no node below itself, so only a dead leader above it can be announced. */
export function deadLeader(protocol: ProtocolName): BehaviourStage {
  return PROTOCOLS[protocol].family === 'bully' ? { events: ['leader-dead'] } : {};
}

function spoofCoordinatorSpeak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode, self, state, effects } = context;
  const { announcement } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const about = subjectOf(context, announcement);
  // At L0 in the name of the announced leader, as an honest announcement would be.
  const isMasked = byzantineNode.authentication.level === 'L0' || announcement.names === 'sender';
  const by = isMasked ? about : self.rank;
  const recipients = recipientsOf(context).filter((member) => member !== about);
  sendForged(context, announcement, { about, by, recipients });
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank')
    effects.elect(about, state.observed.highestSent);
}

function subjectOf(
  { byzantineNode, self, state }: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
): Rank {
  const best = bestAccomplice(byzantineNode);
  if (PROTOCOLS[byzantineNode.protocol].forgery.believes === 'any-rank') return best;
  const nameable = self.members.filter((rank) =>
    canForge(state.observed, byzantineNode, forged, rank),
  );
  const top = nameable.findLast((rank) => rank > best);
  // Other nodes would contest the node's own rank: without a higher one it names the highest all the same.
  return top ?? self.members.at(-1) ?? best;
}

/**
 * A5: announces one leader to some nodes and another to the others, in the same election. Both have the highest
 * ranks that it can name: from L2 on itself and those whose candidacies it was shown. If only a leader may announce
 * itself, it sends nothing. On a ring the second announcement follows the first and ends at the node that it names,
 * so that only the nodes before that one receive both.
 */
export const EQUIVOCATE = defineBehaviour({
  name: 'equivocate',
  attack: 'A5',
  summary:
    'Announces one leader to some nodes and another to the others in the same election, so that they follow different leaders.',
  aim: 'split',
  needsTopId: false,
  comesLate: false,
  stage: deadLeader,
  unsupportedReason: (protocol) => reasonIn(PROTOCOLS[protocol].forgery.announcement),
  remains: (protocol) =>
    ['ring', 'graph', 'groups'].includes(PROTOCOLS[protocol].family) &&
    reasonIn(PROTOCOLS[protocol].forgery.announcement) === null
      ? 'A node signs what it passes on for others, so that two announcements are no proof against their sender.'
      : null,
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, { name: 'equivocate', speak: equivocateSpeak }),
});

function equivocateSpeak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode } = context;
  const { announcement, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  if (typeof announcement === 'string') return;
  const all = recipientsOf(context);
  const isAround = route === 'successor';
  const subjects = subjectsOf(context, announcement);
  if (subjects.length < 2) return;
  subjects.forEach((about, subject) => {
    const half = isAround ? all : all.filter((_, index) => index % 2 === subject);
    announce(context, announcement, about, half);
  });
}

function announce(
  context: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
  about: Rank,
  listeners: readonly Rank[],
): void {
  const { byzantineNode, self } = context;
  const { route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const isMasked = byzantineNode.authentication.level === 'L0' || forged.names === 'sender';
  // A lap about another ends where that one is.
  const home = route === 'successor' ? about : self.rank;
  const recipients = listeners.filter((member) => member !== about);
  sendForged(context, forged, { about, by: isMasked ? about : self.rank, recipients, home });
}

/** The leaders that it announces: the two highest that it can name, or its best accomplice and the highest. */
function subjectsOf(
  { byzantineNode, self, state }: ByzantineStep<Repetitions>,
  forged: ForgedMessages,
): readonly Rank[] {
  const { believes, route } = PROTOCOLS[byzantineNode.protocol].forgery;
  const nameable = self.members
    .filter((rank) => canForge(state.observed, byzantineNode, forged, rank))
    .toReversed();
  if (believes === 'higher-ranks') return nameable.slice(0, 2);
  const own = bestAccomplice(byzantineNode);
  // What is about the next node in a ring goes no further.
  const isDeadEnd = (rank: Rank) => route === 'successor' && rank === self.successors[0];
  const others = nameable.filter((rank) => rank !== own && !isDeadEnd(rank));
  const [other] = others;
  return other === undefined ? [own] : [own, other];
}

/**
 * A2a: names a rank above all others that no node has, as candidate, as leader and, where candidates are answered,
 * as a live node above them. Initiators wait for it for ever, its candidacy never returns to its origin, or all
 * nodes follow a leader that does not exist. It is the cheapest attack if ranks are not proved.
 */
export const PHANTOM_ID = defineBehaviour({
  name: 'phantom-id',
  attack: 'A2a',
  summary:
    'Names a candidate and leader above all others that does not exist, so that initiators wait for ever or all nodes follow no node.',
  aim: 'stop',
  needsTopId: false,
  comesLate: false,
  stage: () => ({ namesPhantom: true }),
  unsupportedReason(protocol) {
    const { acceptsStrangers, candidacy } = PROTOCOLS[protocol].forgery;
    if (typeof candidacy === 'string') return candidacy;
    return acceptsStrangers ? null : 'a node accepts and names members only';
  },
  remains: (protocol) =>
    protocol === 'itai-rodeh'
      ? 'Its nodes draw their numbers, so that no proof is needed for a number that no node has drawn.'
      : null,
  wrap: (machine, byzantineNode) =>
    createRepeating(machine, byzantineNode, { name: 'phantom-id', speak: phantomIdSpeak }),
});

function phantomIdSpeak(context: ByzantineStep<Repetitions>): void {
  const { byzantineNode, self } = context;
  const { phantom, protocol } = byzantineNode;
  const { candidacy, answer, announcement } = PROTOCOLS[protocol].forgery;
  const recipients = recipientsOf(context);
  for (const forged of [candidacy, answer, announcement]) {
    if (typeof forged === 'string') continue;
    const by = forged.names === 'sender' ? phantom : self.rank;
    sendForged(context, forged, { about: phantom, by, recipients });
  }
}
