/**
 * @module
 * The parts of a protocol that a search has reached: message types, timers and kinds of events. They are noted once for
 * each step of a local state. Only an exhausted search shows that a part is never reached.
 */

import type { Message } from '../election/machine.ts';
import { PROTOCOLS } from '../election/registry.ts';
import type { EffectRecord } from '../election/world/effect-record.ts';
import type { Action } from '../election/world/world.ts';
import type { Instance } from './instance.ts';
import { isReporting } from './layout.ts';

/** The kinds of handlers: what a node receives, where `reply` is a message of the store, and what the store receives. */
export const HANDLERS = [
  ...(['start', 'deliver', 'reply', 'operation', 'timeout', 'chosen'] as const),
  ...(['suspect', 'trust', 'recover', 'join', 'leave'] as const),
] as const;

export type Handler = (typeof HANDLERS)[number];

/** `ignored`: it occurred, but changed nothing and had no effect in any state. */
export type Reached = 'acted' | 'ignored' | 'never';

export interface Coverage {
  /** Each message type that the definition lists or a node sent, and the kinds of handlers that received it. */
  readonly messages: readonly {
    readonly type: string;
    readonly reached: Reached;
    readonly handlers: readonly Handler[];
  }[];
  /** Each timer that a node set. Timers that differ in a number only are one. `never`: it never fired. */
  readonly timers: readonly { readonly timer: string; readonly reached: Reached }[];
  /** Each kind of event that the instance allows. */
  readonly events: readonly { readonly event: Handler; readonly reached: Reached }[];
}

/** One computed step. */
export interface CoveredStep {
  readonly isStore: boolean;
  readonly action: Action;
  readonly delivered: { readonly from: number; readonly message: Message } | null;
  readonly effects: readonly EffectRecord[];
  /** Whether the node is not as it was before. */
  readonly isChanged: boolean;
}

/** The messages, timers and events that were reached so far. */
export interface NotedCoverage {
  readonly messages: ReadonlyMap<string, Reached>;
  readonly handlersOf: ReadonlyMap<string, ReadonlySet<Handler>>;
  readonly timers: ReadonlyMap<string, Reached>;
  readonly events: ReadonlyMap<Handler, Reached>;
}

export class CoverageNotes {
  readonly #messages = new Map<string, Reached>();
  readonly #handlersOf = new Map<string, Set<Handler>>();
  readonly #timers = new Map<string, Reached>();
  readonly #events = new Map<Handler, Reached>();

  /** Notes a step of a node. `store` is the rank of the store. */
  note(step: CoveredStep, store: number | null): void {
    const { action, delivered, effects, isChanged } = step;
    for (const effect of effects) {
      if (effect.type === 'set-timer') raise(this.#timers, timerName(effect.timer), 'never');
      if (effect.type === 'send') raise(this.#messages, effect.message.type, 'never');
      if (effect.type === 'call') raise(this.#messages, effect.operation.type, 'never');
    }
    const handler = handlerOf(step, store);
    if (handler === null) return;
    const reached = isChanged || effects.length > 0 ? 'acted' : 'ignored';
    raise(this.#events, handler, reached);
    // A timer that fires without a handler changes its node, unless it is periodic.
    if (action.type === 'timeout') raise(this.#timers, timerName(action.timer), reached);
    if (delivered === null) return;
    const { type } = delivered.message;
    raise(this.#messages, type, reached);
    this.#handlersOf.set(type, (this.#handlersOf.get(type) ?? new Set()).add(handler));
  }

  /** What was noted, as data that threads can exchange. It changes with the next note. */
  get noted(): NotedCoverage {
    return {
      messages: this.#messages,
      handlersOf: this.#handlersOf,
      timers: this.#timers,
      events: this.#events,
    };
  }

  /** Adds what others have noted. */
  add(others: NotedCoverage): void {
    for (const [type, reached] of others.messages) raise(this.#messages, type, reached);
    for (const [timer, reached] of others.timers) raise(this.#timers, timer, reached);
    for (const [event, reached] of others.events) raise(this.#events, event, reached);
    for (const [type, handlers] of others.handlersOf) {
      const known = this.#handlersOf.get(type) ?? new Set();
      this.#handlersOf.set(type, new Set([...known, ...handlers]));
    }
  }

  /** The parts of an instance that were reached. */
  of(instance: Instance): Coverage {
    const { messageTypes } = PROTOCOLS[instance.protocol];
    const types = [...new Set([...messageTypes, ...this.#messages.keys()])];
    const possible = HANDLERS.filter(
      (handler) =>
        this.#events.has(handler) ||
        (handler === 'timeout' ? this.#timers.size > 0 : isPossible(handler, instance)),
    );
    return {
      messages: types.map((type) => ({
        type,
        reached: this.#messages.get(type) ?? 'never',
        handlers: HANDLERS.filter((handler) => this.#handlersOf.get(type)?.has(handler) === true),
      })),
      timers: [...this.#timers]
        .map(([timer, reached]) => ({ timer, reached }))
        .toSorted((left, right) => (left.timer < right.timer ? -1 : 1)),
      events: possible.map((event) => ({ event, reached: this.#events.get(event) ?? 'never' })),
    };
  }
}

const ORDER: readonly Reached[] = ['never', 'ignored', 'acted'];

function raise<Name>(notes: Map<Name, Reached>, name: Name, reached: Reached): void {
  const before = notes.get(name) ?? 'never';
  notes.set(name, ORDER.indexOf(reached) > ORDER.indexOf(before) ? reached : before);
}

/** A session or round at the end of a timer's name is left out. */
function timerName(timer: string): string {
  return timer.replace(/:\d+$/, '');
}

/** The kind of handler that an action reaches; null if it reaches none. */
function handlerOf(
  { action, delivered, isStore }: CoveredStep,
  store: number | null,
): Handler | null {
  switch (action.type) {
    case 'deliver':
      if (isStore) return 'operation';
      return delivered !== null && delivered.from === store ? 'reply' : 'deliver';
    case 'choose':
      return 'chosen';
    case 'start':
    case 'timeout':
    case 'recover':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
      return action.type;
    default:
      return null;
  }
}

/** Whether the instance allows such events, whatever the protocol does. */
function isPossible(handler: Handler, instance: Instance): boolean {
  const { bounds, cast, crashedBefore, initiators } = instance;
  const returns = bounds.recover + bounds.amnesia;
  switch (handler) {
    case 'start':
      return initiators.length > 0;
    case 'operation':
    case 'reply':
      return cast.store !== null;
    case 'suspect':
      return bounds.crash > 0 && cast.nodes > 1;
    case 'recover':
      return returns > 0 && (bounds.crash > 0 || crashedBefore.length > 0);
    case 'join':
      return bounds.join > 0 && (instance.absent ?? []).length > 0;
    case 'leave':
      return bounds.leave > 0;
    case 'trust':
      return isReporting(instance) && returns > 0 && cast.nodes > 1;
    default:
      return false;
  }
}
