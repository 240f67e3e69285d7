/**
 * @module
 * Places that a program elsewhere plays. The machine of one does nothing but hand over what it is told;
 * what the program does about it, and what anybody says in a node's name, are effects that no machine
 * had. Drivers carry them out as they do a machine's own.
 */

import type { AnyMachine } from '../definition/protocol.ts';
import type { Effects, Event, Message } from '../machine.ts';
import { fromRank, toRank } from './cast.ts';

export type OutsideEffect =
  /** To a member, or to the place of the store, which is a call. */
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

/** What an outside place was told; a copy of the event, which a driver may use again. */
export type OutsideNote = (rank: number, event: Event<Message>) => void;

/** The machine of every place that is played from outside. */
export function createOutside(note: OutsideNote): AnyMachine {
  return {
    init: () => ({}),
    step: (self, _state, event) => note(fromRank(self.rank), { ...event }),
  };
}

/** Carries out one effect; `store` is the place of the store, null without one. */
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
