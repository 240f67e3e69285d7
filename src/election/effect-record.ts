/**
 * @module
 * A machine's effects as data: what the reference semantics returns and what a trace keeps. A send
 * carries the message's id, the number of sends before it in the whole election.
 */

import type { Json, Message, Rank } from './machine.ts';

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
