/**
 * @module
 * This folder contains the behaviours that stall elections or mislead failure detectors. The beats of this
 * node come later and later, until none comes and it sends nothing any more. Adaptive detectors (time-outs
 * that double, accrual by mean and deviation as N. Hayashibara et al., The φ accrual failure detector,
 * SRDS 2004) learn to wait, so that its end is noticed late, if at all. Each beat is its own and genuine,
 * so that signatures do not help. Bounds on what a detector learns do.
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { intercepted } from '../../../election/intercepted.ts';
import type { Json, Machine, Message, Rank } from '../../../election/machine.ts';
import type { Timing } from '../../../election/timing.ts';
import { answerTicks } from '../../../election/timing.ts';
import type { Observed } from '../../forging.ts';
import { nothingObserved, observeReturn } from '../../forging.ts';
import type { ByzantineNode } from '../behaviour.ts';
import { defineBehaviour } from '../behaviour.ts';
import { passOn } from '../sender.ts';
import { detectorStage, detectorUnsupportedReason } from './heartbeat-forger.ts';

export type DripState = {
  inner: Json;
  observed: Observed;
  /** Ticks to the next beat that is let out; 0 before the first. */
  gapTicks: number;
  /** Whether the node has gone silent for good. */
  dry: boolean;
  /** The newest beat to each that has not been let out. */
  latest: Record<string, { readonly to: Rank; readonly beat: Beat }>;
};

type Beat = { readonly type: string; readonly [member: string]: Json };

export const DRIP_TIMER = 'byz:slow-drip';
/** A sixteenth more each time: less than the margin that detectors leave for jitter. */
export const GROWTH_DIVISOR = 16;
/** How many times as long as the first the last gap is. */
export const GAP_GROWTH_MAX = 16;

export const SLOW_DRIP = defineBehaviour({
  name: 'slow-drip',
  attack: 'A13',
  summary:
    'Sends its beats later and later and then none, so that adaptive detectors have learnt to wait for it when it stalls.',
  aim: 'stop',
  // The silence of a leader is noticed late. That of another node may not matter.
  needsTopId: true,
  comesLate: false,
  // The last gaps are many times as long as the first.
  stage: (protocol) => ({ ...detectorStage(protocol, 'fd-phi-akka'), episodes: 32 }),
  unsupportedReason: detectorUnsupportedReason,
  remains: () => null,
  wrap: createDripping,
});

/** What gaps begin with: the period that detectors have by default. */
export function firstGapTicks(timing: Timing): number {
  return answerTicks(timing);
}

function createDripping(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
): Machine<DripState, Message> {
  const firstTicks = firstGapTicks(byzantineNode.timing);
  return {
    init: (self) => ({
      inner: machine.init(self),
      observed: nothingObserved(),
      gapTicks: 0,
      dry: false,
      latest: {},
    }),
    step(self, state, event, effects) {
      observeReturn(state.observed, self, event);
      const sender = { byzantineNode, observed: state.observed, effects };
      const letOut = () => {
        for (const { to, beat } of Object.values(state.latest)) passOn(sender, to, beat);
        state.latest = {};
        effects.setTimer(DRIP_TIMER, state.gapTicks, false);
      };
      if (event.type === 'timeout' && event.timer === DRIP_TIMER) {
        state.gapTicks += Math.ceil(state.gapTicks / GROWTH_DIVISOR);
        state.dry ||= state.gapTicks > GAP_GROWTH_MAX * firstTicks;
        if (!state.dry) letOut();
        return;
      }
      const out = intercepted(effects, {
        send(to, message) {
          if (state.dry) return;
          if (isDetectorType(message.type)) {
            // All messages are plain JSON data, which their type does not state.
            state.latest[String(to)] = { to, beat: message as Beat };
          } else passOn(sender, to, message);
        },
      });
      machine.step(self, state.inner, event, out);
      if (state.gapTicks > 0 || Object.keys(state.latest).length === 0) return;
      // The first beat is on time.
      state.gapTicks = firstTicks;
      letOut();
    },
  };
}

/** Whether a machine with this state, or one inside it, sends nothing any more. */
export function hasRunDry(state: Json): boolean {
  if (typeof state !== 'object' || state === null) return false;
  if ('dry' in state && state.dry === true) return true;
  return 'inner' in state && hasRunDry(state.inner);
}
