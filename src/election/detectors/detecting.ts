/**
 * @module
 * A protocol's machine and a detector's on one node, as one machine: any protocol under any detector.
 * The detector's messages have types of their own and its timers a prefix; what it says is an event
 * of the protocol in the same step. Everything else passes through, `suspect` and `trust` from
 * outside included; `trust` of the node itself starts its detector where nothing else has. The detector's time is the driver's, handed in as a function.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Reactions } from '../intercepted.ts';
import { intercepted, react } from '../intercepted.ts';
import type { Effects, Event, Json, Machine, Message, Rank } from '../machine.ts';
import type { AnyDetector, DetectorEffects, DetectorEvent } from './detector.ts';
import { isDetectorType } from './detector.ts';

/** A report of a detector, for statistics. */
export interface DetectorWord {
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
  note?: (word: DetectorWord) => void,
): Machine<DetectingState, Message> {
  return {
    init: (self) => ({ inner: machine.init(self), detector: detector.init(self), requesters: [] }),
    step(self, state, event, effects) {
      const inner = (innerEvent: Event<Message>) =>
        machine.step(self, state.inner, innerEvent, innerEffects(state, effects));
      const detect = (detectorEvent: DetectorEvent<Message>) => {
        const now = clock();
        const words: Pick<DetectorWord, 'type' | 'about'>[] = [];
        const out = detectorEffects(state, effects, (type, about) => words.push({ type, about }));
        detector.step(self, state.detector, detectorEvent, now, out);
        for (const { type, about } of words) {
          note?.({ at: now, by: self.rank, about, type });
          inner({ type, node: about });
        }
      };
      // That the node itself is up is for its detector alone, and the protocol is not started by it.
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
