/**
 * @module
 * Heartbeats in pairs, for a network that brings an answer for less than another message: a node answers the heartbeat of a
 * higher member with its own, and sends it none at its next beat. In a period there are as many heartbeats as before, in half
 * as many requests. A member whose heartbeats do not come is sent one at each beat.
 */

import type { Message, Rank, Self } from '../machine.ts';
import type { Timing } from '../timing.ts';
import type { Heartbeat } from './beats.ts';
import type { AnyDetector, Detector } from './detector.ts';
import { nextCount } from './detector.ts';
import type { DetectorSpec } from './registry.ts';
import { createDetector, DETECTORS, detectorOptions } from './registry.ts';

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
 * The detector of every node, whose heartbeats are exchanged if it tolerates the silence that one lost request then causes.
 * Null for the oracle, which is not a machine.
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
