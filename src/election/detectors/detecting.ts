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
import type { Effects, Event, Json, Machine, Message, Rank } from '../machine.ts';
import type { AnyDetector, DetectorEffects, DetectorEvent } from './detector.ts';
import { isDetectorType } from './detector.ts';

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
