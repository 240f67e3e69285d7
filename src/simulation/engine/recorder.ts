/**
 * @module
 * Writes a trace while it happens: a record for each action, whose effects follow while the step it
 * caused goes on. What the network does to a message within a step has a record of its own behind it.
 */

import type { EffectRecord } from '../../election/effect-record.ts';
import type { Message, Rank } from '../../election/machine.ts';
import type { Action } from '../../election/world.ts';
import { LabError } from '../../errors.ts';
import type { TraceRecord } from './trace.ts';
import { TRACE_RECORDS_LIMIT } from './trace.ts';

export interface Recorder {
  /** Opens the record of an action; `effect` then adds to it. */
  open(t: number, action: Action, dropped?: boolean): void;
  effect(effect: EffectRecord): void;
  /** A send; to the store it is a call. */
  send(id: number, to: Rank, message: Message): void;
  /** Records an action without effects, and leaves the open record open. */
  aside(t: number, action: Action): void;
}

/** Appends to `records`; its calls throw LabError `job.size` beyond `TRACE_RECORDS_LIMIT`. */
export function createRecorder(records: TraceRecord[], store: Rank | null): Recorder {
  let effects: EffectRecord[] = [];
  // Whoever reads along takes records away.
  let seq = records.length;
  const append = (record: Omit<TraceRecord, 'seq'>) => {
    if (records.length >= TRACE_RECORDS_LIMIT) {
      const detail = `a trace holds ${TRACE_RECORDS_LIMIT} actions at most; elect among fewer nodes`;
      throw new LabError('job.size', detail);
    }
    records.push({ seq, ...record });
    seq += 1;
  };
  return {
    open(t, action, dropped = false) {
      effects = [];
      append(dropped ? { t, action, effects, dropped } : { t, action, effects });
    },
    effect: (effect) => effects.push(effect),
    send(id, to, message) {
      if (to === store) effects.push({ type: 'call', id, to, operation: message });
      else effects.push({ type: 'send', id, to, message });
    },
    aside: (t, action) => append({ t, action, effects: [] }),
  };
}
