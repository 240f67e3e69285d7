/**
 * @module
 * The events of a shared election, as those receive them who may not examine it. They see everything that their
 * own node does, the arrival of messages at it included, and of other nodes only what the list of nodes shows as
 * well: who starts, fails and joins. Messages, timers and suspicions of others keep only the name of the event.
 */

import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import type { TraceEvent } from '../../../src/simulation/trace/events.ts';

/** A record with the node that acts in it, and the sender of a message that arrives at it. */
export interface Located extends TraceRecord {
  /** Null for an event of the network. */
  readonly node: number | null;
  readonly from?: number;
}

/** A record without its secrets. */
export interface Outline extends Pick<TraceRecord, 'seq' | 't'> {
  readonly action: { readonly type: TraceRecord['action']['type'] };
  readonly effects: readonly [];
  readonly outline: true;
}

/** How a principal follows an election. */
export interface Viewer {
  /** Whether the election is still visible to it. */
  readonly isAllowed: () => boolean;
  /** Calls back whenever that may have changed, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
  /** What it receives of an event. */
  readonly shown: (event: TraceEvent) => Located | Outline;
}

/** The whole record. */
export function located({ record, node, flight }: TraceEvent): Located {
  if (node === null || flight === null) return { ...record, node };
  return { ...record, node, from: flight.from };
}

/** The whole record if the node of this rank acts in it, else its outline. */
export function outlineOf(event: TraceEvent, own: number | null): Located | Outline {
  if (event.node !== null && event.node === own) return located(event);
  const { seq, t, action } = event.record;
  const shown = PUBLIC.has(action.type) ? action : { type: action.type };
  return { seq, t, action: shown, effects: [], outline: true };
}

/** Actions whose effects on `up` the list of nodes shows. */
const PUBLIC: ReadonlySet<TraceRecord['action']['type']> = new Set([
  ...(['start', 'crash', 'pause', 'resume', 'recover', 'enter'] as const),
]);
