/**
 * @module
 * Examines a data file before it is written: whether it belongs to this program, has a known version,
 * and is intact and complete. A file with a fault is refused and not changed. Nothing is repaired.
 */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { APPLICATION_ID, hasSchemaOf, SCHEMA_VERSION } from './store-schema.ts';
import { judgeLog } from './store-wal.ts';

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
  if (!hasLog && (!isThere || statSync(path).size === 0)) return { version: 0, notes: [] };
  if (!isThere) throw new Error(`${log} is there without it`);
  const database = openToRead(path, hasLog, busyMs);
  try {
    const version = versionOf(database);
    const notes = hasLog ? notesOfLog(log) : [];
    if (version === 0) return { version, notes };
    assertWhole(database, version);
    if (version > 1 && firstValue(database, 'SELECT closed FROM state') === 0 && !hasLog) {
      throw new Error(
        `it was being written to when it was copied or the server killed, and ${log} with the last ` +
          'writes is missing; put that beside it, or an empty file if there were none',
      );
    }
    return { version, notes };
  } finally {
    database.close();
  }
}

/** Without a log, opening the file creates no other file beside it. */
function openToRead(path: string, hasLog: boolean, busyMs: number): DatabaseSync {
  const url = pathToFileURL(path);
  if (!hasLog) url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true, timeout: busyMs });
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

function notesOfLog(log: string): string[] {
  const verdict = judgeLog(readFileSync(log));
  switch (verdict.type) {
    case 'whole':
      return [];
    case 'torn':
      return ['the last write was cut off before it was acknowledged, and is dropped'];
    case 'damaged':
      throw new Error(
        `${log} is damaged at byte ${verdict.bytes}, and more was written behind; to go on without ` +
          `that, cut it there: truncate -s ${verdict.bytes} ${log}`,
      );
    default:
      return verdict satisfies never;
  }
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
