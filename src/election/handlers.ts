/**
 * @module
 * A machine as a map of handlers, one for each event, message type, timer and operation of a store. A
 * missing handler does nothing, as the contract in machine.ts demands. `createMachine` makes the
 * `step` function that drivers call; it looks handlers up by own names only, so that a message of
 * type `constructor` finds none.
 */

import type { Effects, Event, Json, Machine, Message, Rank, Self } from './machine.ts';

/** What every handler receives first. It is valid during one step only. */
export interface Step<State, M extends Message, Settings = null> {
  readonly self: Self;
  readonly state: State;
  readonly effects: Effects<M>;
  /** Timing, flags and whatever else the protocol is configured with. It never changes. */
  readonly settings: Settings;
}

/** A message of one type: also of a union member that stands for several types. */
export type MessageOf<M extends Message, Type> = M extends unknown
  ? Type extends M['type']
    ? M & { readonly type: Type }
    : never
  : never;

type Handler<S, Args extends readonly unknown[]> = (step: S, ...args: Args) => void;

/** The handlers of a protocol. `Reply` are the messages that its store sends. */
export interface Handlers<
  State,
  M extends Message,
  Settings = null,
  Reply extends Message = never,
> {
  readonly start?: Handler<Step<State, M, Settings>, []>;
  /** By message type, or one handler for all types in a machine that carries another's messages. */
  readonly deliver?:
    | {
        readonly [Type in M['type']]?: Handler<
          Step<State, M, Settings>,
          [message: MessageOf<M, Type>, from: Rank]
        >;
      }
    | Handler<Step<State, M, Settings>, [message: M, from: Rank]>;
  /** By timer name, or by the part of the name before the first colon, or one handler for all. */
  readonly timeout?:
    | Readonly<Record<string, Handler<Step<State, M, Settings>, [timer: string]>>>
    | Handler<Step<State, M, Settings>, [timer: string]>;
  readonly suspect?: Handler<Step<State, M, Settings>, [node: Rank]>;
  readonly trust?: Handler<Step<State, M, Settings>, [node: Rank]>;
  readonly join?: Handler<Step<State, M, Settings>, [node: Rank]>;
  readonly leave?: Handler<Step<State, M, Settings>, [node: Rank]>;
  /** `persisted` is what `persist` saved last. It is null if the disk is empty or was lost. */
  readonly recover?: Handler<Step<State, M, Settings>, [persisted: Json]>;
  readonly chosen?: Handler<Step<State, M, Settings>, [value: number]>;
  readonly reply?: {
    readonly [Type in Reply['type']]?: Handler<
      Step<State, M, Settings>,
      [reply: MessageOf<Reply, Type>]
    >;
  };
  readonly request?: Handler<Step<State, M, Settings>, [value: Json]>;
}

/** What `createMachine` makes a machine of. */
export interface MachineParts<
  State,
  M extends Message,
  Settings = null,
  Reply extends Message = never,
> {
  readonly settings: Settings;
  readonly init: (self: Self, settings: Settings) => State;
  readonly on: Handlers<State, M, Settings, Reply>;
  /** Whether a node acts on no event but a recovery: it may have voted before, and does not know. */
  readonly isBarred?: (state: State) => boolean;
  /** Whether a message is acted on. Without this every message is. */
  readonly isValid?: (message: M, self: Self, from: Rank) => boolean;
}

/** The machine with these handlers. */
export function createMachine<
  State,
  M extends Message,
  Settings = null,
  Reply extends Message = never,
>({
  settings,
  init,
  on,
  isBarred,
  isValid,
}: MachineParts<State, M, Settings, Reply>): Machine<State, M> {
  type Own = Step<State, M, Settings>;
  const deliver = lookup<Handler<Own, [M, Rank]>>(on.deliver);
  const timeout = lookup<Handler<Own, [string]>>(on.timeout);
  const reply = lookup<Handler<Own, [Message]>>(on.reply);
  const { start, suspect, trust, join, leave, recover, chosen, request } = on;
  const act = (step: Own, event: Exclude<Event<M>, { readonly type: 'deliver' }>): void => {
    switch (event.type) {
      case 'timeout':
        (timeout(event.timer) ?? timeout(stem(event.timer)))?.(step, event.timer);
        break;
      case 'start':
        start?.(step);
        break;
      case 'suspect':
        suspect?.(step, event.node);
        break;
      case 'trust':
        trust?.(step, event.node);
        break;
      case 'join':
        join?.(step, event.node);
        break;
      case 'leave':
        leave?.(step, event.node);
        break;
      case 'recover':
        recover?.(step, event.persisted);
        break;
      case 'chosen':
        chosen?.(step, event.value);
        break;
      case 'reply':
        reply(event.value.type)?.(step, event.value);
        break;
      case 'request':
        request?.(step, event.value);
        break;
      default:
        event satisfies never;
    }
  };
  return {
    init: (self) => init(self, settings),
    // Most events are messages. What is small here is compiled into the driver.
    step(self, state, event, effects) {
      if (isBarred?.(state) && event.type !== 'recover') return;
      if (event.type !== 'deliver') {
        act({ self, state, effects, settings }, event);
        return;
      }
      const { message, from } = event;
      if (isValid?.(message, self, from) === false) return;
      const handle = deliver(message.type);
      if (handle !== undefined) handle({ self, state, effects, settings }, message, from);
    },
  };
}

/** Finds the handler of a name. One handler for all names is found under each. */
function lookup<H>(handlers: object | undefined): (name: string) => H | undefined {
  // Each handler takes messages of the type that it is listed under, which the compiler cannot relate.
  if (typeof handlers === 'function') return () => handlers as H;
  const names = Object.keys(handlers ?? {});
  // The compiler cannot relate these handlers to the types of their messages, either.
  const found = Object.values(handlers ?? {}) as readonly H[];
  // A few comparisons take less time than a Map, which hashes.
  return (name) => {
    for (let index = 0; index < names.length; index += 1) {
      if (names[index] === name) return found[index];
    }
    return undefined;
  };
}

function stem(timer: string): string {
  const colon = timer.indexOf(':');
  return colon < 0 ? timer : timer.slice(0, colon);
}
