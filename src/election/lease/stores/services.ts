/**
 * @module
 * Several store machines at one rank, so that a protocol with its own store can have another one beside
 * it, such as the resource that its leaders work on. Each operation belongs to one of them. Their timers
 * and choices are kept apart. An operation that belongs to none has no effect.
 */

import type { AnyMachine } from '../../definition/protocol.ts';
import type { Effects, Event, Json, Machine, Message, Self } from '../../machine.ts';

export interface Service {
  readonly machine: AnyMachine;
  /** The types of messages that it handles. */
  readonly operations: readonly string[];
}

export type ServicesState = {
  /** By name. */
  services: Record<string, Json>;
  /** Names of services that wait for a choice, in the order in which they asked. */
  choosing: string[];
};

/**
 * One machine of all `services`, by name. Other events than messages reach all of them, in the order of
 * their names. Throws RangeError for an operation that two of them handle, TypeError for a name with ':'.
 */
export function createServices(
  services: Readonly<Record<string, Service>>,
): Machine<ServicesState, Message> {
  const listed = Object.entries(services).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const stores = new Map(listed.map(([name, { machine }]) => [name, machine]));
  const owners = ownersOf(listed);
  return {
    init: (self) => ({
      services: Object.fromEntries([...stores].map(([name, store]) => [name, store.init(self)])),
      choosing: [],
    }),
    step: (self, state, event, effects) => {
      step({ stores, owners, self, state, effects }, event);
    },
  };
}

interface Step {
  readonly stores: ReadonlyMap<string, AnyMachine>;
  /** By operation. */
  readonly owners: ReadonlyMap<string, string>;
  readonly self: Self;
  readonly state: ServicesState;
  readonly effects: Effects<Message>;
}

function ownersOf(listed: readonly (readonly [string, Service])[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const [name, { operations }] of listed) {
    if (name.includes(SEPARATOR)) throw new TypeError(`"name" expected no ':', got ${name}`);
    for (const operation of operations) {
      const other = owners.get(operation);
      if (other !== undefined) {
        throw new RangeError(`"${operation}" expected one owner, got ${other} and ${name}`);
      }
      owners.set(operation, name);
    }
  }
  return owners;
}

const SEPARATOR = ':';

function step(context: Step, event: Event<Message>): void {
  const { stores, owners, state } = context;
  switch (event.type) {
    case 'deliver':
      stepService(context, owners.get(event.message.type), event);
      break;
    case 'timeout': {
      const end = event.timer.indexOf(SEPARATOR);
      const timer = event.timer.slice(end + 1);
      stepService(context, event.timer.slice(0, Math.max(end, 0)), { type: 'timeout', timer });
      break;
    }
    case 'chosen':
      stepService(context, state.choosing.shift(), event);
      break;
    case 'start':
    case 'suspect':
    case 'trust':
    case 'join':
    case 'leave':
    case 'recover':
    case 'reply':
    case 'request':
      for (const name of stores.keys()) stepService(context, name, event);
      break;
    default:
      event satisfies never;
  }
}

/** One step of the service of that name, if there is one. */
function stepService(context: Step, name: string | undefined, event: Event<Message>): void {
  const { stores, self, state } = context;
  const machine = name === undefined ? undefined : stores.get(name);
  if (name === undefined || machine === undefined) return;
  machine.step(self, state.services[name] ?? null, event, named(context, name));
}

/** The collector of one service's step. Stores never crash, and need no disk. */
function named({ state, effects }: Step, name: string): Effects<Message> {
  return {
    send: (to, message) => effects.send(to, message),
    setTimer: (timer, ticks, periodic) =>
      effects.setTimer(`${name}${SEPARATOR}${timer}`, ticks, periodic),
    cancelTimer: (timer) => effects.cancelTimer(`${name}${SEPARATOR}${timer}`),
    choose(below) {
      state.choosing.push(name);
      effects.choose(below);
    },
    persist: () => refuse('persist'),
    call: () => refuse('call'),
    elect: () => refuse('elect'),
    stepDown: () => refuse('stepDown'),
    accuse: (evidence) => effects.accuse(evidence),
    respond: (value) => effects.respond(value),
  };
}

function refuse(effect: string): never {
  throw new TypeError(`"effect" expected one that a store may have, got ${effect}`);
}
