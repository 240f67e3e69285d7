/**
 * @module
 * The events of an election as the API and the browser lab state them: one object for each record of a trace.
 */

import type { Refusal } from '../../election/authentication/authenticated.ts';
import type { Happening, TraceRecord } from '../engine/trace.ts';
import type { TraceEvent } from './events.ts';

/** By the action of the record. A message to a node that is down is dropped. */
const NAMES: Readonly<Record<Happening['type'], string>> = {
  start: 'node.started',
  deliver: 'message.delivered',
  drop: 'message.dropped',
  duplicate: 'message.duplicated',
  timeout: 'timer.fired',
  choose: 'node.chose',
  inject: 'message.injected',
  crash: 'node.crashed',
  pause: 'node.paused',
  resume: 'node.resumed',
  recover: 'node.recovered',
  enter: 'node.joined',
  suspect: 'node.suspects',
  trust: 'node.trusts',
  join: 'node.learns-of-joining',
  leave: 'node.learns-of-leaving',
  partition: 'network.divided',
  heal: 'network.healed',
};

/** The name of the event of an action, such as `message.delivered`. */
export function eventNameOf({ type }: Pick<Happening, 'type'>): string {
  return NAMES[type];
}

/** A record with the node that acts in it, and the sender of a message that arrives at it. */
export interface Located extends TraceRecord {
  /** Null for an event of the network. */
  readonly node: number | null;
  readonly from?: number;
}

/** The whole record of an event, with its node and its sender. */
export function located({ record, node, flight }: TraceEvent): Located {
  if (node === null || flight === null) return { ...record, node };
  return { ...record, node, from: flight.from };
}

/** What a line needs of a record. A reader who may not see the details receives an outline. */
export type LineRecord = Pick<TraceRecord, 'seq' | 't' | 'effects'> & {
  readonly action: Pick<TraceRecord['action'], 'type'>;
} & Partial<Pick<Located, 'dropped' | 'lost' | 'node' | 'from'> & { readonly outline: true }>;

/**
 * The event of a record. JSON leaves out the members that are undefined. The members are listed, because copying the
 * rest of them took as long as writing them.
 */
export function eventLine(election: string, record: LineRecord, refusal: Refusal | undefined) {
  const { seq, t, action, effects, dropped, lost, node, from, outline } = record;
  const event = eventNameOf(dropped === true ? { type: 'drop' } : action);
  // An outline does not say what became of a message of others.
  const refused = outline === true ? undefined : refusal;
  const marks = { dropped, lost, node, from, refused, outline };
  return { v: 1, election, seq, t, event, action, ...marks, effects } as const;
}
