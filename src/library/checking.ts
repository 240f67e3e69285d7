/**
 * @module
 * `usurp/checking`: every schedule of a protocol within bounds.
 */

import type { Asking } from './ask.ts';
import { ask } from './ask.ts';

export type { Asking } from './ask.ts';

/** What is checked. The members are those of `usurp check`, in camelCase (docs/cli/check.md). */
export interface Check {
  readonly protocol: string;
  /** Number of nodes in a ring by rank, 3 by default. */
  readonly nodes?: number;
  /** Whether a timer may fire while messages are in flight. */
  readonly timing?: 'synchronous' | 'asynchronous';
  /** Largest number of each fault in one execution, such as `{ crash: 1, loss: 2 }`. None by default. */
  readonly bounds?: Readonly<Record<string, number>>;
  /** Names of docs/properties.md, or `all`. By default those that the protocol claims. */
  readonly properties?: readonly string[];
  /** Number of worlds after which the search stops, 10 million by default. */
  readonly maxStates?: number;
  /** Rings, Byzantine nodes, goals of an adversary, random walks. */
  readonly [member: string]: unknown;
}

/** What a check has found. */
export interface CheckAnswer {
  /**
   * `exhausted`: every world within the bounds was visited and no property is violated. `violated`: the actions lead to a
   * violation. `capped`: a limit was reached, and nothing is known about the other worlds. `reachable`: the goal is.
   */
  readonly result: 'exhausted' | 'capped' | 'violated' | 'reachable';
  readonly properties: readonly {
    readonly name: string;
    readonly kind: 'always' | 'sometimes' | 'eventually';
    readonly value: string;
    readonly description: string;
  }[];
  /** Numbers of visited worlds and of actions between them, and the largest number of actions of a path. */
  readonly counts: {
    readonly states: number;
    readonly transitions: number;
    readonly depth: number;
  };
  /** The violated property, what is wrong in words, and the actions with their effects. Only with a violation. */
  readonly property?: string;
  readonly breach?: string;
  readonly actions?: readonly {
    readonly action: { readonly type: string; readonly [member: string]: unknown };
    readonly effects: readonly { readonly type: string; readonly [member: string]: unknown }[];
  }[];
  /** The same in words. */
  readonly words: { readonly instance: string; readonly outcome: string };
  readonly replay: string;
}

/**
 * Explores every order in which messages arrive, timers fire and faults happen. Throws a Refusal for members that do not
 * fit together.
 * @example (await check({ protocol: 'bully-oneshot' })).breach
 */
export function check(question: Check, how: Asking = {}): Promise<CheckAnswer> {
  return ask('check', question, how);
}
