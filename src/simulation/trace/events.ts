/**
 * @module
 * This folder reads traces. This file reads a trace event by event: the actor, the message that it received,
 * and the messages that it sent. A record has only the numbers of messages. A loss, a copy, an arrival at a
 * node that is down, and a partition are events of the network, without an actor.
 */

import type { Message } from '../../election/machine.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { Action } from '../../election/world/world.ts';

import type { Happening, TraceRecord } from '../engine/trace.ts';

/** One message on its way, or one copy of it. */
export interface TracedFlight {
  /** The number of sends before it; copies are −1, −2, … in the order of their making. */
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly message: Message;
  /** `seq` of the record that sent it; that of the original for a copy. */
  readonly sentSeq: number;
}

export interface TraceEvent<Happened extends Happening = Action> {
  readonly record: TraceRecord<Happened>;
  /** The actor; null for an event of the network. */
  readonly node: number | null;
  /** Whether the actor led itself before. */
  readonly wasLeading: boolean;
  /** What was delivered, lost or copied. */
  readonly flight: TracedFlight | null;
  /** What was sent, or the copy that was made. */
  readonly made: readonly TracedFlight[];
}

/** The events of a whole trace. Throws RangeError if a message ends or is copied that is not in flight. */
export function* traceEvents<Happened extends Happening>(
  records: Iterable<TraceRecord<Happened>>,
): Generator<TraceEvent<Happened>> {
  const reader = new TraceReader();
  for (const record of records) yield reader.read(record);
}

/** Whether a node leads itself after an event of its own. */
export function leadsAfter(
  wasLeading: boolean,
  { action, effects }: TraceRecord<Happening>,
  node: number,
): boolean {
  if (action.type === 'crash') return false;
  let leads = wasLeading;
  for (const effect of effects) {
    if (effect.type === 'elect') leads = fromRank(effect.leader) === node;
    if (effect.type === 'step-down') leads = false;
  }
  return leads;
}

/** Reads a trace record by record. It knows what is in flight and who leads. */
export class TraceReader {
  readonly #flights: Map<number, TracedFlight>;
  readonly #leading: Set<number>;
  #copies: number;

  /** `before` is one that has read the records before, and does not change. */
  constructor(before: TraceReader | null = null) {
    this.#flights = before === null ? new Map() : new Map(before.#flights);
    this.#leading = before === null ? new Set() : new Set(before.#leading);
    this.#copies = before === null ? 0 : before.#copies;
  }

  /** The event of the next record. Throws RangeError as `traceEvents` does. */
  read<Happened extends Happening>(record: TraceRecord<Happened>): TraceEvent<Happened> {
    const { action } = record;
    const flights = this.#flights;
    const flight = 'message' in action ? inFlight(flights, record, action.message) : null;
    if (flight !== null && action.type === 'duplicate') {
      this.#copies += 1;
      const copy = { ...flight, id: -this.#copies };
      flights.set(copy.id, copy);
      return { record, node: null, wasLeading: false, flight, made: [copy] };
    }
    if (flight !== null) flights.delete(flight.id);
    const node = actorOf(record, flight);
    const made = node === null ? [] : sendsOf(record, node);
    for (const sent of made) flights.set(sent.id, sent);
    const wasLeading = node !== null && this.#leading.has(node);
    if (node !== null) {
      if (leadsAfter(wasLeading, record, node)) this.#leading.add(node);
      else this.#leading.delete(node);
    }
    return { record, node, wasLeading, flight, made };
  }
}

function inFlight(
  flights: ReadonlyMap<number, TracedFlight>,
  { action }: TraceRecord<Happening>,
  id: number,
): TracedFlight {
  const flight = flights.get(id);
  if (flight !== undefined) return flight;
  throw new RangeError(`"records" expected message ${id} in flight, got its ${action.type}`);
}

function actorOf(
  { action, dropped }: TraceRecord<Happening>,
  flight: TracedFlight | null,
): number | null {
  if ('node' in action) return action.node;
  return action.type === 'deliver' && dropped !== true && flight !== null ? flight.to : null;
}

function sendsOf({ seq, effects }: TraceRecord<Happening>, from: number): TracedFlight[] {
  const sends: TracedFlight[] = [];
  for (const effect of effects) {
    if (effect.type !== 'send' && effect.type !== 'call') continue;
    const message = effect.type === 'send' ? effect.message : effect.operation;
    sends.push({ id: effect.id, from, to: fromRank(effect.to), message, sentSeq: seq });
  }
  return sends;
}
