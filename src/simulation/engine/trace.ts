/**
 * @module
 * The trace of a run: one record for each action, with its virtual time and its effects. The actions of a
 * trace, applied in order to the first world of election/world.ts, give the same worlds. The same options and
 * seed give the same bytes.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../bytes.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import type { Action } from '../../election/world/world.ts';

/** About 500 MB of records. */
export const TRACE_RECORDS_LIMIT = 1_000_000;

export interface TraceRecord {
  readonly seq: number;
  /** Virtual time in ticks. */
  readonly t: number;
  readonly action: Action;
  /** The recipient of the message was down. */
  readonly dropped?: true;
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
  records: Iterable<TraceRecord>,
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
