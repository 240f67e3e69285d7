/**
 * @module
 * Examines a data file before it is written: whether it belongs to this program, has a known version,
 * and is intact and complete, and whether the log beside it is its own. A file with a fault is refused and
 * not changed. Nothing is repaired.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { openDatabase } from '../../src/runtime/files/sqlite.ts';
import type { LogEnd, LogMarks } from './store-log.ts';
import { judgeLog, logEndOf, marksIn, readLogEnd } from './store-log.ts';
import { APPLICATION_ID, hasSchemaOf, SCHEMA_VERSION } from './store-schema.ts';

export interface Examination {
  /** Version of the file's schema; 0 for a new file. */
  readonly version: number;
  readonly notes: readonly string[];
}

/** Throws an error that states the fault of the file. A missing or empty file counts as new. */
export function examineStore(path: string, busyMs: number): Examination {
  const log = `${path}-wal`;
  const hasLog = existsSync(log);
  const isThere = existsSync(path);
  if (!isThere && hasLog)
    throw new Error(`${log} is there without it; put the file beside its log`);
  if (!isThere || statSync(path).size === 0) {
    const { size } = statSync(log, { throwIfNoEntry: false }) ?? { size: 0 };
    // SQLite would delete the log.
    if (size > 0)
      throw new Error(`it is empty, and ${log} has writes; put the file beside its log`);
    return { version: 0, notes: [] };
  }
  const database = openToRead(path, hasLog, busyMs);
  try {
    const version = versionOf(database);
    const marks = marksOrNull(database);
    if (hasLog && marks !== null) assertOwnLog(path, marks);
    const notes = hasLog ? notesOfLog(path, marks) : [];
    if (version === 0) return { version, notes };
    // SQLite reads a last page that was cut off as if it ended with zeros.
    if (!hasLog) assertLength(database, statSync(path).size);
    assertWhole(database, version);
    if (!hasLog && !isClosed(database)) {
      throw new Error(
        `it was being written to when it was copied or the server killed, and ${log} with the last ` +
          `writes is missing${withoutLog(path, acknowledgedBytes(marks, readLogEnd(path)) ?? 0)}`,
      );
    }
    return { version, notes };
  } finally {
    database.close();
  }
}

/** The remedy for a missing log. `bytes` is the known length of the log, or 0. */
function withoutLog(path: string, bytes: number): string {
  const log = `${path}-wal`;
  if (bytes === 0) return '; put that beside it, or an empty file if there were none';
  const skip = `touch ${log}; rm ${logEndOf(path)}`;
  return ` (${bytes} bytes); put that beside it; to go on without these writes: ${skip}`;
}

/** Without a log, opening the file creates no other file beside it. */
function openToRead(path: string, hasLog: boolean, busyMs: number): DatabaseSync {
  const url = pathToFileURL(path);
  if (!hasLog) url.searchParams.set('immutable', '1');
  return openDatabase(url, { readOnly: true, timeout: busyMs });
}

function versionOf(database: DatabaseSync): number {
  const version = Number(firstValue(database, 'PRAGMA user_version'));
  if (firstValue(database, 'SELECT count(*) FROM sqlite_schema') === 0 && version === 0) return 0;
  if (firstValue(database, 'PRAGMA application_id') !== APPLICATION_ID) {
    throw new Error('it belongs to another program');
  }
  if (version > SCHEMA_VERSION) {
    throw new Error(`its version is ${version}, this usurp reads up to ${SCHEMA_VERSION}`);
  }
  if (version < 1) throw new Error(`it is damaged: there is no version ${version}`);
  return version;
}

/** Whether the file is complete without a log. */
function isClosed(database: DatabaseSync): boolean {
  return firstValue(database, 'SELECT closed FROM state') === 1;
}

/** Null if the file is so damaged that it is refused later. */
function marksOrNull(database: DatabaseSync): LogMarks | null {
  try {
    return marksIn(database);
  } catch {
    return null;
  }
}

/**
 * Throws if the log continues another state of the file, such as one before a backup was put in its place.
 * SQLite would mix both without a message. `marks` are those of the file with its log.
 */
function assertOwnLog(path: string, marks: LogMarks): void {
  const own = marksWithoutLog(path)?.log;
  if (own === undefined || own === marks.log || own === marks.previous) return;
  const log = `${path}-wal`;
  throw new Error(
    `${log} continues another state of this file; put the file beside its own log, or move the log away ` +
      'to use the file without it, as for a backup',
  );
}

/** Null if the file cannot be read alone, such as in the middle of a checkpoint that makes it longer. */
function marksWithoutLog(path: string): LogMarks | null {
  const database = openToRead(path, false, 0);
  try {
    return marksOrNull(database);
  } finally {
    database.close();
  }
}

function notesOfLog(path: string, marks: LogMarks | null): string[] {
  const log = `${path}-wal`;
  const bytes = readFileSync(log);
  const verdict = judgeLog(bytes);
  const end = readLogEnd(path);
  const acknowledged = acknowledgedBytes(marks, end);
  if (acknowledged !== null && verdict.committed < acknowledged) {
    throw new Error(lossOf(path, { acknowledged, there: bytes.length, intact: verdict.bytes }));
  }
  if (acknowledged === null && verdict.type === 'damaged') {
    throw new Error(
      `${log} is damaged at byte ${verdict.bytes}, and more was written behind; to go on without ` +
        `that, cut it there: truncate -s ${verdict.bytes} ${log}`,
    );
  }
  if (verdict.type !== 'torn') return [];
  const torn = `the last write in ${log} was cut off: ${verdict.missing} bytes of it are missing`;
  if (acknowledged !== null) return [`${torn}; it was not acknowledged, and is dropped`];
  return [`${torn}; it is dropped. Without ${logEndOf(path)}, more may be missing`];
}

/**
 * How many bytes of the log have acknowledged writes that the file lacks; null if that is not known. `marks`
 * are those of the file with its log.
 */
function acknowledgedBytes(marks: LogMarks | null, end: LogEnd | null): number | null {
  if (marks === null || end === null) return null;
  if (end.log === marks.log) return end.bytes;
  // The first transaction of the log is missing.
  if (end.previous === marks.log) return end.bytes;
  return null;
}

function lossOf(
  path: string,
  { acknowledged, there, intact }: Readonly<Record<'acknowledged' | 'there' | 'intact', number>>,
): string {
  const log = `${path}-wal`;
  const loss =
    there < acknowledged
      ? `${log} was cut off: ${acknowledged - there} bytes with acknowledged writes are missing`
      : `${log} is damaged at byte ${intact}, before the end of its acknowledged writes`;
  const cut = there < acknowledged ? '' : `truncate -s ${intact} ${log}; `;
  return `${loss}; put the whole log there; to go on without them: ${cut}rm ${logEndOf(path)}`;
}

function assertLength(database: DatabaseSync, bytes: number): void {
  const pages = Number(firstValue(database, 'PRAGMA page_count'));
  const expected = pages * Number(firstValue(database, 'PRAGMA page_size'));
  if (bytes !== expected)
    throw new Error(`it is damaged: it has ${bytes} bytes instead of ${expected}`);
}

function assertWhole(database: DatabaseSync, version: number): void {
  const fault = String(firstValue(database, 'PRAGMA integrity_check(1)'));
  if (fault !== 'ok') throw new Error(`it is damaged: ${fault.replaceAll(/\s+/g, ' ')}`);
  if (firstValue(database, 'PRAGMA foreign_key_check') !== undefined) {
    throw new Error('it is damaged: it has actions of no election');
  }
  if (!hasSchemaOf(database, version)) {
    throw new Error(`it is damaged: its tables are not those of version ${version}`);
  }
}

/** The first value of the first row; undefined where there is none. */
export function firstValue(database: DatabaseSync, query: string): unknown {
  return Object.values(database.prepare(query).get() ?? {})[0];
}
