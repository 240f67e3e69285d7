/**
 * @module
 * This folder contains the history of an election as the browser keeps it. This file folds the events of the stream
 * into columns of numbers: about 16 bytes for an event and 17 for a message. It keeps no event; details.ts keeps
 * the text of the newest.
 */

import type { Schema } from '../../api/contract.ts';

type Numbers = Int32Array<ArrayBuffer> | Int16Array<ArrayBuffer> | Uint8Array<ArrayBuffer>;

/** A column; `at` of an entry that does not exist is -1. It grows by blocks, so that no entry is ever copied. */
class Column<Kind extends Numbers> {
  readonly #make: (length: number) => Kind;
  readonly #blocks: Kind[] = [];
  #length = 0;

  constructor(make: (length: number) => Kind) {
    this.#make = make;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  push(value: number): void {
    const slot = this.#length % BLOCK;
    if (slot === 0) this.#blocks.push(this.#make(BLOCK));
    const block = this.#blocks.at(-1);
    if (block !== undefined) block[slot] = value;
    this.#length += 1;
  }

  at(index: number): number {
    if (index < 0 || index >= this.#length) return -1;
    return this.#blocks[Math.floor(index / BLOCK)]?.[index % BLOCK] ?? -1;
  }

  set(index: number, value: number): void {
    const block = this.#blocks[Math.floor(index / BLOCK)];
    if (index < this.#length && block !== undefined) block[index % BLOCK] = value;
  }
}

/** Entries of a block. */
const BLOCK = 4_096;

function int32Column(): Column<Int32Array<ArrayBuffer>> {
  return new Column((length) => new Int32Array(length));
}

function int16Column(): Column<Int16Array<ArrayBuffer>> {
  return new Column((length) => new Int16Array(length));
}

function byteColumn(): Column<Uint8Array<ArrayBuffer>> {
  return new Column((length) => new Uint8Array(length));
}

export type ElectionEvent = Schema<'ElectionEvent'>;

/** What happened, in the order of their numbers in the column. */
export const KINDS = [
  'node.started',
  'message.delivered',
  'message.dropped',
  'message.duplicated',
  'timer.fired',
  'node.chose',
  'message.injected',
  'node.crashed',
  'node.paused',
  'node.resumed',
  'node.recovered',
  'node.joined',
  'node.suspects',
  'node.trusts',
  'node.learns-of-joining',
  'network.divided',
  'network.healed',
] as const;
export type Kind = (typeof KINDS)[number];

/** What became of a message so far. */
export const FATES = ['in flight', 'delivered', 'lost', 'recipient down', 'refused'] as const;
export type Fate = (typeof FATES)[number];

export interface EventRow {
  readonly t: number;
  readonly kind: Kind | null;
  /** The rank that acts; null for the network, and for the events of others in an outline. */
  readonly node: number | null;
  /** Index of the message that arrived, was lost or was copied; null for none. */
  readonly message: number | null;
  /** The leader that the node follows from here on; 0 for none, null if it did not change. */
  readonly follows: number | null;
}

export interface MessageRow {
  /** The number of the message in the API. */
  readonly id: number;
  readonly from: number;
  readonly to: number;
  /** Index in `types`. */
  readonly type: number;
  /** The event that sent it. */
  readonly sent: number;
  /** The event in which it arrived or was lost; null while it is in flight. */
  readonly ended: number | null;
  readonly fate: Fate;
}

/** More than any election has nodes. */
const RANK_MAX = 32_767;
const TYPES_MAX = 1_000;
const TYPE_CHARACTERS_MAX = 40;

export class Timeline {
  /** The types of the messages, in the order of their first occurrence. */
  readonly types: string[] = [];
  /** The kinds of events that have occurred, for the legend. */
  readonly kinds = new Set<Kind>();
  /** What has become of messages. */
  readonly fates = new Set<Fate>();
  readonly #typeOf = new Map<string, number>();
  readonly #times = int32Column();
  readonly #kinds = byteColumn();
  readonly #nodes = int16Column();
  readonly #messages = int32Column();
  readonly #follows = int16Column();
  /** Number of messages that were sent before the event. */
  readonly #sentBefore = int32Column();
  readonly #ids = int32Column();
  readonly #froms = int16Column();
  readonly #tos = int16Column();
  readonly #messageTypes = int16Column();
  readonly #sents = int32Column();
  readonly #ends = int32Column();
  readonly #fates = byteColumn();
  /** Index of each message by its id, and of each copy by −1 − id. An outline leaves messages out. */
  readonly #sends = int32Column();
  readonly #copies = int32Column();

  /** Number of events. */
  get length(): number {
    return this.#times.length;
  }

  get messageCount(): number {
    return this.#ids.length;
  }

  /** Bytes of all columns. */
  get bytes(): number {
    const events = [this.#times, this.#kinds, this.#nodes, this.#messages, this.#follows];
    const sends = [this.#ids, this.#froms, this.#tos, this.#messageTypes, this.#sents];
    const others = [this.#sentBefore, this.#ends, this.#fates, this.#sends, this.#copies];
    return [...events, ...sends, ...others].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Adds the next event. One that was added before has no effect. */
  add(event: ElectionEvent): void {
    const { seq, t, action, effects } = event;
    if (seq !== this.length) return;
    const kind = kindNumber(event.event);
    const node = event.node ?? -1;
    const message = typeof action['message'] === 'number' ? this.#indexOf(action['message']) : -1;
    this.#times.push(t);
    this.#kinds.push(kind);
    const name = KINDS[kind];
    if (name !== undefined) this.kinds.add(name);
    this.#nodes.push(node);
    this.#messages.push(message);
    this.#follows.push(followsOf(effects));
    this.#sentBefore.push(this.messageCount);
    if (message >= 0) this.#end(message, event);
    for (const effect of effects) this.#send(seq, node, effect);
  }

  event(index: number): EventRow {
    const orNull = (value: number) => (value < 0 ? null : value);
    return {
      t: this.#times.at(index),
      kind: KINDS[this.#kinds.at(index)] ?? null,
      node: orNull(this.#nodes.at(index)),
      message: orNull(this.#messages.at(index)),
      follows: orNull(this.#follows.at(index)),
    };
  }

  message(index: number): MessageRow {
    const ended = this.#ends.at(index);
    return {
      id: this.#ids.at(index),
      from: this.#froms.at(index),
      to: this.#tos.at(index),
      type: this.#messageTypes.at(index),
      sent: this.#sents.at(index),
      ended: ended < 0 ? null : ended,
      fate: FATES[this.#fates.at(index)] ?? 'in flight',
    };
  }

  /** Virtual time of an event, in ticks. */
  timeOf(index: number): number {
    return this.#times.at(index);
  }

  /** The messages that an event sent, from the first to before the last. */
  sentBy(index: number): readonly [number, number] {
    const first = this.#sentBefore.at(index);
    const next = index + 1 < this.length ? this.#sentBefore.at(index + 1) : this.messageCount;
    return [Math.max(0, first), next];
  }

  /** The event in which a message ended; -1 while it is in flight. */
  endOf(message: number): number {
    return this.#ends.at(message);
  }

  /** The index of a message by its number in the API; -1 if it is not known. */
  #indexOf(id: number): number {
    return id >= 0 ? this.#sends.at(id) : this.#copies.at(-1 - id);
  }

  /** The index of the message with this number in the API; null if it is not known. */
  messageWith(id: number): number | null {
    const index = this.#indexOf(id);
    return index < 0 ? null : index;
  }

  #end(message: number, event: ElectionEvent): void {
    if (event.event === 'message.duplicated') {
      const { from, to, type } = this.message(message);
      this.#addMessage({ id: -1 - this.#copies.length, from, to, type, sent: event.seq });
      return;
    }
    this.#ends.set(message, event.seq);
    const whole = event.event === 'message.delivered' ? 'delivered' : 'lost';
    const fate = event.refused ? 'refused' : event.dropped ? 'recipient down' : whole;
    this.#fates.set(message, FATES.indexOf(fate));
    this.fates.add(fate);
  }

  #send(seq: number, node: number, effect: ElectionEvent['effects'][number]): void {
    if (effect.type !== 'send' && effect.type !== 'call') return;
    const { id, to } = effect;
    const body = effect.type === 'send' ? effect['message'] : effect['operation'];
    if (typeof id !== 'number' || typeof to !== 'number') return;
    const type = this.#typeNumber(typeOf(body));
    this.#addMessage({ id, from: node, to, type, sent: seq });
  }

  #addMessage({ id, from, to, type, sent }: Omit<MessageRow, 'ended' | 'fate'>): void {
    const index = this.messageCount;
    this.#ids.push(id);
    this.#froms.push(Math.min(from, RANK_MAX));
    this.#tos.push(Math.min(to, RANK_MAX));
    this.#messageTypes.push(type);
    this.#sents.push(sent);
    this.#ends.push(-1);
    this.#fates.push(0);
    const indices = id >= 0 ? this.#sends : this.#copies;
    const slot = id >= 0 ? id : -1 - id;
    while (indices.length < slot) indices.push(-1);
    if (indices.length === slot) indices.push(index);
  }

  #typeNumber(name: string): number {
    const known = this.#typeOf.get(name);
    if (known !== undefined) return known;
    if (this.types.length >= TYPES_MAX) return TYPES_MAX - 1;
    const number = this.types.length;
    this.types.push(name.slice(0, TYPE_CHARACTERS_MAX));
    this.#typeOf.set(name, number);
    return number;
  }
}

function kindNumber(name: string): number {
  const number = KINDS.findIndex((kind) => kind === name);
  return number < 0 ? KINDS.length : number;
}

/** The leader of the last `elect`, 0 after `step-down`, -1 if neither occurred. */
function followsOf(effects: ElectionEvent['effects']): number {
  const last = effects.findLast(({ type }) => type === 'elect' || type === 'step-down');
  if (last === undefined) return -1;
  const leader = last['leader'];
  return last.type === 'elect' && typeof leader === 'number' ? leader : 0;
}

function typeOf(body: unknown): string {
  if (typeof body !== 'object' || body === null || !('type' in body)) return '?';
  return String(body.type);
}
