/**
 * @module
 * Reads the logs of nodes that have ended. They can be of others: the files are not changed, and only the tables of a log
 * are read.
 */

import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { LabError } from '../../errors.ts';
import { openDatabase } from '../../runtime/files/sqlite.ts';
import type { LogOwner, LogSize } from '../node-log.ts';
import {
  joinedIn,
  LIVE_BYTES_MAX,
  LIVE_RECORDS_MAX,
  ownerIn,
  sizeOf,
  TABLES,
} from '../node-log.ts';

export interface ReadLog<Read = string> {
  readonly owner: LogOwner;
  readonly joined: readonly string[];
  readonly records: readonly Read[];
  /** Whether later steps of the node were not recorded. */
  readonly isFull: boolean;
  /** Whether there are more records than were to be read. */
  readonly isCut: boolean;
}

/** The size of a log. Throws LabError `file.unreadable`. */
export function logSize(path: string): LogSize {
  return opened(path, (database) => sizeOf(database));
}

/** The first records of a log, all by default, each as `read` makes it. Throws LabError `file.unreadable`. */
export function readRecords<Read>(
  path: string,
  read: (line: string) => Read,
  most: LogSize = { count: LIVE_RECORDS_MAX, bytes: LOG_BYTES_MAX },
): ReadLog<Read> {
  return opened(path, (database) => {
    const size = sizeOf(database);
    if (size.count > LIVE_RECORDS_MAX || size.bytes > LOG_BYTES_MAX) {
      throw notALog(path, `it has more than ${LIVE_RECORDS_MAX} records or ${LOG_BYTES_MAX} bytes`);
    }
    const owner = ownerIn(database);
    if (owner === null) throw notALog(path, 'no node has used it');
    const records = firstRecords(database, read, most);
    return {
      owner,
      joined: joinedIn(database),
      records,
      isFull: size.count >= LIVE_RECORDS_MAX || size.bytes >= LIVE_BYTES_MAX,
      isCut: records.length < size.count,
    };
  });
}

/** The texts are not kept: all of them together would take as much memory as what is made of them. */
function firstRecords<Read>(
  database: DatabaseSync,
  read: (line: string) => Read,
  most: LogSize,
): readonly Read[] {
  const rows = database
    .prepare('SELECT record, octet_length(record) AS bytes FROM records ORDER BY seq LIMIT ?')
    .iterate(most.count);
  const records: Read[] = [];
  let left = most.bytes;
  for (const { record, bytes } of rows) {
    left -= Number(bytes);
    if (left < 0) break;
    records.push(read(String(record)));
  }
  return records;
}

/** What a function reads in a log. */
function opened<Result>(path: string, read: (database: DatabaseSync) => Result): Result {
  if (!isDatabase(path)) throw notALog(path, 'it is no file of SQLite');
  const index = `${path}-shm`;
  const hadIndex = existsSync(index);
  let database: DatabaseSync | null = null;
  try {
    database = openDatabase(readableUrl(path), { readOnly: true });
    database.exec('PRAGMA trusted_schema=OFF;');
    assertTables(database, path);
    return read(database);
  } catch (error) {
    const isOfFile = error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
    if (!isOfFile) throw error;
    const isLocked = String(error).includes('locked');
    if (isLocked)
      throw new LabError(
        'file.unreadable',
        `${path} cannot be read while its node runs; stop the node first`,
      );
    throw notALog(path, 'SQLite cannot read it');
  } finally {
    database?.close();
    // A reader makes the index of the journal, and cannot remove it.
    if (!hadIndex) rmSync(index, { force: true });
  }
}

/** About twice the size of a full log. */
const LOG_BYTES_MAX = 2 ** 30;
const SQLITE_HEADER = 'SQLite format 3\0';

function isDatabase(path: string): boolean {
  try {
    // To open a pipe would wait for its writer.
    if (!statSync(path).isFile()) return false;
    const file = openSync(path, 'r');
    try {
      const head = Buffer.alloc(SQLITE_HEADER.length);
      readSync(file, head, 0, head.length, 0);
      return head.toString('latin1') === SQLITE_HEADER;
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw notALog(path, isMissing ? 'it does not exist' : 'it cannot be opened');
  }
}

/** Without a journal of a node that runs or was killed, SQLite makes no files beside it if nothing can change it. */
function readableUrl(path: string): URL {
  const url = pathToFileURL(path);
  const journal = statSync(`${path}-wal`, { throwIfNoEntry: false });
  if (journal === undefined || journal.size === 0) url.searchParams.set('immutable', '1');
  return url;
}

/** Real tables, so that no view or expression of another's file is computed. */
function assertTables(database: DatabaseSync, path: string): void {
  const definitions = database
    .prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL LIMIT ?')
    .all(TABLES.length + 1)
    .map(({ sql }) => String(sql));
  const own = new Set(TABLES.map((table) => `CREATE TABLE ${table}`));
  if (definitions.some((definition) => !own.has(definition)))
    throw notALog(path, 'it has other tables than a log');
}

function notALog(path: string, why: string): LabError {
  const detail = `${path} cannot be read as the log of a live node: ${why}; give the files of --data`;
  return new LabError('file.unreadable', detail);
}
