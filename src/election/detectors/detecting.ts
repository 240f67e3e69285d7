/**
 * @module
 * The machines of a protocol and a detector on one node, as one machine: any protocol with any detector.
 * The detector has its own message types and a prefix for its timers. Its reports are events of the
 * protocol in the same step. All other events pass through, with `suspect` and `trust` from outside;
 * `trust` of the node itself starts its detector if nothing else has. A function of the driver gives the
 * detector's time.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { intercepted, react } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import type { Heartbeat } from './beats.ts';
import type { AnyDetector, Detector, DetectorEffects, DetectorEvent } from './detector.ts';
import { isDetectorType, nextCount } from './detector.ts';
import type { DetectorSpec } from './registry.ts';
import { createDetector, DETECTORS, detectorOptions } from './registry.ts';

/** A report of a detector, for statistics. */
export interface DetectorReport {
  readonly at: number;
  readonly by: Rank;
  readonly about: Rank;
  readonly type: 'suspect' | 'trust';
}

export type DetectingState = {
  inner: Json;
  detector: Json;
  /** The requesters of the outstanding choices, in order. */
  requesters: Requester[];
};

type Requester = 'inner' | 'detector';

const TIMER_PREFIX = 'fd:';

/** `clock` is read once a step. `note` is called for each report, before the protocol gets it. */
export function createDetecting(
  machine: AnyMachine,
  detector: AnyDetector,
  clock: () => number,
  note?: (report: DetectorReport) => void,
): Machine<DetectingState, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), detector: detector.init(self), requesters: [] }),
    step(self, state, event, effects) {
      const inner = (innerEvent: Event<Message>) =>
        machine.step(self, state.inner, innerEvent, innerEffects(state, effects));
      const detect = (detectorEvent: DetectorEvent<Message>) => {
        const now = clock();
        const reports: Pick<DetectorReport, 'type' | 'about'>[] = [];
        const out = detectorEffects(state, effects, (type, about) => reports.push({ type, about }));
        detector.step(self, state.detector, detectorEvent, now, out);
        for (const { type, about } of reports) {
          note?.({ at: now, by: self.rank, about, type });
          inner({ type, node: about });
        }
      };
      // `trust` of the node itself is only for its detector and does not start the protocol.
      if (event.type === 'trust' && event.node === self.rank) detect({ type: 'start' });
      else react(REACTIONS, (parts) => parts.inner(event), { state, inner, detect }, event);
    },
  };
}

interface Parts {
  readonly state: DetectingState;
  readonly inner: (event: Event<Message>) => void;
  readonly detect: (event: DetectorEvent<Message>) => void;
}

const REACTIONS: Reactions<Parts> = {
  start({ inner, detect }, event) {
    inner(event);
    detect(event);
  },
  recover({ inner, detect }, event) {
    inner(event);
    detect({ type: 'recover' });
  },
  deliver({ inner, detect }, event) {
    if (isDetectorType(event.message.type)) detect(event);
    else inner(event);
  },
  timeout({ inner, detect }, event) {
    if (!event.timer.startsWith(TIMER_PREFIX)) inner(event);
    else detect({ type: 'timeout', timer: event.timer.slice(TIMER_PREFIX.length) });
  },
  chosen({ state, inner, detect }, event) {
    const requester = state.requesters.shift();
    if (requester === 'inner') inner(event);
    if (requester === 'detector') detect(event);
  },
};

function innerEffects(state: DetectingState, effects: Effects<Message>): Effects<Message> {
  return intercepted(effects, {
    choose(below) {
      state.requesters.push('inner');
      effects.choose(below);
    },
  });
}

function detectorEffects(
  state: DetectingState,
  effects: Effects<Message>,
  say: (type: 'suspect' | 'trust', about: Rank) => void,
): DetectorEffects<Message> {
  return {
    send: (to, message) => effects.send(to, message),
    setTimer: (timer, ticks, periodic) => effects.setTimer(TIMER_PREFIX + timer, ticks, periodic),
    cancelTimer: (timer) => effects.cancelTimer(TIMER_PREFIX + timer),
    choose(below) {
      state.requesters.push('detector');
      effects.choose(below);
    },
    suspect: (node) => say('suspect', node),
    trust: (node) => say('trust', node),
  };
}

/** An answer stands for the next heartbeat of the node, also if that of the other member is somewhat late. */
const LATE_PERIODS = 1.25;
/** If the next heartbeat of the higher member is lost, the lower one sends its own this much later than without answers. */
const LONGER_PERIODS = 2;
/** Heartbeats that come faster are not answered. */
const EARLY_PERIODS = 0.5;

type ExchangedState<State> = {
  readonly inner: State;
  seq: number;
  /** When the node has answered a member last, by the text of its rank. */
  readonly answeredAt: { [rank: string]: number };
};

/**
 * The detector of every node, whose heartbeats are exchanged if it tolerates the silence that one lost request then
 * causes. Null for the oracle, which is not a machine. Heartbeats in pairs, for a network that brings an answer for
 * less than another message: a node answers the heartbeat of a higher member with its own, and sends it none at its
 * next beat. In a period there are as many heartbeats as before, in half as many requests. A member whose heartbeats
 * do not come is sent one at each beat.
 */
export function createExchangedDetector(spec: DetectorSpec, timing: Timing): AnyDetector | null {
  const detector = createDetector(spec, timing);
  if (detector === null || !Object.hasOwn(DETECTORS[spec.name].options, 'pause')) return detector;
  const read = detectorOptions(spec, timing);
  const everyTicks = read.number('every');
  return read.number('pause') < LONGER_PERIODS * everyTicks
    ? detector
    : exchanged(detector, everyTicks);
}

/** A detector with heartbeats every `everyTicks` that answers those of higher members. */
function exchanged<State>(
  detector: Detector<State, Message>,
  everyTicks: number,
): Detector<ExchangedState<State>, Message> {
  return {
    init: (self) => ({ inner: detector.init(self), seq: 0, answeredAt: {} }),
    step(self, state, event, now, effects) {
      const isAnswered = (member: Rank, periods: number) => {
        const at = state.answeredAt[String(member)];
        return at !== undefined && now - at < periods * everyTicks;
      };
      detector.step(self, state.inner, event, now, {
        ...effects,
        send(to, message) {
          if (message.type !== HEARTBEAT || !isAnswered(to, LATE_PERIODS))
            effects.send(to, message);
        },
      });
      if (event.type !== 'deliver' || event.message.type !== HEARTBEAT) return;
      const { from } = event;
      if (!isHigherMember(self, from) || isAnswered(from, EARLY_PERIODS)) return;
      state.answeredAt[String(from)] = now;
      state.seq = nextCount(state.seq, now);
      const answer: Heartbeat = { type: HEARTBEAT, seq: state.seq };
      effects.send(from, answer);
    },
  };
}

const HEARTBEAT = 'FD_HEARTBEAT' satisfies Heartbeat['type'];

function isHigherMember({ rank, members }: Self, other: Rank): boolean {
  return other > rank && members.includes(other);
}
