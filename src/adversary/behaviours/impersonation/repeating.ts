/**
 * @module
 * This folder contains the behaviours that announce or nominate a node falsely. This file sends their
 * messages: at the first event of an election, and again at each end of the timer 'byz:<name>'. Messages
 * to all nodes are repeated as often as answers are awaited; messages that travel round a ring by
 * themselves a few times, whenever an election should be over.
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { answerTicks, ringElectionTicks } from '../../../election/timing.ts';
import type { ByzantineNode } from '../behaviour.ts';
import type { ByzantineStep } from '../byzantine-machine.ts';
import { createByzantine } from '../byzantine-machine.ts';

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
