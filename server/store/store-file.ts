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
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { LabError } from '../../src/errors.ts';
import { openDatabase, sqlite } from '../../src/runtime/files/sqlite.ts';
import { OverloadError } from '../request/refusals.ts';
import { examineStore, firstValue } from './store-examination.ts';
import { logEndOf, StoreLog } from './store-log.ts';
import { StoreReserve } from './store-reserve.ts';
import { migration } from './store-schema.ts';

export interface StoreOptions {
  /** Receives the cause when writing fails, once until a write succeeds again. */
  readonly onFault?: (error: unknown) => void;
  /** Ending of a folder beside the file that only has meaning with the file. */
  readonly folderEnding?: string;
  /** How long opening waits for another server that is about to stop, in ms. */
  readonly busyMs?: number;
}

export interface StoreFile {
  readonly path: string;
  /** Identifies the file and its copies. */
  readonly id: string;
  /** May be read at any time, and written within `write`. */
  readonly database: DatabaseSync;
  /** What the operator should know about the file, found when it was opened. */
  readonly notes: readonly string[];
  /**
   * Writes all changes of `work` in one transaction and waits until they are on disk. Throws
   * OverloadError `storage.unavailable` if that fails; nothing is kept then.
   */
  write<T>(work: () => T): T;
  /** Works like `write`, for work that removes: on a full disk it may use the room that is reserved for this. */
  free<T>(work: () => T): T;
  /** Works like `write`, but a failure is only reported to the operator. */
  attempt(work: () => unknown): void;
  /** Within `write`: calls the function if the transaction fails. */
  onUndone(undo: () => void): void;
  /** Throws OverloadError `storage.unavailable` from a failed write until one succeeds. */
  assertWritable(): void;
  /** Calls the function whenever the file can be written again after a failure. */
  onRecovered(listener: () => void): void;
  /** Reads what was stored; throws LabError `file.unreadable` if it is damaged. */
  read<T>(work: () => T): T;
  /** Writes a copy of everything acknowledged to this file, completely or not at all. */
  backup(target: string): Promise<void>;
  close(): void;
}

/** The file can be in use by another server only while it is being opened. */
const BUSY_MS = 5_000;
/** An estimate, because it is unknown when a disk has room again. */
const RETRY_AFTER_S = 10;

/**
 * Opens or creates the file. Throws LabError `file.unreadable` for a file that belongs to another
 * program, is damaged, incomplete, of a newer version or in use; the file is not changed then.
 */
export function openStore(named: string, options: StoreOptions = {}): StoreFile {
  const { busyMs = BUSY_MS, onFault = () => undefined, folderEnding } = options;
  const { path, notes, database, log } = opened(fileNamed(named), busyMs, folderEnding);
  const assertSameFile = identityOf(path);
  const reserve = new StoreReserve(path);
  const probe = new StoreProbe(() => {
    attempting(write, () => database.exec('UPDATE state SET probes = probes + 1'));
    if (!isFailing) reserve.fill();
    return !isFailing;
  });
  const finish = () => {
    process.off('exit', finish);
    probe.stop();
    if (database.isOpen) close(database, log, path);
    reserve.release();
  };
  // Node closes the database when the process exits, but does not mark the file as closed.
  process.on('exit', finish);
  const changes = database.prepare('SELECT total_changes() AS count');
  let isFailing = false;
  let undone: (() => void)[] = [];
  const write = <T>(work: () => T): T => {
    assertOpen(database);
    undone = [];
    try {
      assertSameFile();
      const before = isFailing ? changes.get()?.count : null;
      const result = inTransaction(database, log, work);
      if (before !== null) {
        // A transaction without changes does not use the disk, so it does not prove that the disk works.
        isFailing = before === changes.get()?.count;
        // The failed transactions may have left frames in the log.
        if (!isFailing) log.restart();
      }
      return result;
    } catch (error) {
      for (const undo of undone) undo();
      if (!isOfTheMachine(error)) throw error;
      if (!isFailing) onFault(error);
      isFailing = true;
      probe.start();
      throw unavailable('the store could not be written; nothing of this request was kept');
    }
  };
  const free = <T>(work: () => T): T => {
    try {
      return write(work);
    } catch (error) {
      if (!isFailing || !database.isOpen || !reserve.release()) throw error;
      return inRoom(log, reserve, () => write(work));
    }
  };
  return {
    path,
    id: String(firstValue(database, 'SELECT store FROM state')),
    database,
    notes,
    write,
    free,
    attempt: (work) => attempting(write, work),
    onUndone: (undo) => void undone.push(undo),
    onRecovered: (listener) => probe.onRecovered(listener),
    assertWritable: () => {
      if (isFailing) throw unavailable('the store cannot be written; what it contains can be read');
    },
    read: (work) => guardReading(path, work),
    backup: (target) => copyTo(database, target),
    close: finish,
  };
}

function opened(path: string, busyMs: number, folderEnding: string | undefined) {
  const { version, notes } = examined(path, busyMs, folderEnding);
  const files = [path, `${path}-shm`, `${path}-wal`];
  const open = () => guardReading(path, () => openWithLog(path, version, busyMs));
  return { path, notes, ...leavingNothing(files, open) };
}

/** Removes something in the room that the reserve has given up. The log begins anew, because its file has room, too. */
function inRoom<T>(log: StoreLog, reserve: StoreReserve, remove: () => T): T {
  log.restart();
  const result = remove();
  reserve.fill();
  return result;
}

function assertOpen({ isOpen }: DatabaseSync): void {
  if (!isOpen) throw new OverloadError('server.unready', 'the server is stopping', RETRY_AFTER_S);
}

/** Writes, whatever comes of it. */
function attempting(write: StoreFile['write'], work: () => unknown): void {
  try {
    write(work);
  } catch {
    // `write` has reported it.
  }
}

function examined(path: string, busyMs: number, folderEnding: string | undefined) {
  return leavingNothing([`${path}-shm`], () =>
    guardReading(path, () => {
      const examination = examineStore(path, busyMs);
      if (examination.version === 0 && folderEnding !== undefined) assertNew(path, folderEnding);
      return examination;
    }),
  );
}

function unavailable(detail: string): OverloadError {
  return new OverloadError('storage.unavailable', detail, RETRY_AFTER_S);
}

/**
 * Refuses to create a file beside the files of an earlier one, which it would not know. They are left by a
 * restore in another order, or by a file that was lost.
 */
function assertNew(path: string, folderEnding: string): void {
  const folder = `${path}${folderEnding}`;
  const isOld = existsSync(folder) && readdirSync(folder).length > 0;
  if (!isOld && !existsSync(logEndOf(path))) return;
  const name = basename(path);
  throw new Error(
    `${existsSync(path) ? 'it is empty' : 'there is no such file'}, and ${isOld ? folder : logEndOf(path)} belongs to ` +
      `an earlier ${name}; put that file back first (a backup is in ${name}.backup), or move ` +
      `${basename(isOld ? folder : logEndOf(path))} away to begin anew`,
  );
}

/**
 * The file that a name refers to, with links resolved, because SQLite keeps its log beside the file. An
 * existing path that is no ordinary file (a pipe would block) is refused, as are names that SQLite reads
 * as URIs.
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

/**
 * After a failure, removes those of the files that the work created and that have no data: the index of a log, and
 * what a full disk left empty. They stay if they may be those of another server.
 */
function leavingNothing<T>(files: readonly string[], work: () => T): T {
  const absent = files.filter((file) => !existsSync(file));
  try {
    return work();
  } catch (error) {
    if (String(error).includes(IN_USE)) throw error;
    for (const file of absent) {
      const { size } = statSync(file, { throwIfNoEntry: false }) ?? { size: 0 };
      if (size === 0 || file.endsWith('-shm')) rmSync(file, { force: true });
    }
    throw error;
  }
}

/** Opens for writing a file that was examined, or a new one. */
function openWithLog(
  path: string,
  version: number,
  busyMs: number,
): { readonly database: DatabaseSync; readonly log: StoreLog } {
  // It contains secrets of forgeries. SQLite gives the files beside it the same permissions.
  closeSync(openSync(path, 'a', 0o600));
  const database = openDatabase(path, { timeout: busyMs, defensive: true });
  try {
    // Two servers would acknowledge contradicting writes.
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    for (const [name, value] of SETTINGS) database.exec(`PRAGMA ${name} = ${value}`);
    database.exec('BEGIN IMMEDIATE; COMMIT');
    for (const [name, value] of SETTINGS) assertSetting(database, name, value);
    for (const statement of migration(version)) database.exec(statement);
    const log = new StoreLog(database, path);
    // The log of a killed server.
    log.truncate();
    // From here on, store-examination.ts recognizes a copy of the file without its log.
    inTransaction(database, log, () => database.exec('UPDATE state SET closed = 0'));
    log.truncate();
    return { database, log };
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
  // StoreLog does it.
  ['wal_autocheckpoint', 0],
] as const;

function assertSetting(database: DatabaseSync, name: string, value: string | number): void {
  const actual = firstValue(database, `PRAGMA ${name}`);
  if (actual !== value) throw new Error(`its ${name} is ${actual} here, it must be ${value}`);
}

/**
 * Returns a check that the path still leads to the same file and log. Without it, writes would continue
 * into files that were deleted, and would be lost with the process.
 */
function identityOf(path: string): () => void {
  const paths = [path, `${path}-wal`];
  const identity = () =>
    paths.map((each) => {
      const { dev, ino } = statSync(each, { bigint: true });
      return `${dev}:${ino}`;
    });
  const before = identity().join();
  return () => {
    if (identity().join() === before) return;
    throw Object.assign(new Error(`${path} is another file now`), { code: 'ENOENT' });
  };
}

/** Carries out one transaction, which waits for the disk once. */
function inTransaction<T>(database: DatabaseSync, log: StoreLog, work: () => T): T {
  // An earlier rollback may have failed for lack of room or memory.
  if (database.isTransaction) database.exec('ROLLBACK');
  database.exec('BEGIN IMMEDIATE');
  try {
    log.begin();
    const result = work();
    database.exec('COMMIT');
    log.committed();
    return result;
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

function rollBack(database: DatabaseSync): void {
  try {
    // After some errors, such as a full disk, SQLite has already rolled back.
    if (database.isTransaction) database.exec('ROLLBACK');
  } catch {
    // The next transaction repeats it.
  }
}

/** SQLite's primary result codes for faults of the machine, which may pass. Others are bugs. */
const MACHINE_CODES: ReadonlySet<number> = new Set([
  ...[3, 5, 6, 7, 8], // PERM, BUSY, LOCKED, NOMEM, READONLY
  ...[10, 11, 13, 14, 15], // IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL
]);

function isOfTheMachine(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) return MACHINE_CODES.has(Number(error.errcode) & 0xff);
  // Errors of the file system have a code such as ENOENT. LabErrors have codes of their own.
  return 'code' in error && /^E(?!RR_)/.test(String(error.code));
}

function close(database: DatabaseSync, log: StoreLog, path: string): void {
  try {
    inTransaction(database, log, () => database.exec('UPDATE state SET closed = 1'));
    log.truncate();
  } catch {
    // On a full disk the log stays beside the file and is read at the next start.
  }
  database.close();
  const isLogLeft = existsSync(`${path}-wal`);
  log.close(isLogLeft);
  // The examination may have created it; without a log it has no use.
  if (!isLogLeft) rmSync(`${path}-shm`, { force: true });
}

const IN_USE = '; is another server using it?';

/** Reports an error while reading as a fault of the file. */
function guardReading<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (isFullDisk(error, freeBytesAt(path))) throw fullDisk(path);
    const why = error instanceof Error ? error.message : String(error);
    const remedy = /locked|busy/.test(why) ? IN_USE : '';
    throw new LabError('file.unreadable', `--data ${path} cannot be used: ${why}${remedy}`);
  }
}

/**
 * Whether the cause is a full disk, or a quota. SQLite reports files beside the data file that cannot be made or
 * grow as other errors, so that these count on a disk with almost no bytes free.
 */
export function isFullDisk(error: unknown, freeBytes: number): boolean {
  if (!(error instanceof Error)) return false;
  if ('errcode' in error) {
    const code = Number(error.errcode) & 0xff;
    const isPossible = code === SQLITE_IOERR || code === SQLITE_CANTOPEN;
    return code === SQLITE_FULL || (isPossible && freeBytes < ALMOST_NONE_BYTES);
  }
  return 'code' in error && ['ENOSPC', 'EDQUOT'].includes(String(error.code));
}

const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
/** The index of a log has 32 KiB. */
const ALMOST_NONE_BYTES = 64 * 1024;

function freeBytesAt(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

function fullDisk(path: string): LabError {
  return new LabError(
    'file.unwritable',
    `--data ${path} cannot be used: the disk is full (${freeBytesAt(path)} bytes of it are free); make room ` +
      'and start again; nothing was lost',
  );
}

/** The columns of a row. */
export type Row = Readonly<Record<string, unknown>>;

/** Digest of the parts of a row. It reveals a changed bit before the row is used. */
export function digestOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const [index, part] of parts.entries()) {
    if (index > 0) hash.update(SEPARATOR);
    hash.update(part);
  }
  return hash.digest('hex');
}

const SEPARATOR = new Uint8Array(1);

/** The refusal of a file with a damaged row. The row is not set aside, because it may be one that matters. */
export function damagedRow(path: string, what: string, table: string, row: Row): Error {
  // SQLite's own shell leaves the rows that belong to a removed one.
  const all = table === 'elections' ? 'PRAGMA foreign_keys = ON; ' : '';
  return new Error(
    `${what} is damaged; put ${basename(path)}.backup in place of the file, or begin without the row: ` +
      `sqlite3 ${path} '${all}DELETE FROM ${table} WHERE rowid = ${Number(row.row)}'`,
  );
}

/** Writes everything that was committed to `target`, which is complete without a log. Throws LabError. */
async function copyTo(database: DatabaseSync, target: string): Promise<void> {
  const part = `${target}.part`;
  rmSync(part, { force: true });
  try {
    closeSync(openSync(part, 'wx', 0o600));
    await copyPages(database, part);
    const copy = openDatabase(part);
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
 * Copies all pages in one step, because a write between two steps would start the copy again. A write of
 * this connection during the step makes it fail; it is then repeated.
 */
async function copyPages(database: DatabaseSync, target: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await sqlite().backup(database, target, { rate: 0x7fffffff });
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

/** Time until the first try, and the longest time between two, in ms. */
const FIRST_MS = 250;
const LONGEST_MS = 10_000;
/** After this time without a failure, the intervals begin again. */
const CALM_MS = 60_000;

/** Owns a timer, which does not keep the process alive. */
class StoreProbe {
  readonly #succeeds: () => boolean;
  #timer: NodeJS.Timeout | null = null;
  #delayMs = FIRST_MS;
  #failedMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;
  readonly #listeners: (() => void)[] = [];

  /** `succeeds` tries a write. */
  constructor(succeeds: () => boolean) {
    this.#succeeds = succeeds;
  }

  /** After a write failed. */
  start(): void {
    const nowMs = performance.now();
    if (nowMs - this.#failedMs > CALM_MS) this.#delayMs = FIRST_MS;
    this.#failedMs = nowMs;
    if (this.#timer !== null || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#succeeds()) this.start();
      else for (const listener of this.#listeners) listener();
    }, this.#delayMs).unref();
    this.#delayMs = Math.min(LONGEST_MS, 2 * this.#delayMs);
  }

  /** Calls the function whenever a try succeeds. */
  onRecovered(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Ends the tries. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer ?? undefined);
  }
}
