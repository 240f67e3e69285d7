/**
 * @module
 * The messages that nodes have received, in the model: those that a log has as sent, copies of them, and those of nodes
 * without a log or in the name of another node. The latter are injected in the model when they are received, as the
 * simulator does with forged messages.
 */

import { isDeepStrictEqual } from 'node:util';
import { ACCOMPANYING, isWellFormed } from '../../election/authentication/message-forms.ts';
import type { Json, Message } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';
import type { Flight } from '../../election/world/world-state.ts';
import type { LiveEvent, LiveLog } from '../node-record.ts';
import { sentName } from './merged-steps.ts';

export type Delivery = LiveEvent & { readonly type: 'deliver' };

/** What could happen to messages in a run. */
export interface MessageRules {
  /** Whether a message can come in the name of a node that did not send it. */
  readonly mayForge: boolean;
  /** Whether a message can count twice although its receiver did not crash in between. */
  readonly mayRepeat: boolean;
  /** Why the model lacks some of the ranks that messages name; null if it lacks none. */
  readonly excess: string | null;
  /** The number of the node at a position, for people. */
  readonly numberOf: (position: number) => number;
}

/** At L3, with all nodes honest. */
export const SEALED: MessageRules = {
  mayForge: false,
  mayRepeat: false,
  excess: null,
  numberOf: (position) => position,
};

/** What the model is asked for. */
export interface ReceivingModel {
  readonly cast: Cast;
  readonly rules: MessageRules;
  /** The message between nodes that is in flight with this id. */
  readonly flightOf: (id: number | undefined) => Flight | undefined;
  /** Copies that the network has made. */
  readonly copies: () => number;
  readonly toModel: (value: Json) => Json;
  readonly append: (action: Action) => readonly EffectRecord[];
  /** Whether the steps of a node are repeated. */
  readonly isChecked: (position: number) => boolean;
  /** Brings a newcomer into the model. */
  readonly enter: (position: number) => void;
}

export class Received {
  /** Messages that came in the name of a node that did not send them. */
  forged = 0;
  readonly #model: ReceivingModel;
  /** Ids of messages in the model by name. */
  readonly #ids = new Map<string, number>();
  /** How often messages are still to be received, by name. */
  readonly #awaited = new Map<string, number>();
  /** Lives of nodes so far. */
  readonly #lives = new Map<number, number>();
  /** The life in which a message was received. */
  readonly #receivedIn = new Map<string, number>();

  constructor(
    model: ReceivingModel,
    logs: readonly LiveLog[],
    positionOf: (event: Delivery) => number | null,
  ) {
    this.#model = model;
    for (const { records } of logs) {
      for (const { event } of records) {
        if (event.type !== 'deliver') continue;
        const name = sentName(positionOf(event) ?? 0, event.id);
        this.#awaited.set(name, (this.#awaited.get(name) ?? 0) + 1);
      }
    }
  }

  /** A node has sent a message, which has this id in the model. */
  noteSent(name: string, id: number): void {
    this.#ids.set(name, id);
  }

  /** Whether a log has the message as received. */
  isAwaited(name: string): boolean {
    return this.#awaited.has(name);
  }

  idOf(name: string): number | undefined {
    return this.#ids.get(name);
  }

  /** The name of a message or call with this id in the model. Takes as long as there are messages. */
  nameOf(id: number): string | undefined {
    return [...this.#ids].find(([, each]) => each === id)?.[0];
  }

  noteReturn(node: number): void {
    this.#lives.set(node, (this.#lives.get(node) ?? 0) + 1);
  }

  /** The action by which a node receives a message, or what is wrong with it. */
  actionOf(node: number, event: Delivery): Action | string {
    const { toModel, isChecked, rules, enter } = this.#model;
    const from = toModel(String(event.from));
    if (typeof from !== 'number') return 'receives a message whose sender has no rank';
    if (!isChecked(from)) {
      enter(from);
      return this.#injected(node, from, event);
    }
    const name = sentName(from, event.id);
    const fault = this.#faultOf(node, from, event);
    if (fault !== null && rules.mayForge) {
      this.forged += 1;
      return this.#injected(node, from, event);
    }
    return fault ?? { type: 'deliver', message: this.#taken(node, name) };
  }

  /** Why it is not a message that the log of the sender has; null if it is. */
  #faultOf(node: number, from: number, event: Delivery): string | null {
    const { toModel, rules, flightOf } = this.#model;
    const name = sentName(from, event.id);
    const id = this.#ids.get(name);
    const shown = `message ${event.id} of node ${rules.numberOf(from)}`;
    if (id === undefined) return `receives ${shown}, which was not sent`;
    const isAgain = this.#receivedIn.get(name) === (this.#lives.get(node) ?? 0);
    if (isAgain && !rules.mayRepeat) return `receives ${shown} twice`;
    const flight = flightOf(id);
    if (flight?.to !== node) return `receives ${shown}, which was for another node`;
    if (!isDeepStrictEqual(plain(flight.message), toModel(asJson(event.message)))) {
      return `receives ${shown} with another content than was sent`;
    }
    return null;
  }

  /** The id of the message that is received. One that is received once more later is copied first. */
  #taken(node: number, name: string): number {
    const { append, copies } = this.#model;
    const id = this.#ids.get(name) ?? 0;
    const more = (this.#awaited.get(name) ?? 1) - 1;
    this.#awaited.set(name, more);
    this.#receivedIn.set(name, this.#lives.get(node) ?? 0);
    if (more > 0) {
      append({ type: 'duplicate', message: id });
      this.#ids.set(name, -copies());
    }
    return id;
  }

  #injected(node: number, from: number, { message: received }: Delivery): Action | string {
    const { cast, toModel, append } = this.#model;
    const message = modelled(received, toModel);
    const { protocol } = cast;
    const isFit =
      protocol === undefined || isWellFormed(protocol, message, { self: cast.selfOf(node) });
    if (!isFit) {
      return `takes a message that no honest node sends: ${JSON.stringify(received)}`;
    }
    const [effect] = append({
      type: 'inject',
      node: from,
      effects: [{ type: 'send', to: node, message }],
    });
    return effect?.type === 'send'
      ? { type: 'deliver', message: effect.id }
      : 'takes a message that the model does not send';
  }
}

/** A rank that no node of a model has. */
const NO_NODE = Number.MAX_SAFE_INTEGER;

/**
 * A message with ranks of the model. Its type stays: it can be a text like a rank. A node compares the ranks of accompanying
 * messages with its own and that of the sender alone, so that those that no node has can be the same.
 */
function modelled({ type, ...members }: Message, toModel: (value: Json) => Json): Message {
  const message = toModel(asJson(members));
  const form = Object.hasOwn(ACCOMPANYING, type) ? ACCOMPANYING[type] : undefined;
  const unknown = Object.entries({ ...Object(message) }).flatMap(([name, value]) =>
    form?.[name] === 'rank' && typeof value === 'string' ? [[name, NO_NODE] as const] : [],
  );
  return { ...Object(message), ...Object.fromEntries(unknown), type };
}

/** A value as it is after a log: without undefined members. */
export function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

export function asJson(value: unknown): Json {
  // Records were read from JSON.
  return value as Json;
}
