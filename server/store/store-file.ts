/**
 * @module
 * This folder keeps the data file, a SQLite database. This file opens it, migrates it to the current
 * version, writes to it in transactions that are on disk before they are acknowledged (WAL,
 * `synchronous=FULL`), copies it while it is in use, and closes it. Only one server has it open at a time.
 */

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import process from 'node:process';
import { backup, DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

import { LabError } from '../../src/errors.ts';
import { OverloadError } from '../request/refusals.ts';
import { examineStore, firstValue } from './store-examination.ts';
import { migration } from './store-schema.ts';

export interface StoreOptions {
  /** Told why writing fails, once until it has succeeded again. */
  readonly onFault?: (error: unknown) => void;
  /** How long opening waits for another server that is about to end. */
  readonly busyMs?: number;
}

export interface StoreFile {
  readonly path: string;
  /** For reading, and for writing within `write`. */
  readonly database: DatabaseSync;
  /** What opening found that who runs the server should know. */
  readonly notes: readonly string[];
  /**
   * Carries out what `work` writes whole and waits until it is on disk. Throws OverloadError
   * `storage.unavailable` where it cannot be; nothing is kept then.
   */
  write<T>(work: () => T): T;
  /** Within `write`: called if nothing of it is kept. */
  onUndone(undo: () => void): void;
  /** Reads what was stored; throws LabError `file.unreadable` for what is damaged. */
  read<T>(work: () => T): T;
  /** Puts a copy of all that is acknowledged there, whole or not at all, while others go on. */
  backup(target: string): Promise<void>;
  close(): void;
}

/** Only opening can meet another user of the file; once open it is ours alone. */
const BUSY_MS = 5_000;
/** Nobody knows when a disk has room again. */
const RETRY_AFTER_S = 10;

/**
 * Opens or makes the file. Throws LabError `file.unreadable` for a file that is no database of ours,
 * damaged, incomplete, of a newer version, or in use; it is left as it was.
 */
export function openStore(named: string, options: StoreOptions = {}): StoreFile {
  const { busyMs = BUSY_MS, onFault = () => undefined } = options;
  const path = fileNamed(named);
  const { version, notes } = guardReading(path, () => examineStore(path, busyMs));
  const database = guardReading(path, () => openDatabase(path, version, busyMs));
  const assertInPlace = placeOf(path);
  const finish = () => {
    process.off('exit', finish);
    if (database.isOpen) close(database, path);
  };
  // Node closes it at the end of the process too, but without saying so in the file.
  process.on('exit', finish);
  const changes = database.prepare('SELECT total_changes() AS count');
  let isFailing = false;
  let undone: (() => void)[] = [];
  const write = <T>(work: () => T): T => {
    if (!database.isOpen) {
      throw new OverloadError('server.unready', 'the server is stopping', RETRY_AFTER_S);
    }
    undone = [];
    try {
      assertInPlace();
      const before = isFailing ? changes.get()?.count : null;
      const result = inTransaction(database, work);
      // What has changed nothing has not been to the disk, and says nothing of it.
      isFailing &&= before === changes.get()?.count;
      return result;
    } catch (error) {
      for (const undo of undone) undo();
      if (!isOfTheMachine(error)) throw error;
      if (!isFailing) onFault(error);
      isFailing = true;
      const detail = 'the store could not be written; nothing of this request was kept';
      throw new OverloadError('storage.unavailable', detail, RETRY_AFTER_S);
    }
  };
  return {
    ...{ path, database, notes, write },
    onUndone: (undo) => void undone.push(undo),
    read: (work) => guardReading(path, work),
    backup: (target) => copyTo(database, target),
    close: finish,
  };
}

/**
 * The file that a name stands for, which a link only points to: SQLite keeps its log beside the file. What is
 * there and no file (a pipe would be waited for without end) is refused, as are names that SQLite takes for URIs.
 */
function fileNamed(name: string): string {
  if (name === '' || name.startsWith(':') || name.startsWith('file:')) {
    throw new LabError('arguments', '--data wants the name of a file; --ephemeral keeps nothing');
  }
  const entry = statSync(name, { throwIfNoEntry: false });
  if (entry === undefined) return name;
  if (!entry.isFile()) {
    const what = entry.isDirectory() ? 'it is a folder' : 'it is no ordinary file';
    throw new LabError('file.unreadable', `--data ${name} cannot be used: ${what}`);
  }
  return realpathSync(name);
}

/** Opens for writing what was examined, or is new. */
function openDatabase(path: string, version: number, busyMs: number): DatabaseSync {
  // Secrets of forgeries are in it: SQLite gives the files beside it the same permissions.
  closeSync(openSync(path, 'a', 0o600));
  const database = new DatabaseSync(path, { timeout: busyMs, defensive: true });
  try {
    // One server a file: two would each acknowledge what the other contradicts.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    for (const [name, value] of SETTINGS) database.exec(`PRAGMA ${name} = ${value}`);
    database.exec('BEGIN IMMEDIATE; COMMIT');
    for (const [name, value] of SETTINGS) assertSetting(database, name, value);
    for (const statement of migration(version)) database.exec(statement);
    // From here on a copy of the file alone is recognized, see store-examination.ts.
    database.exec('UPDATE state SET closed = 0');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

const SETTINGS = [
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['trusted_schema', 0],
  // Pages: the write that brings them into the file takes a quarter as long as by default.
  ['wal_autocheckpoint', 250],
] as const;

function assertSetting(database: DatabaseSync, name: string, value: string | number): void {
  const actual = firstValue(database, `PRAGMA ${name}`);
  if (actual !== value) throw new Error(`its ${name} is ${actual} here, it must be ${value}`);
}

/**
 * A check that the file and its log are still where they were. Without it writes would go on into files
 * that no longer have a name, and be gone with the process.
 */
function placeOf(path: string): () => void {
  const places = [path, `${path}-wal`];
  const identity = () =>
    places.map((place) => {
      const { dev, ino } = statSync(place, { bigint: true });
      return `${dev}:${ino}`;
    });
  const before = identity().join();
  return () => {
    if (identity().join() === before) return;
    throw Object.assign(new Error(`${path} is another file now`), { code: 'ENOENT' });
  };
}

/** One commit, one wait for the disk, however much there is to write. */
function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  // An end that failed before, for lack of room or memory, is made up for now.
  if (database.isTransaction) database.exec('ROLLBACK');
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    // SQLite has rolled back by itself after some errors, a full disk for one.
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {
    // The next transaction begins with it.
  }
}

/** Faults that may pass, by SQLite's primary result codes; others are mistakes of ours. */
const MACHINE_CODES: ReadonlySet<number> = new Set([
  ...[3, 5, 6, 7, 8], // PERM, BUSY, LOCKED, NOMEM, READONLY
  ...[10, 11, 13, 14, 15], // IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL
]);

function isOfTheMachine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return MACHINE_CODES.has(Number(error.errcode) & 0xff);
  // Those of the file system have codes too; refusals of ours are told as they are.
  return 'code' in error && /^E(?!RR_)/.test(String(error.code));
}

async function copyTo(database: DatabaseSync, target: string): Promise<void> {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    await copyPages(database, part);
    const copy = new DatabaseSync(part);
    copy.exec('PRAGMA journal_mode = DELETE; UPDATE state SET closed = 1');
    copy.close();
    sync(part);
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    const why = error instanceof Error ? error.message : String(error);
    throw new LabError('file.unwritable', `a backup cannot be written to ${target}: ${why}`);
  }
}

/**
 * All pages in one step: between two, each write would make it begin anew. A write of this very connection at
 * the moment of that step makes it fail, and it is tried again.
 */
async function copyPages(database: DatabaseSync, target: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await backup(database, target, { rate: 0x7fffffff });
      return;
    } catch (error) {
      if (tries === COPY_TRIES_MAX) throw error;
      await delay(COPY_PAUSE_MS);
    }
  }
}

const COPY_TRIES_MAX = 20;
const COPY_PAUSE_MS = 25;

function sync(path: string): void {
  const file = openSync(path, 'r+');
  fsyncSync(file);
  closeSync(file);
}

function close(database: DatabaseSync, path: string): void {
  try {
    rollBack(database);
    database.exec('UPDATE state SET closed = 1');
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // On a full disk the log stays beside the file, and is read at the next start.
  }
  database.close();
  // The examination leaves it where there was a log; without one it means nothing.
  if (!existsSync(`${path}-wal`)) rmSync(`${path}-shm`, { force: true });
}

/** What goes wrong while reading the file is a fault of the file, named with it. */
function guardReading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const remedy = /locked|busy/.test(why) ? '; is another server using it?' : '';
    throw new LabError('file.unreadable', `--data ${path} cannot be used: ${why}${remedy}`);
  }
}

/** Ties the parts of a row together, so that a flipped bit is noticed and not replayed. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const [index, part] of parts.entries()) {
    if (index > 0) hash.update(SEPARATOR);
    hash.update(part);
  }
  return hash.digest('hex');
}

const SEPARATOR = new Uint8Array(1);
