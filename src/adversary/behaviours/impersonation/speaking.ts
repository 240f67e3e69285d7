/**
 * @module
 * This folder contains the behaviours that announce or nominate a node falsely.
 * Forgers that speak up by themselves: at the first sign of an election, and again at every turn
 * of timer 'byz:<name>'. To everybody they speak as often as answers are waited for; round a ring, where
 * words go on by themselves, a few times, each when an election should be over.
 */

import type { AnyMachine } from '../../../election/definition/protocol.ts';
import { isDetectorType } from '../../../election/detectors/detector.ts';
import { PROTOCOLS } from '../../../election/registry.ts';
import { answerTicks, ringElectionTicks } from '../../../election/timing.ts';
import type { ByzantineNode } from '../behaviour.ts';
import type { Forger } from '../byzantine-machine.ts';
import { createByzantine } from '../byzantine-machine.ts';

/** How often it has spoken. */
export type Spoken = { spoken: number };

export interface Speech {
  readonly name: string;
  readonly speak: (forger: Forger<Spoken>) => void;
  /** Whether it says itself whom the node follows. */
  readonly speaksForNode?: boolean;
  /** Whether nothing is heard of the node's own machine but what a detector on it says. */
  readonly mutesNode?: boolean;
}

/** A word that goes round a ring for ever is not to be joined by many more. */
const TIMES_MAX = 8;

/** What tells a node that an election is on. */
const ROUSING: readonly string[] = ['start', 'deliver', 'recover', 'suspect', 'trust'];

/** A machine that does what the node's own does, and speaks. */
export function createSpeaking(
  machine: AnyMachine,
  byzantineNode: ByzantineNode,
  { name, speak, speaksForNode, mutesNode }: Speech,
): AnyMachine {
  const timer = `byz:${name}`;
  const isEndless = PROTOCOLS[byzantineNode.protocol].forgery.route === 'everybody';
  const turn = (forger: Forger<Spoken>) => {
    const { own } = forger.state;
    own.spoken += 1;
    speak(forger);
    if (!isEndless && own.spoken >= TIMES_MAX) forger.effects.cancelTimer(timer);
  };
  return createByzantine<Spoken>(machine, byzantineNode, {
    init: () => ({ spoken: 0 }),
    speaksForNode,
    alter: mutesNode === true ? (_, body) => (isDetectorType(body.type) ? body : null) : undefined,
    hear(forger, event) {
      const isTurn = event.type === 'timeout' && event.timer === timer;
      const isFirst = forger.state.own.spoken === 0;
      if (isFirst && ROUSING.includes(event.type)) {
        forger.effects.setTimer(timer, pauseTicks(forger, isEndless), true);
        turn(forger);
      } else if (isTurn && !isFirst) {
        turn(forger);
      }
      return !isTurn;
    },
  });
}

/** Round a ring a little later than those who begin again when an election should be over. */
function pauseTicks({ self, byzantineNode }: Forger<Spoken>, isEndless: boolean): number {
  const { timing } = byzantineNode;
  const ticks = answerTicks(timing);
  return isEndless ? ticks : ringElectionTicks(timing, self.ringNodes) + ticks;
}
