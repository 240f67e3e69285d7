/**
 * @module
 * The trace of a run: one record for each action, with the virtual time at which it happened and the
 * effects it had. A trace is the fold itself: applied in order to the first world by
 * election/world.ts, its actions give the same worlds. Same options and seed, same bytes.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '../../bytes.ts';
import type { EffectRecord } from '../../election/effect-record.ts';
import type { Action } from '../../election/world.ts';

export interface TraceRecord {
  readonly seq: number;
  /** Ticks of virtual time. */
  readonly t: number;
  readonly action: Action;
  /** The message was for a node that is down. */
  readonly dropped?: true;
  readonly effects: readonly EffectRecord[];
}

/** What was run: the first line of a trace file. */
export interface TraceHeader {
  readonly trace: 'usurp/trace/v1';
  readonly options: Readonly<Record<string, unknown>>;
}

/** The trace as JSON lines, the header first, each with its line feed. */
export function* traceLines(
  header: TraceHeader,
  records: Iterable<TraceRecord>,
): Generator<string, void, undefined> {
  yield `${JSON.stringify(header)}\n`;
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

/** SHA-256 of a trace's lines in hex: two runs are the same exactly when their digests are. */
export function traceDigest(lines: Iterable<string>): string {
  const hash = sha256.create();
  for (const line of lines) hash.update(utf8ToBytes(line));
  return bytesToHex(hash.digest());
}

/** Some 500 MB of records. */
export const TRACE_RECORDS_LIMIT = 1_000_000;
