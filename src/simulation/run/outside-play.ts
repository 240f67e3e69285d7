/**
 * @module
 * Programs outside play nodes in a run, between two of its steps: they enter open ranks, read the events of
 * their nodes, answer them, and send messages in the name of any node, as far as the level of authentication
 * permits. What is never possible is refused with LabError `arguments`, what is not possible now with
 * `election.conflict`; then nothing has changed.
 */

import type { Refusal } from '../../election/authentication/authenticated.ts';
import { REFUSALS, refusedIn } from '../../election/authentication/authenticated.ts';
import { isKnownType } from '../../election/authentication/message-forms.ts';
import { NO_EFFECTS } from '../../election/intercepted.ts';
import type { Message } from '../../election/machine.ts';
import { toRank } from '../../election/world/cast.ts';
import type { OutsideEffect } from '../../election/world/outside.ts';
import { copyJson } from '../../election/world/plain-json.ts';
import { jsonPointer, LabError } from '../../errors.ts';
import { earlierNames, electionName } from '../cast/planned-cast.ts';
import { assertInteger } from '../plan/assertions.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { enter, liveRanks, wake } from './environment.ts';
import type { InboxView } from './inboxes.ts';
import type { Parts } from './parts.ts';
import { whole } from './parts.ts';
import type { Run } from './status.ts';

/** Effects of one injection. */
export const INJECTED_EFFECTS_LIMIT = 1_000;
/** Characters of a timer's name, and of a message's type. */
export const NAME_CHARACTERS_MAX = 100;

interface Player {
  /** Whether the run waits for its answers. */
  readonly waits: boolean;
}

export interface OutsidePlay {
  /**
   * Performs effects in the name of a node. Messages may have any node as their sender, also one that is
   * down, but at L1 only nodes from outside, since there the network knows its senders. Calls of the store
   * and all other effects need a live node from outside. Effects of a node with unanswered events are an answer;
   * any others restart the time limit of an advance to `idle`.
   */
  inject(node: number, effects: readonly OutsideEffect[]): void;
  /** Why node `to` could not process a message that is sent to it now; null if it could. Changes nothing. */
  obstacle(sent: Sent): Obstacle | null;
  /** A player from outside enters an open rank: the others receive `join`, and its node starts. */
  enter(rank: number, player: Player): void;
  entering(rank: number, player: Player): Parts;
  /** The events that a node from outside has not answered. */
  inbox(rank: number): InboxView;
  /** Says that the events of the node up to this number are answered, and the run waits for it again. Call this after `inject`. */
  answered(rank: number, through: number): void;
  /** The run does not wait for this node until it answers again. */
  lapse(rank: number): void;
  /** The name of the present election, for signatures. */
  electionName(): string;
  /** The names of earlier elections of messages that may be in flight, the newest first. */
  earlierNames(): readonly string[];
}

export function outsidePlayIn(run: Run): OutsidePlay {
  const { plan, environment, engine, inboxes } = run;
  const members = () => plan.nodes - environment.absent.size;
  return {
    inject(node, effects) {
      assertInjection(run, node, effects);
      if (effects.length === 0) return;
      if (inboxes?.isBehind(node) === true) {
        run.answersUntil = engine.now + plan.timing.latencyTicksMax;
      } else {
        whole(begin(run));
      }
      engine.inject(node, effects);
    },
    obstacle: (sent) => obstacleTo(run, sent),
    enter: (rank, player) => whole(entering(run, rank, player)),
    entering: (rank, player) => entering(run, rank, player),
    inbox: (rank) => inboxesOf(run, rank).view(rank),
    answered: (rank, through) => inboxesOf(run, rank).answered(rank, through),
    lapse: (rank) => inboxesOf(run, rank).lapse(rank),
    electionName: () => electionName(plan, members()),
    earlierNames: () => earlierNames(plan, members()),
  };
}

function* entering(run: Run, rank: number, { waits }: Player): Parts {
  const { plan, environment, inboxes } = run;
  assertInteger('enter: rank', rank, { min: 1, max: plan.nodes });
  if (inboxes === null || !plan.openings.includes(rank)) {
    const open = plan.openings.length === 0 ? 'none is' : `open are ${plan.openings}`;
    throw refusal(`place ${rank} is not open; ${open}`);
  }
  if (!environment.absent.has(rank)) throw conflict(`place ${rank} is taken`);
  yield* begin(run);
  inboxes.open(rank, waits);
  yield* enter(environment, rank);
}

/** Begins a run. With detectors on the nodes, every live node runs one from now on. */
function* begin(run: Run): Parts {
  const { plan, environment, engine } = run;
  const isFirst = run.lastIntervention === null;
  run.lastIntervention = engine.now;
  if (plan.detector !== null && isFirst) yield* wake(environment, liveRanks(environment));
}

function inboxesOf({ inboxes }: Run, rank: number) {
  if (inboxes === null) throw refusal(`node ${rank} is not played from outside`);
  return inboxes;
}

function assertInjection(run: Run, node: number, effects: readonly OutsideEffect[]): void {
  const { plan, engine, inboxes } = run;
  assertInteger('inject: node', node, { min: 1, max: plan.nodes });
  if (plan.level === null) {
    throw refusal('messages are not looked at in this election; make it with level L0 or higher');
  }
  if (effects.length > INJECTED_EFFECTS_LIMIT) {
    throw refusal(`effects has more than ${INJECTED_EFFECTS_LIMIT} entries`);
  }
  const isOutside = inboxes?.has(node) === true;
  if (plan.level === 'L1' && !isOutside) {
    throw refusal(
      `at L1 the network knows its senders: only its player sends messages in the name of node ${node}`,
    );
  }
  for (const [index, effect] of effects.entries()) {
    const path = effect.type === 'send' ? ['effects', index, 'to'] : ['effects', index];
    pointing(path, () => {
      assertEffect(run, effect);
      if (effect.type === 'send' && effect.to <= plan.nodes) return;
      if (!isOutside) {
        throw refusal(`node ${node} is not played from outside: in its name nothing but messages`);
      }
      if (!engine.isUp(node)) throw conflict(`node ${node} is down at ${engine.now}`);
      if (engine.isPaused(node)) throw conflict(`node ${node} is paused at ${engine.now}`);
    });
  }
}

/** Makes a refusal point at an effect, or at the recipient of a message. */
function pointing(path: readonly (string | number)[], work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const fault = { pointer: jsonPointer(path), detail: error.message };
    throw new LabError(error.code, error.message, [fault]);
  }
}

function assertEffect({ plan }: Run, effect: OutsideEffect): void {
  switch (effect.type) {
    case 'send': {
      assertInteger('send: to', effect.to, { min: 1, max: plan.store ?? plan.nodes });
      const { message } = effect;
      // It comes from outside, so that its type is not certain.
      const type = typeof message === 'object' && message !== null ? message.type : undefined;
      assertName('send: message.type', type);
      break;
    }
    case 'set-timer':
      assertName('set-timer: timer', effect.timer);
      // With 0 ticks a periodic timer would fire for ever in one tick.
      assertInteger('set-timer: ticks', effect.ticks, {
        min: effect.periodic ? 1 : 0,
        max: TICKS_LIMIT,
      });
      break;
    case 'cancel-timer':
      assertName('cancel-timer: timer', effect.timer);
      break;
    case 'elect':
      assertInteger('elect: leader', effect.leader, { min: 1, max: plan.nodes });
      assertInteger('elect: epoch', effect.epoch, { min: 0, max: Number.MAX_SAFE_INTEGER });
      break;
    case 'step-down':
      break;
    default:
      effect satisfies never;
  }
}

function assertName(name: string, value: unknown): void {
  const isName =
    typeof value === 'string' && value.length > 0 && value.length <= NAME_CHARACTERS_MAX;
  if (!isName) throw refusal(`${name} has 1..${NAME_CHARACTERS_MAX} characters`);
}

/** For what another state allows. */
function conflict(detail: string): LabError {
  return new LabError('election.conflict', detail);
}

function refusal(detail: string): LabError {
  return new LabError('arguments', detail);
}

/**
 * Each obstacle with its meaning. The refusals are those of the authentication. Why a node could not process a
 * message that is sent to it now. The node's own machine receives the message on a copy of its state, and its
 * effects are discarded, so that nothing changes. Whether the message arrives later also depends on what happens
 * until then.
 */
export const OBSTACLES = {
  absent: 'no node has the rank yet',
  down: 'the node is down, and the message is lost if it is still down then',
  cut: 'a partition separates the sender from the node',
  type: 'the protocol has no message of this type, so that the node ignores it',
  sender: 'the level does not admit the stated sender',
  malformed: 'the message has not the form of its type, or lacks its seal',
  replay: 'the number in the seal is not above those that the node has received',
  signature: 'the signature is not one of the stated sender for this node and this election',
  candidacy: 'a node that the message names has not signed its candidacy',
} as const satisfies Record<Refusal, string> & Record<string, string>;

export type Obstacle = keyof typeof OBSTACLES;

/** A message of one node to another. */
interface Sent {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

/** The first obstacle; null if there is none, or if a program plays the node and decides. */
function obstacleTo(
  { plan, engine, environment, inboxes }: Run,
  { from, to, message }: Sent,
): Obstacle | null {
  if (environment.absent.has(to)) return 'absent';
  if (!engine.isUp(to)) return 'down';
  if (engine.network?.isCut(engine.now, from, to) === true) return 'cut';
  if (inboxes?.has(to) === true) return null;
  if (!isKnownType(plan.protocol, message.type)) return 'type';
  const { machine, self, state } = engine.nodeOf(to);
  const copy = copyJson(state);
  const before = refusedIn(copy);
  machine.step(self, copy, { type: 'deliver', from: toRank(from), message }, NO_EFFECTS);
  const after = refusedIn(copy);
  return REFUSALS.find((reason) => (after?.[reason] ?? 0) > (before?.[reason] ?? 0)) ?? null;
}
