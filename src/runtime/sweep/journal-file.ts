/**
 * @module
 * The file of a sweep's journal: an SQLite database that its process opens exclusively. SQLite's lock
 * admits one sweep at a time and disappears with its process. SQLite's write-ahead log keeps every
 * committed chunk of a killed process. A file that is not such a database is never changed.
 */

import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

import { LabError } from '../../errors.ts';
import { codeOf, unwritable } from '../files/file-sink.ts';

/** "usrp" in ASCII: the application id in the header of the file. */
const APPLICATION_ID = 0x75_73_72_70;

/** Comes first in a new file, so that a killed process leaves no file that looks foreign. */
const NEW = `PRAGMA application_id = ${APPLICATION_ID};`;

const SETTINGS = `
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;`;

const SCHEMA = `
  BEGIN EXCLUSIVE;
  CREATE TABLE IF NOT EXISTS sweep (header TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS chunks (
    cell INTEGER NOT NULL,
    first INTEGER NOT NULL,
    count INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    digest TEXT NOT NULL,
    packed TEXT NOT NULL,
    PRIMARY KEY (cell, first)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS files (
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (name, sha256)
  ) STRICT;
  COMMIT;`;

/** Primary result codes of SQLite. */
const BUSY = 5;
const MALFORMED_DATABASE = 11;
const NO_DATABASE = 26;

/**
 * Opens the journal at a path for this process alone, and creates it if there is none. Throws LabError
 * `file.exists` if another process has it open, or if the file is no journal. `force` replaces such a
 * file.
 */
export function openJournalFile(
  path: string,
  { force }: { readonly force: boolean },
): DatabaseSync {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (entry !== undefined && !entry.isFile()) throw noJournal(path);
  if (entry === undefined || entry.size === 0) return opened(path, NEW);
  if (isJournal(path)) {
    try {
      return opened(path, '');
    } catch (error) {
      if (!force || !(error instanceof LabError) || error.code !== 'file.unreadable') throw error;
    }
  }
  if (!force) throw noJournal(path);
  removeJournalFile(path);
  return opened(path, NEW);
}

function opened(path: string, first: string): DatabaseSync {
  return guarded(path, () => {
    const database = new DatabaseSync(path);
    try {
      database.exec(`${first}${SETTINGS}${SCHEMA}`);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** Removes a journal and its write-ahead log. */
export function removeJournalFile(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
}

/** Calls SQLite, and translates its errors. */
export function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const [code, text] = resultOf(error);
    if (code === BUSY) throw busy(path);
    if (code === MALFORMED_DATABASE || code === NO_DATABASE) throw damaged(path, text);
    throw code === null ? error : unwritable(path, new Error(text));
  }
}

/**
 * Reads the header of the file (https://www.sqlite.org/fileformat.html, section 1.3) without SQLite, which would write
 * beside it, and which refuses the file alone if the rest of it is still in the write-ahead log.
 */
function isJournal(path: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, header, 0, HEADER_BYTES, 0);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw new LabError('file.unreadable', `${path} could not be opened: ${codeOf(error)}`);
  }
  const isDatabase = header.toString('latin1', 0, MAGIC.length) === MAGIC;
  return isDatabase && header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID;
}

const HEADER_BYTES = 100;
const MAGIC = 'SQLite format 3\0';
const APPLICATION_ID_AT = 68;

/** SQLite's primary result code and its text. The code is null for other errors. */
function resultOf(error: unknown): readonly [number | null, string] {
  if (!(error instanceof Error && 'errcode' in error)) return [null, ''];
  return [Number(error.errcode) & 0xff, error.message];
}

function busy(path: string): LabError {
  return new LabError(
    'file.exists',
    `${path}: another process is sweeping into these files; wait for it or choose another --out`,
  );
}

function noJournal(path: string): LabError {
  return new LabError(
    'file.exists',
    `${path} is no journal of a sweep and was left unchanged; --force replaces it`,
  );
}

function damaged(path: string, text: string): LabError {
  return new LabError(
    'file.unreadable',
    `${path} is damaged (${text}); --force begins the sweep anew`,
  );
}
