/**
 * @module
 * A machine's effects as data: what the reference semantics returns and what a trace keeps. A send
 * carries the message's id, the number of sends before it in the whole election.
 */

import type { Effects, Json, Message, Rank } from '../machine.ts';

export type EffectRecord =
  | {
      readonly type: 'send';
      readonly id: number;
      readonly to: Rank;
      readonly message: Message;
    }
  | {
      readonly type: 'set-timer';
      readonly timer: string;
      readonly ticks: number;
      readonly periodic: boolean;
    }
  | { readonly type: 'cancel-timer'; readonly timer: string }
  | { readonly type: 'choose'; readonly below: number }
  | { readonly type: 'persist'; readonly fields: Json }
  /** A send to the store; `id` counts with the others. */
  | { readonly type: 'call'; readonly id: number; readonly to: Rank; readonly operation: Message }
  | { readonly type: 'elect'; readonly leader: Rank; readonly epoch: number }
  | { readonly type: 'step-down' }
  | { readonly type: 'accuse'; readonly evidence: Json }
  | { readonly type: 'respond'; readonly value: Json };

/** A collector that only records. Every message has the id 0, and calls go to the rank 0. */
export function recordingEffects(effects: EffectRecord[]): Effects<Message> {
  return {
    send: (to, message) => effects.push({ type: 'send', id: 0, to, message }),
    setTimer: (timer, ticks, periodic) =>
      effects.push({ type: 'set-timer', timer, ticks, periodic }),
    cancelTimer: (timer) => effects.push({ type: 'cancel-timer', timer }),
    choose: (below) => effects.push({ type: 'choose', below }),
    persist: (fields) => effects.push({ type: 'persist', fields }),
    // The recipient of a call is known to drivers only.
    call: (operation) => effects.push({ type: 'call', id: 0, to: 0 as Rank, operation }),
    elect: (leader, epoch) => effects.push({ type: 'elect', leader, epoch }),
    stepDown: () => effects.push({ type: 'step-down' }),
    accuse: (evidence) => effects.push({ type: 'accuse', evidence }),
    respond: (value) => effects.push({ type: 'respond', value }),
  };
}
