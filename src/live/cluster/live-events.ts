/**
 * @module
 * Turns the records of live nodes into records of the simulator's trace, as they arrive. Records of different nodes arrive
 * in any order: a delivery waits for the record that sent the message. Nothing is checked here; the check repeats the logs
 * at the end. A message to a node that is down, or beyond a partition, is lost, and so is one that does not arrive in time.
 */

import type { Json } from '../../election/machine.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';
import type { Happening, TraceRecord } from '../../simulation/engine/trace.ts';
import type { Disturbance } from '../check/disturbances.ts';
import { divisionIn } from '../check/division.ts';
import type { LiveEvent, LiveRecord } from '../node-record.ts';
import { ranksAsNumbers } from '../rank-names.ts';
import { ARRIVAL_MS_MAX as POSTED_MS_MAX } from '../transport/message-line.ts';
import { WAIT_MS_MAX } from '../transport/outbox.ts';

/** A record with the node that acts, and the sender of what it receives. */
export interface LiveTraceRecord extends TraceRecord<Happening> {
  /** Null for the loss of a message and for a partition. */
  readonly node: number | null;
  readonly from?: number;
}

/** What is known of the nodes. */
export interface LiveNodes {
  /** The number of the node with a rank; undefined if none has it. */
  numberOf(rank: string): number | undefined;
  /** The behaviours of a node. If it has some, its records do not show the messages that it really sends. */
  behavioursOf(node: number): readonly unknown[];
  /** Whether messages of a node reach another one now. */
  reaches(from: number, to: number): boolean;
}

/** Longest wait for the record of the sender. A report takes less time through the pipe of its process. */
const SENDER_MS_MAX = 500;

interface Waiting {
  readonly record: LiveRecord;
  readonly sinceMs: number;
}

/** A message that has not arrived yet. */
interface Open {
  readonly from: number;
  readonly to: number | undefined;
  /** The id of the message in the trace. */
  readonly id: number;
  /** From when on it can arrive: when it was sent, or the recipient went on after a pause. */
  sinceMs: number;
}

/** How long a message takes at most: its sender waits for no longer, and the report of its arrival takes a time. */
const ARRIVAL_MS_MAX = WAIT_MS_MAX + POSTED_MS_MAX + 1_000;
/** The same of a message whose sender has ended. */
const LAST_ARRIVAL_MS_MAX = 1_000;

type Delivery = LiveEvent & { readonly type: 'deliver' };

export class LiveEvents {
  readonly #nodes: LiveNodes;
  readonly #toNumbers: (value: Json) => Json;
  readonly #startedMs: number;
  /** The records of each node that were not taken yet. */
  readonly #queues = new Map<number, Waiting[]>();
  /** The messages in flight, by sender and its own id, in the order of sending. */
  readonly #open = new Map<string, Open>();
  readonly #paused = new Set<number>();
  readonly #members: Set<number>;
  readonly #up = new Set<number>();
  /** Nodes that have persisted something. */
  readonly #persisted = new Set<number>();
  #taken: LiveTraceRecord[] = [];
  #seq = 0;
  #sent = 0;
  #t = 0;

  constructor(founders: number, nodes: LiveNodes, startedMs: number) {
    this.#nodes = nodes;
    this.#startedMs = startedMs;
    this.#members = new Set(Array.from({ length: founders }, (_, index) => index + 1));
    this.#toNumbers = ranksAsNumbers((rank) => nodes.numberOf(rank));
  }

  /** Whether a record waits for the record that sent its message, or a message for its end. */
  get isWaiting(): boolean {
    return this.#open.size > 0 || [...this.#queues.values()].some(({ length }) => length > 0);
  }

  /** Receives the record of a node. */
  note(node: number, record: LiveRecord, nowMs: number): void {
    const queue = this.#queues.get(node) ?? [];
    this.#queues.set(node, queue);
    queue.push({ record, sinceMs: nowMs });
  }

  /** Notes what the controller did to a node or the links, or that a process has ended. */
  noteDisturbance(disturbance: Disturbance<number>): void {
    const { t } = disturbance;
    if (disturbance.type === 'end') {
      const { node } = disturbance;
      for (const { record, sinceMs } of this.#queues.get(node)?.splice(0) ?? [])
        this.#convert(node, record, sinceMs);
      if (this.#up.delete(node)) this.#append(t, { type: 'crash', node }, { node });
      this.#endMessages(node, t);
    } else if (disturbance.type === 'pause' || disturbance.type === 'resume') {
      const { type, node } = disturbance;
      if (type === 'pause') this.#paused.add(node);
      else this.#resume(node, t);
      this.#append(t, { type, node }, { node });
    } else if (disturbance.type === 'heal') this.#append(t, { type: 'heal' }, { node: null });
    else if (disturbance.type === 'partition') {
      this.#append(t, { type: 'partition', ...divisionIn(disturbance) }, { node: null });
    }
  }

  /** The records in an order in which each message is sent before it is received. */
  take(nowMs: number): readonly LiveTraceRecord[] {
    while (this.#takeOne(nowMs));
    for (const [name, open] of this.#open) {
      const { sinceMs, to = 0 } = open;
      const isLate = nowMs - sinceMs > ARRIVAL_MS_MAX && !this.#paused.has(to);
      if (isLate) this.#lose(name, open, nowMs);
    }
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  #isByzantine(node: number): boolean {
    return this.#nodes.behavioursOf(node).length > 0;
  }

  #takeOne(nowMs: number): boolean {
    for (const [node, queue] of this.#queues) {
      const [first] = queue;
      if (first === undefined || !this.#isReady(first, nowMs)) continue;
      queue.shift();
      this.#convert(node, first.record, first.sinceMs);
      return true;
    }
    return false;
  }

  #isReady({ record: { event }, sinceMs }: Waiting, nowMs: number): boolean {
    if (event.type !== 'deliver' || nowMs - sinceMs >= SENDER_MS_MAX) return true;
    // Without a stamp no record has it as sent: it is forged.
    if (event.id < 0) return true;
    const from = this.#nodes.numberOf(String(event.from));
    if (from === undefined || this.#isByzantine(from)) return true;
    return this.#open.has(nameOf(from, event.id));
  }

  #convert(node: number, { t, event, effects }: LiveRecord, nowMs: number): void {
    if (event.type === 'crash') {
      // The controller has noted one that it has seen.
      if (this.#up.delete(node)) this.#append(t, { type: 'crash', node }, { node });
      return;
    }
    this.#enter(node, t);
    this.#up.add(node);
    if (event.type === 'join') this.#enter(this.#nodes.numberOf(String(event.node)), t);
    const isByzantine = this.#isByzantine(node);
    if (isByzantine && !this.#isShownOfByzantine(event)) return;
    const from = event.type === 'deliver' ? this.#nodes.numberOf(String(event.from)) : undefined;
    const action = this.#actionOf(node, event, t);
    if (action === null) return;
    this.#append(t, action, {
      node,
      from,
      effects: isByzantine ? [] : this.#effectsOf(node, effects, nowMs),
    });
    if (!isByzantine) this.#drop(node, effects, t);
    if (effects.some(({ type }) => type === 'persist')) this.#persisted.add(node);
  }

  /** The records of a Byzantine node do not show what it really does, but that a message has arrived. */
  #isShownOfByzantine(event: LiveEvent): boolean {
    if (event.type !== 'deliver') return event.type === 'start' || event.type === 'recover';
    const from = this.#nodes.numberOf(String(event.from));
    return from !== undefined && this.#open.has(nameOf(from, event.id));
  }

  /** The first record that concerns a newcomer brings it into the trace. */
  #enter(node: number | undefined, t: number): void {
    if (node === undefined || this.#members.has(node)) return;
    this.#members.add(node);
    this.#append(t, { type: 'enter', node }, { node });
  }

  #actionOf(node: number, event: LiveEvent, t: number): Action | null {
    switch (event.type) {
      case 'start':
        return { type: 'start', node };
      case 'timeout':
        return { type: 'timeout', node, timer: String(this.#toNumbers(event.timer)) };
      case 'chosen':
        return { type: 'choose', node, value: event.value };
      case 'suspect':
      case 'trust':
      case 'join': {
        const about = this.#nodes.numberOf(String(event.node));
        return about === undefined ? null : { type: event.type, node, about };
      }
      case 'recover': {
        const amnesia = event.persisted === null && this.#persisted.has(node);
        return { type: 'recover', node, amnesia };
      }
      case 'deliver':
        return { type: 'deliver', message: this.#messageOf(node, event, t) };
      default:
        return null;
    }
  }

  /** The message that a node receives. One whose sending is not known is sent now, as in the model. */
  #messageOf(node: number, { from: rank, id, message }: Delivery, t: number): number {
    const from = this.#nodes.numberOf(String(rank)) ?? 0;
    const name = nameOf(from, id);
    const known = this.#open.get(name);
    this.#open.delete(name);
    if (known !== undefined) {
      this.#overtake(known, t);
      return known.id;
    }
    const sent = this.#sent;
    this.#sent += 1;
    const send = { type: 'send', id: sent, to: node, message: this.#toNumbers(asJson(message)) };
    const action = { type: 'inject', node: from, effects: [] } as const;
    this.#append(t, action, { node: from, effects: [asEffect(send)] });
    return sent;
  }

  #effectsOf(from: number, effects: readonly EffectRecord[], sinceMs: number): EffectRecord[] {
    return effects.map((effect) => {
      const numbered = this.#toNumbers(asJson(effect));
      if (effect.type !== 'send') return asEffect(numbered);
      const id = this.#sent;
      this.#sent += 1;
      const to = this.#nodes.numberOf(String(effect.to));
      this.#open.set(nameOf(from, effect.id), { from, to, id, sinceMs });
      return asEffect({ ...Object(numbered), id });
    });
  }

  /** Ends the messages of a step that reach no node. */
  #drop(node: number, effects: readonly EffectRecord[], t: number): void {
    for (const effect of effects) {
      if (effect.type !== 'send') continue;
      const name = nameOf(node, effect.id);
      const open = this.#open.get(name);
      if (open?.to === undefined || this.#nodes.reaches(node, open.to)) continue;
      this.#lose(name, open, t);
    }
  }

  #lose(name: string, { id }: Open, t: number): void {
    this.#open.delete(name);
    this.#append(t, { type: 'drop', message: id }, { node: null });
  }

  /** A node sends its messages to another one in order: those before one that arrives are lost. */
  #overtake({ from, to, id }: Open, t: number): void {
    for (const [name, open] of this.#open) {
      if (open.from === from && open.to === to && open.id < id) this.#lose(name, open, t);
    }
  }

  /** The process of a node has ended: messages to it are lost, and those from it arrive soon or never. */
  #endMessages(node: number, t: number): void {
    this.#paused.delete(node);
    for (const [name, open] of this.#open) {
      if (open.to === node) this.#lose(name, open, t);
      else if (open.from === node) {
        open.sinceMs = Math.min(open.sinceMs, t - ARRIVAL_MS_MAX + LAST_ARRIVAL_MS_MAX);
      }
    }
  }

  /** What has waited for a node arrives now. */
  #resume(node: number, t: number): void {
    this.#paused.delete(node);
    for (const open of this.#open.values()) if (open.to === node) open.sinceMs = t;
  }

  #append(realMs: number, action: Happening, { node, from, effects = [] }: Part): void {
    this.#t = Math.max(this.#t, Math.round(realMs - this.#startedMs));
    const sender = from === undefined ? {} : { from };
    this.#taken.push({ seq: this.#seq, t: this.#t, action, node, ...sender, effects });
    this.#seq += 1;
  }
}

/** What a record has besides its action. */
interface Part {
  readonly node: number | null;
  readonly from?: number | undefined;
  readonly effects?: readonly EffectRecord[];
}

function nameOf(from: number, id: number): string {
  return `${from}:${id}`;
}

function asJson(value: unknown): Json {
  // Records were read from JSON.
  return value as Json;
}

function asEffect(value: unknown): EffectRecord {
  // An effect whose ranks were replaced is one.
  return value as EffectRecord;
}
