/**
 * @module
 * Writes a trace during a run: one record for each action, to which the effects of its step are added. A loss
 * or a copy in the network during a step has its own record after it.
 */

import type { Message, Rank } from '../../election/machine.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';
import { LabError } from '../../errors.ts';
import type { TraceRecord } from './trace.ts';
import { TRACE_RECORDS_LIMIT } from './trace.ts';

export interface Recorder {
  /** Opens the record of an action, to which `effect` and `send` add. */
  open(t: number, action: Action, dropped?: boolean): void;
  effect(effect: EffectRecord): void;
  /** Adds a send, or a call if the recipient is the store. */
  send(id: number, to: Rank, message: Message): void;
  /** Records an action without effects. The open record stays open. */
  aside(t: number, action: Action): void;
}

/** Appends to `records`. Throws LabError `job.size` beyond `TRACE_RECORDS_LIMIT`. */
export function createRecorder(records: TraceRecord[], store: Rank | null): Recorder {
  let effects: EffectRecord[] = [];
  // Counted, because a reader may remove records during the run.
  let seq = records.length;
  const append = (record: Omit<TraceRecord, 'seq'>) => {
    if (records.length >= TRACE_RECORDS_LIMIT) {
      const detail = `a trace contains at most ${TRACE_RECORDS_LIMIT} actions; use fewer nodes`;
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
