/**
 * @module
 * The messages and the state of bully-gm82: the paper's s, c, h and Up, and the present call.
 */

import type { Rank } from '../machine.ts';

/** `call` numbers the caller's calls. The answer repeats it. */
type Numbered<Type extends string> = { readonly type: Type; readonly call: number };

export type GarciaMolinaMessage =
  | Numbered<'ARE_YOU_THERE' | 'ARE_YOU_NORMAL' | 'HALT' | 'NEW_COORDINATOR' | 'READY'>
  | Numbered<'ARE_YOU_THERE_REPLY' | 'HALT_REPLY' | 'NEW_COORDINATOR_REPLY' | 'READY_REPLY'>
  | { readonly type: 'ARE_YOU_NORMAL_REPLY'; readonly call: number; readonly normal: boolean };

export type Reply = Extract<GarciaMolinaMessage, { type: `${string}_REPLY` }>;

/** Purposes of calls, in the order of an election. `check` and `probe` are no part of one. */
export type Purpose = 'poll' | 'halt' | 'install' | 'ready' | 'check' | 'probe';

/** Calls of one purpose under one number. */
export interface Call {
  readonly purpose: Purpose;
  readonly waiting: readonly Rank[];
}

export type GarciaMolinaState = {
  /** The paper's s. Its Down is a node without state. */
  status: 'election' | 'reorganization' | 'normal';
  /** The paper's c. */
  coordinator: Rank | null;
  /** The paper's h: the node that halted this one last, itself in its own election. */
  halter: Rank | null;
  /** The paper's Up: the nodes that answered this node's HALT. */
  up: Rank[];
  /** Number of calls that this node has made. */
  calls: number;
  /** The present call, and the nodes that have not answered it. HALT is called of the first of them only. */
  call: Call | null;
  /** Timer "watch" is set: the paper's Check or Timeout is to run. */
  watching: boolean;
};

/** The call of each purpose. The type of its answer is the same with _REPLY. */
export const CALL_OF = {
  poll: 'ARE_YOU_THERE',
  probe: 'ARE_YOU_THERE',
  check: 'ARE_YOU_NORMAL',
  halt: 'HALT',
  install: 'NEW_COORDINATOR',
  ready: 'READY',
} as const satisfies Record<Purpose, GarciaMolinaMessage['type']>;

/** The nodes that the present call asks: a single node to halt, or all at once. */
export function calledNow({ purpose, waiting }: Call): readonly Rank[] {
  return purpose === 'halt' ? waiting.slice(0, 1) : waiting;
}

/** Whether the present call of a node is part of an election. */
export function isElecting({ call }: GarciaMolinaState): boolean {
  return call !== null && call.purpose !== 'check' && call.purpose !== 'probe';
}

/** The node that this one depends on: its coordinator, or the node that halted it. */
export function superiorOf(state: GarciaMolinaState): Rank | null {
  return state.status === 'election' ? state.halter : state.coordinator;
}
