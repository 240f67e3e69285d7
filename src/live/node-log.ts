/**
 * @module
 * What a live node keeps on disk (SQLite): what its machine persisted, its counters, and the records of its steps. All
 * of a step is written before anything of it leaves the node, so that a node that was killed has sent nothing that it
 * does not remember. The file is locked: two processes of one identity would vote twice.
 */

import { hash } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';

import { z } from 'zod';
import type { SealedMessage } from '../election/authentication/authenticated.ts';
import type { Json, Rank } from '../election/machine.ts';
import { LabError } from '../errors.ts';
import { openDatabase } from '../runtime/files/sqlite.ts';
import { parseTextBySchema } from '../schema.ts';
import { settingsDifference } from './live-machine.ts';
import type { LiveClock, LiveRecord, RecorderState } from './node-record.ts';
import { parseLiveRecord, storedClock } from './node-record.ts';
import { PEERS_MAX } from './peers.ts';
import type { StoreAnswer } from './stores/live-store.ts';

/** Later steps are not recorded; `traceComplete` of `GET /status` is then false. Usual records have 500 bytes. */
export const LIVE_RECORDS_MAX = 1_000_000;
export const LIVE_BYTES_MAX = 2 ** 29;

/** The last records of a node, among which are the last answers of its store. */
const ANSWERED = 256;

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
  /** The answers of a store among the last records. */
  answers(): readonly StoreAnswer[];
  /** The records after the first `skipped`, as JSON: at most `count`, and none after `bytes` characters. */
  read(skipped: number, count: number, bytes: number): readonly string[];
  /** Removes a file that this life has made if it has neither a record nor a port. */
  close(): void;
}

/** The tables of a log. */
export const TABLES = [
  'owner (owner TEXT) STRICT',
  'joined (rank TEXT PRIMARY KEY, member TEXT) STRICT',
  'state (lives INTEGER, sent INTEGER, clock TEXT, persisted TEXT, digest TEXT) STRICT',
  'heard (rank TEXT PRIMARY KEY, number INTEGER) STRICT',
  'port (port INTEGER) STRICT',
  'records (seq INTEGER PRIMARY KEY, record TEXT) STRICT',
];
const SCHEMA = TABLES.map((table) => `CREATE TABLE IF NOT EXISTS ${table};`).join('\n');
/** Counts up if older nodes would misread a log. */
const LOG_VERSION = 1;

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
    if (!isFromSqlite(error)) throw error;
    throw unreadable(
      path,
      `a fault of the disk or another program has changed it (${error.message})`,
    );
  }
}

function isFromSqlite(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
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
  const database = openDatabase(path);
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
    database = openDatabase(path);
    database.exec(
      'PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;',
    );
    assertVersion(database, path);
    database.exec(`${SCHEMA} PRAGMA user_version=${LOG_VERSION};`);
    return database;
  } catch (error) {
    database?.close();
    if (error instanceof LabError) throw error;
    const why = String(error);
    if (why.includes('locked')) throw unreadable(path, 'another node uses it');
    const isOther = /not a database|malformed|unable to open/.test(why);
    throw unreadable(path, isOther ? 'it is no file of SQLite' : why.replace(/^Error: /, ''));
  }
}

/** What to do about a log that a node has written and something else has changed. */
const RESTORE =
  'restore it, or remove the node and let one with a new key join: with an empty log the old node could vote twice';

/** A log that a later release has written could be misread. New files have version 0. */
function assertVersion(database: DatabaseSync, path: string): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.user_version);
  if (version <= LOG_VERSION) return;
  throw new LabError(
    'file.unreadable',
    `${path} cannot be used: a later release of usurp has written it (version ${version}, and this node knows ${LOG_VERSION}); start the node with that release`,
  );
}

function unreadable(path: string, why: string, remedy = 'name another with --data'): LabError {
  return new LabError('file.unreadable', `${path} cannot be used: ${why}; ${remedy}`);
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
    throw unreadable(path, 'a part of it is not JSON', RESTORE);
  }
}

/** Entries that are no counts are left out: other nodes show them again. */
function clockIn(text: unknown, path: string): LiveClock {
  const clock = storedClock(jsonIn(text, path));
  if (clock === null) throw unreadable(path, 'its clock is not one', RESTORE);
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
    database
      .prepare('INSERT INTO state VALUES (0, 0, ?, ?, ?)')
      .run('{}', NOTHING, digestOf(NOTHING));
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
  const row =
    database.prepare('SELECT lives, sent, clock, persisted, digest FROM state').get() ?? {};
  let { count, bytes: written } = sizeOf(database);
  const isComplete = () => count < LIVE_RECORDS_MAX && written < bytesMax;
  database.exec('UPDATE state SET lives = lives + 1');
  const insert = database.prepare('INSERT INTO records VALUES (?, ?)');
  const note = database.prepare('UPDATE state SET sent = ?, clock = ?');
  const heardRows = heardRowsOf(database, path);
  let isDurable: boolean | null = null;
  // A kill of the process loses nothing that was committed. Only what was persisted must survive a power failure.
  const setDurable = (durable: boolean) => {
    if (durable !== isDurable) database.exec(`PRAGMA synchronous=${durable ? 'FULL' : 'NORMAL'}`);
    isDurable = durable;
  };
  const save = database.prepare('UPDATE state SET persisted = ?, digest = ?');
  const keep = database.prepare('INSERT OR REPLACE INTO joined VALUES (?, ?)');
  const select = database.prepare('SELECT record FROM records WHERE seq >= ? ORDER BY seq LIMIT ?');
  return {
    lives: Number(row.lives),
    persisted: persistedIn(row, path),
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
      writing(path, () => {
        database.exec('BEGIN');
        for (const record of records) {
          if (!isComplete()) break;
          const text = JSON.stringify(record);
          insert.run(count, text);
          written += Buffer.byteLength(text);
          count += 1;
        }
        note.run(recorder.sent, JSON.stringify(recorder.clock));
        if (persisted !== undefined) save.run(...stateRow(persisted));
        if (heard !== null) heardRows.note(heard);
        heardRows.write();
        database.exec('COMMIT');
      });
    },
    answers: () => select.all(Math.max(0, count - ANSWERED), ANSWERED).flatMap(answerIn),
    read: (skipped, most, bytes) => boundedRecords(select.iterate(skipped, most), bytes),
    close() {
      heardRows.write();
      // Members may know the port of a node that was to join.
      if (isNew && count === 0 && portIn(database) === null) removeUnused(database, path);
      database.close();
    },
  };
}

/** What the last life persisted last. Throws LabError `file.unreadable` if something else has changed it. */
function persistedIn({ persisted, digest }: Record<string, unknown>, path: string): Json {
  if (digest === digestOf(String(persisted))) return jsonIn(persisted, path);
  throw unreadable(path, 'its state is not what the node has written', RESTORE);
}

const NOTHING = JSON.stringify(null);

/** What is persisted, and its digest. */
function stateRow(persisted: Json): [string, string] {
  const text = JSON.stringify(persisted);
  return [text, digestOf(text)];
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64');
}

/** Writes to the log. Throws LabError `file.unwritable`: then nothing of the step may leave the node. */
function writing(path: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = 'see to the disk, and start it again with the same --data';
    throw new LabError(
      'file.unwritable',
      `${path} cannot be written: ${why}; this node has ended, and nothing of its last step has left it; ${remedy}`,
    );
  }
}

interface Row {
  readonly record?: unknown;
}

function boundedRecords(rows: Iterable<Row>, bytes: number): readonly string[] {
  const read: string[] = [];
  let length = 0;
  for (const { record } of rows) {
    read.push(String(record));
    length += String(record).length;
    if (length >= bytes) break;
  }
  return read;
}

function answerIn({ record }: Row): readonly StoreAnswer[] {
  const { event } = parseLiveRecord(String(record));
  if (event.type !== 'reply' || event.mark === null) return [];
  return [{ value: event.value, mark: event.mark }];
}

/** How long the number of a heartbeat is in memory only. After a kill in this time one replay of it would count. */
const HEARD_MS_MAX = 100;

/**
 * By rank, the highest number that has counted. Which messages of earlier lives a node refuses as replays (L3). Its
 * machine loses in a crash which numbers have counted. The highest one of each sender is therefore on disk: after a
 * restart only higher ones are new. Messages that were under way at the crash are lost.
 */
type Highest = Readonly<Record<string, number>>;

/** The number of a message, and whose number it is. */
export interface Numbered {
  readonly by: Rank;
  readonly number: number;
}

/** Who says to have signed a message; `from` without a seal that names another one. */
export function signerIn(from: Rank, { seal }: SealedMessage): Rank | null {
  const { by = from } = Object(seal) as Partial<Numbered>; // A seal comes from outside: it can be anything.
  return typeof by === 'string' ? by : null;
}

/** The number that a message states; null without one. */
export function numberedIn(from: Rank, message: SealedMessage): Numbered | null {
  const by = signerIn(from, message);
  const { number } = Object(message.seal) as Partial<Numbered>; // The same.
  if (by === null || typeof number !== 'number') return null;
  return Number.isSafeInteger(number) ? { by, number } : null;
}

export class HeardNumbers {
  readonly #before: ReadonlyMap<string, number>;
  readonly #highest = new Map<string, number>();

  /** `before` is of the earlier lives. */
  constructor(before: Highest) {
    this.#before = new Map(Object.entries(before));
  }

  /** Whether a number is not above all that the sender has used in an earlier life of this node. */
  isOld({ by, number }: Numbered): boolean {
    return number <= (this.#before.get(String(by)) ?? 0);
  }

  /** Notes a number that has counted. Returns whether it is the highest of its sender. */
  note({ by, number }: Numbered): boolean {
    if (number <= (this.#highest.get(String(by)) ?? 0)) return false;
    this.#highest.set(String(by), number);
    return true;
  }
}

/** The numbers that the lives before have written. */
function heardIn(database: DatabaseSync): Highest {
  const rows = database.prepare('SELECT rank, number FROM heard').all();
  return Object.fromEntries(rows.map(({ rank, number }) => [String(rank), Number(number)]));
}

/**
 * Writes the numbers of messages that have counted. Those of heartbeats wait a little if others were written just before. An
 * idle node writes each at once, since waking up for it would take longer.
 */
function heardRowsOf(database: DatabaseSync, path: string) {
  const insert = database.prepare('INSERT OR REPLACE INTO heard VALUES (?, ?)');
  const unwritten = new Map<string, number>();
  let isDue = false;
  let writtenMs = Number.NEGATIVE_INFINITY;
  const note = ({ by, number }: Numbered) => unwritten.set(String(by), number);
  const write = () => {
    for (const [by, number] of unwritten) insert.run(by, number);
    unwritten.clear();
  };
  const writeAll = () => {
    isDue = false;
    if (!database.isOpen || unwritten.size === 0) return;
    writtenMs = performance.now();
    const isOne = unwritten.size === 1;
    writing(path, () => {
      if (!isOne) database.exec('BEGIN');
      write();
      if (!isOne) database.exec('COMMIT');
    });
  };
  const noteSoon = (heard: Numbered) => {
    note(heard);
    if (isDue) return;
    const waitMs = writtenMs + HEARD_MS_MAX - performance.now();
    isDue = waitMs > 0;
    if (isDue) setTimeout(writeAll, waitMs).unref();
    else writeAll();
  };
  return { note, noteSoon, write };
}

const ownerSchema = z.strictObject({
  rank: z.string(),
  protocol: z.string(),
  election: z.string(),
  /** Longest time of a message, in ms. All timers follow from it. */
  latency: z.int().min(1),
  /** Null of a node that watches no other. Files from before it was written lack it. */
  detector: z.string().nullable().optional(),
  level: z.string(),
  defences: z.array(z.string()).readonly(),
  behaviours: z.array(z.string()).readonly(),
  /** What leaders do at a resource, in the form of the command line; null for nothing. */
  workload: z.string().nullable(),
  /** The clients that leaders serve, in the same way; absent without any. */
  clients: z.string().exactOptional(),
  /** Variants and numbers of the protocol, in the same way; absent without any. */
  flags: z.string().exactOptional(),
});

/**
 * What the log of a node belongs to: its identity, its election, and the settings with which it ran. A node returns
 * with the same ones.
 */
export type LogOwner = Readonly<z.output<typeof ownerSchema>>;

/** Throws LabError `json.syntax` or `schema`. */
function parseLogOwner(text: string): LogOwner {
  return parseTextBySchema(ownerSchema, text, 'owner of a log');
}

/** Throws LabError `file.unreadable` that names the settings in which a node differs from the owner of its log. */
function assertOwner(path: string, before: LogOwner, now: LogOwner): void {
  const known = {
    clients: null,
    flags: null,
    ...before,
    detector: before.detector ?? now.detector,
  };
  if (isDeepStrictEqual(known, { clients: null, flags: null, ...now, detector: now.detector }))
    return;
  throw new LabError(
    'file.unreadable',
    `${path} cannot be used: its node ran with ${settingsDifference(known, now)}; give the same settings again, or name another file with --data for a new life without its past`,
  );
}
