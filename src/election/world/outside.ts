/**
 * @module
 * Nodes that a program outside the laboratory plays. The machine of such a node only passes its events to
 * the program. The reactions of the program, and messages that an outsider sends in a node's name, are
 * effects without a machine. Drivers carry them out like those of a machine.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Effects, Event, Message } from '../machine.ts';
import { fromRank, toRank } from './cast.ts';

export type OutsideEffect =
  /** To a member, or to the rank of the store, which is a call. */
  | { readonly type: 'send'; readonly to: number; readonly message: Message }
  | {
      readonly type: 'set-timer';
      readonly timer: string;
      readonly ticks: number;
      readonly periodic: boolean;
    }
  | { readonly type: 'cancel-timer'; readonly timer: string }
  | { readonly type: 'elect'; readonly leader: number; readonly epoch: number }
  | { readonly type: 'step-down' };

/** A copy of an event of an outside node, since a driver may reuse the event. */
export type OutsideNote = (rank: number, event: Event<Message>) => void;

/** The machine of every node that is played from outside. */
export function createOutside(note: OutsideNote): AnyMachine {
  return {
    init: () => ({}),
    step: (self, _state, event) => note(fromRank(self.rank), { ...event }),
  };
}

/** Carries out one effect. `store` is the rank of the store, null without one. */
export function carryOutOutside(
  effects: Effects<Message>,
  effect: OutsideEffect,
  store: number | null,
): void {
  switch (effect.type) {
    case 'send':
      if (effect.to === store) effects.call(effect.message);
      else effects.send(toRank(effect.to), effect.message);
      break;
    case 'set-timer':
      effects.setTimer(effect.timer, effect.ticks, effect.periodic);
      break;
    case 'cancel-timer':
      effects.cancelTimer(effect.timer);
      break;
    case 'elect':
      effects.elect(toRank(effect.leader), effect.epoch);
      break;
    case 'step-down':
      effects.stepDown();
      break;
    default:
      effect satisfies never;
  }
}
