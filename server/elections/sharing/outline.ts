/**
 * @module
 * The events of a shared election, as those receive them who may not examine it. They see everything that their
 * own node does, and of other nodes only what the list of nodes shows as well: who starts, fails and joins.
 * Messages, timers and suspicions of others keep only the name of the event.
 */

import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';

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
  readonly shown: (record: TraceRecord) => TraceRecord | Outline;
}

/** The record if the node of this rank acts in it, else its outline. */
export function outlineOf(record: TraceRecord, own: number | null): TraceRecord | Outline {
  const { seq, t, action } = record;
  if ('node' in action && action.node === own) return record;
  const shown = PUBLIC.has(action.type) ? action : { type: action.type };
  return { seq, t, action: shown, effects: [], outline: true };
}

/** Actions whose effects on `up` the list of nodes shows. */
const PUBLIC: ReadonlySet<TraceRecord['action']['type']> = new Set([
  ...(['start', 'crash', 'pause', 'resume', 'recover', 'enter'] as const),
]);
