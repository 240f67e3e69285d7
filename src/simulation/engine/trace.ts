/**
 * @module
 * The trace of a run: one record for each action, with its virtual time and its effects. The actions of a
 * trace, applied in order to the first world of election/world.ts, give the same worlds. The same options and
 * seed give the same bytes. A loss or a copy in the network during a step has its own record after it.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../bytes.ts';
import type { Message, Rank } from '../../election/machine.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action, LinkEvent, Obstacle } from '../../election/world/world.ts';
import { LabError } from '../../errors.ts';

/** About 500 MB of records. */
export const TRACE_RECORDS_LIMIT = 1_000_000;

/** What a trace of a counterexample records. That of a simulation has its partitions in its options. */
export type Happening = Action | LinkEvent;

export interface TraceRecord<Happened = Action> {
  readonly seq: number;
  /** Virtual time in ticks. */
  readonly t: number;
  readonly action: Happened;
  /** The recipient of the message was down. */
  readonly dropped?: true;
  /** Why the message was lost, in a counterexample; absent if it was within the bound of losses. */
  readonly lost?: Obstacle;
  /** With a crash: the process of a live node was stopped with its cluster, which is no fault. */
  readonly stopped?: true;
  readonly effects: readonly EffectRecord[];
}

/** The first line of a trace file: what was run. */
export interface TraceHeader {
  readonly trace: 'usurp/trace/v1';
  readonly options: Readonly<Record<string, unknown>>;
}

/** The trace as JSON lines, the header first, each line with its line feed. */
export function* traceLines(
  header: TraceHeader,
  records: Iterable<TraceRecord<Happening>>,
): Generator<string, void, undefined> {
  yield `${JSON.stringify(header)}\n`;
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** SHA-256 of the lines of a trace, in hex. Two runs are equal exactly if their digests are. */
export function traceDigest(lines: Iterable<string>): string {
  const hash = sha256.create();
  for (const line of lines) hash.update(utf8ToBytes(line));
  return bytesToHex(hash.digest());
}

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
