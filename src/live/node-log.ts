/**
 * @module
 * What a live node keeps on disk (SQLite): what its machine persisted, its counters, and the records of its steps. All
 * of a step is written before anything of it leaves the node, so that a node that was killed has sent nothing that it
 * does not remember. The file is locked: two processes of one identity would vote twice.
 */

import { existsSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Json } from '../election/machine.ts';
import { LabError } from '../errors.ts';
import type { Highest, Numbered } from './heard-numbers.ts';
import { heardIn, heardRowsOf } from './heard-numbers.ts';
import type { LogOwner } from './log-owner.ts';
import { assertOwner, parseLogOwner } from './log-owner.ts';
import type { LiveClock, LiveRecord, RecorderState } from './node-record.ts';
import { storedClock } from './node-record.ts';
import { PEERS_MAX } from './peers.ts';

/** Later steps are not recorded; `traceComplete` of `GET /status` is then false. Usual records have 500 bytes. */
export const LIVE_RECORDS_MAX = 1_000_000;
export const LIVE_BYTES_MAX = 2 ** 29;

/** What of a step is written. */
export interface LoggedStep {
  readonly records: readonly LiveRecord[];
  readonly recorder: RecorderState;
  /** Undefined if it persisted nothing. */
  readonly persisted: Json | undefined;
  /** The number that the step has counted; null for none. */
  readonly heard: Numbered | null;
}

export interface NodeLog {
  /** Lives of the node before this one. */
  readonly lives: number;
  /** What the last life persisted last. */
  readonly persisted: Json;
  readonly recorder: RecorderState;
  /** The highest numbers of peers that counted in the lives before. */
  readonly heard: Highest;
  readonly isComplete: () => boolean;
  append(step: LoggedStep): void;
  /** The members that joined and are known to this node, as it noted them. */
  readonly joined: readonly string[];
  /** Notes a member that joined. */
  noteJoined(rank: string, member: string): void;
  /** The port that the system has chosen for the node; null if it has chosen none. */
  readonly port: number | null;
  notePort(port: number): void;
  /** The records after the first `skipped`, as JSON: at most `count`, and none after `bytes` characters. */
  read(skipped: number, count: number, bytes: number): readonly string[];
  /** Removes a file that this life has made if it has neither a record nor a port. */
  close(): void;
}

/** The tables of a log. */
export const TABLES = [
  'owner (owner TEXT) STRICT',
  'joined (rank TEXT PRIMARY KEY, member TEXT) STRICT',
  'state (lives INTEGER, sent INTEGER, clock TEXT, persisted TEXT) STRICT',
  'heard (rank TEXT PRIMARY KEY, number INTEGER) STRICT',
  'port (port INTEGER) STRICT',
  'records (seq INTEGER PRIMARY KEY, record TEXT) STRICT',
];
const SCHEMA = TABLES.map((table) => `CREATE TABLE IF NOT EXISTS ${table};`).join('\n');

/**
 * Opens or makes the file, and counts a life. `close` removes the file of a node that could not start. Throws LabError
 * `file.unreadable` if it is another's or in use.
 */
export function openNodeLog(path: string, owner: LogOwner, bytesMax = LIVE_BYTES_MAX): NodeLog {
  const isNew = !existsSync(path);
  const database = openedDatabase(path);
  try {
    claimFor(database, owner, path);
    return nodeLogOf(database, path, isNew, bytesMax);
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A node that could not start has left nothing to return with. The lock keeps another process out until the file is gone.
 * Without a journal, closing the database touches no file by its name.
 */
function removeUnused(database: DatabaseSync, path: string): void {
  database.exec('PRAGMA journal_mode=DELETE');
  try {
    rmSync(path);
  } catch {
    // Windows removes no file that is open.
  }
}

/**
 * Moves the last steps of a node that was killed from the journal beside its log into the log, which is then one file. Does
 * nothing if the file is in use.
 */
export function foldJournal(path: string): void {
  if (!existsSync(path) || !existsSync(`${path}-wal`)) return;
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA locking_mode=EXCLUSIVE; PRAGMA wal_checkpoint(TRUNCATE);');
  } catch (error) {
    if (!String(error).includes('locked')) throw error;
  } finally {
    database.close();
  }
}

function openedDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(path);
    database.exec(
      'PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;',
    );
    database.exec(SCHEMA);
    return database;
  } catch (error) {
    database?.close();
    const isLocked = String(error).includes('locked');
    throw unreadable(path, isLocked ? 'another node uses it' : 'it is no file of SQLite');
  }
}

function unreadable(path: string, why: string): LabError {
  return new LabError(
    'file.unreadable',
    `${path} cannot be used: ${why}; name another with --data`,
  );
}

/** How much a log contains. */
export interface LogSize {
  /** Number of its records. */
  readonly count: number;
  /** Bytes of all records of the log. */
  readonly bytes: number;
}

/** The size of the records. */
export function sizeOf(database: DatabaseSync): LogSize {
  const sizes = database.prepare(
    'SELECT COUNT(*) AS count, TOTAL(octet_length(record)) AS bytes FROM records',
  );
  const { count, bytes } = sizes.get() ?? {};
  return { count: Number(count), bytes: Number(bytes) };
}

/** Whose log it is; null if no node has used it. */
export function ownerIn(database: DatabaseSync): LogOwner | null {
  const row = database.prepare('SELECT owner FROM owner LIMIT 1').get();
  if (row === undefined) return null;
  return parseLogOwner(String(row.owner));
}

/** Other programs can have changed the file. */
function jsonIn(text: unknown, path: string) {
  try {
    return JSON.parse(String(text));
  } catch {
    throw unreadable(path, 'a part of it is not JSON');
  }
}

/** Entries that are no counts are left out: other nodes show them again. */
function clockIn(text: unknown, path: string): LiveClock {
  const clock = storedClock(jsonIn(text, path));
  if (clock === null) throw unreadable(path, 'its clock is not one');
  return clock;
}

/** The members that joined, as the node noted them. */
export function joinedIn(database: DatabaseSync): readonly string[] {
  const rows = database.prepare('SELECT member FROM joined ORDER BY rank LIMIT ?').all(PEERS_MAX);
  return rows.map(({ member }) => String(member));
}

function portIn(database: DatabaseSync): number | null {
  const row = database.prepare('SELECT port FROM port').get();
  return row === undefined ? null : Number(row.port);
}

/** Writes the owner into a new file, and compares it with that of another one. */
function claimFor(database: DatabaseSync, owner: LogOwner, path: string): void {
  const before = ownerIn(database);
  if (before === null) {
    database.prepare('INSERT INTO owner VALUES (?)').run(JSON.stringify(owner));
    database.prepare('INSERT INTO state VALUES (0, 0, ?, ?)').run('{}', 'null');
    return;
  }
  assertOwner(path, before, owner);
}

function nodeLogOf(
  database: DatabaseSync,
  path: string,
  isNew: boolean,
  bytesMax: number,
): NodeLog {
  const row = database.prepare('SELECT lives, sent, clock, persisted FROM state').get() ?? {};
  let { count, bytes: written } = sizeOf(database);
  const isComplete = () => count < LIVE_RECORDS_MAX && written < bytesMax;
  database.exec('UPDATE state SET lives = lives + 1');
  const insert = database.prepare('INSERT INTO records VALUES (?, ?)');
  const note = database.prepare('UPDATE state SET sent = ?, clock = ?');
  const heardRows = heardRowsOf(database);
  let isDurable: boolean | null = null;
  // A kill of the process loses nothing that was committed. Only what was persisted must survive a power failure.
  const setDurable = (durable: boolean) => {
    if (durable !== isDurable) database.exec(`PRAGMA synchronous=${durable ? 'FULL' : 'NORMAL'}`);
    isDurable = durable;
  };
  const save = database.prepare('UPDATE state SET persisted = ?');
  const keep = database.prepare('INSERT OR REPLACE INTO joined VALUES (?, ?)');
  const select = database.prepare('SELECT record FROM records WHERE seq >= ? ORDER BY seq LIMIT ?');
  return {
    lives: Number(row.lives),
    persisted: jsonIn(row.persisted, path),
    recorder: { sent: Number(row.sent), clock: clockIn(row.clock, path) },
    heard: heardIn(database),
    port: portIn(database),
    notePort: (port) => database.prepare('INSERT INTO port VALUES (?)').run(port),
    joined: joinedIn(database),
    noteJoined: (rank, member) => keep.run(rank, member),
    isComplete,
    append({ records, recorder, persisted, heard }) {
      setDurable(persisted !== undefined);
      if (records.length === 0 && persisted === undefined) {
        if (heard !== null) heardRows.noteSoon(heard);
        return;
      }
      database.exec('BEGIN');
      for (const record of records) {
        if (!isComplete()) break;
        const text = JSON.stringify(record);
        insert.run(count, text);
        written += Buffer.byteLength(text);
        count += 1;
      }
      note.run(recorder.sent, JSON.stringify(recorder.clock));
      if (persisted !== undefined) save.run(JSON.stringify(persisted));
      if (heard !== null) heardRows.note(heard);
      heardRows.write();
      database.exec('COMMIT');
    },
    read(skipped, most, bytes) {
      const read: string[] = [];
      let length = 0;
      for (const { record } of select.iterate(skipped, most)) {
        read.push(String(record));
        length += String(record).length;
        if (length >= bytes) break;
      }
      return read;
    },
    close() {
      heardRows.write();
      // Members may know the port of a node that was to join.
      if (isNew && count === 0 && portIn(database) === null) removeUnused(database, path);
      database.close();
    },
  };
}
