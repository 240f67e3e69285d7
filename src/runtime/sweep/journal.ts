/**
 * @module
 * The journal of a sweep. Every chunk of rows is committed when it arrives, so a killed process loses
 * only the chunks that were being computed. Each chunk has a digest; a chunk that was changed is
 * removed and computed again. Memory holds only which rows exist. The journal records the digest of
 * each file before the file gets its name, so that the sweep recognises its own files.
 */

import { hash } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { searchRateSchema } from '../../experiment/document/threat-model.ts';
import { Coverage } from '../../experiment/sweep/dispatch.ts';
import { packRecords, unpackRecords } from '../../experiment/sweep/packing.ts';
import type { Chunk, PackedReport, RunRecord } from '../../experiment/sweep/sweep.ts';
import { parseSeed } from '../../random.ts';
import { codeOf, unwritable } from '../files/file-sink.ts';
import { openDatabase } from '../files/sqlite.ts';
import type { Window } from './window.ts';
import { WINDOW_ROWS } from './window.ts';

const HEADER = z.object({
  /** Digest of document, axes, base seed, seed rule and code version. */
  identity: z.string(),
  /** Rates of the machine that began. Null if the document needs none. */
  rateMeasured: z.array(searchRateSchema).readonly().nullable(),
  /** The base seed. */
  seed: z.string().transform(parseSeed),
  codeVersion: z.string(),
});
export type JournalHeader = z.infer<typeof HEADER>;

interface ChunkRow {
  readonly cell: number;
  readonly first: number;
  readonly count: number;
  readonly failed: number;
  readonly digest: string;
  readonly packed: string;
}

/** A file's name without its folder, and the hex of SHA-256 over its bytes. */
export interface FileDigest {
  readonly name: string;
  readonly sha256: string;
}

type PackedRows = Pick<PackedReport, 'chunk' | 'packed' | 'failed'>;

/** The header of the journal at a path. Null if there is none. Throws LabError as `SweepJournal.open`. */
export function journalHeader(path: string): JournalHeader | null {
  if (!existsSync(path)) return null;
  const journal = SweepJournal.open(path, { force: false });
  try {
    return journal.header;
  } finally {
    journal.close();
  }
}

const INSERT = 'INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?)';

/** Owns the file until `close`. */
export class SweepJournal {
  readonly path: string;
  #database: DatabaseSync;
  #insert: StatementSync;
  #header: JournalHeader | null;
  #coverage = new Coverage();
  #failed = 0;
  /** Rows of the largest chunk. */
  #largest = 0;
  /** Whether `close` removes the file if it has no rows. */
  #isNew: boolean;

  private constructor(path: string, database: DatabaseSync) {
    this.path = path;
    this.#database = database;
    this.#insert = database.prepare(INSERT);
    const row = database.prepare('SELECT header FROM sweep').get();
    this.#header = row === undefined ? null : HEADER.parse(JSON.parse(String(row.header)));
    this.#isNew = this.#header === null;
  }

  /**
   * Opens a journal for this process alone, and creates it if there is none. Throws LabError
   * `file.exists` if another process has it open, or if the file is no journal and `force` is false.
   */
  static open(path: string, { force }: { readonly force: boolean }): SweepJournal {
    const database = openJournalFile(path, { force });
    return guarded(path, () => new SweepJournal(path, database));
  }

  /** Null until `begin`. */
  get header(): JournalHeader | null {
    return this.#header;
  }

  /** The rows that exist. */
  get coverage(): Coverage {
    return this.#coverage;
  }

  /** Rows that exist without an outcome. */
  get failed(): number {
    return this.#failed;
  }

  /** Begins a new sweep in place of an earlier one. The sweep may replace the files. */
  begin(header: JournalHeader, files: readonly FileDigest[] = []): void {
    if (this.#header !== null) {
      this.#database.close();
      removeJournalFile(this.path);
      this.#database = openJournalFile(this.path, { force: false });
      this.#insert = this.#database.prepare(INSERT);
    }
    this.#transaction(() => {
      this.#database.prepare('INSERT INTO sweep VALUES (?)').run(JSON.stringify(header));
      this.#insertFiles(files);
    });
    this.#header = header;
    this.#isNew = true;
    this.#forget();
  }

  /** Reads which rows exist. Removes chunks that do not match their digest. */
  load(): void {
    this.#forget();
    const damaged: Chunk[] = [];
    for (const row of this.#rows('SELECT * FROM chunks ORDER BY cell, first')) {
      const chunk = chunkOf(row);
      if (row.digest === digestOf({ ...row, chunk })) this.#remember(chunk, row.failed);
      else damaged.push(chunk);
    }
    for (const chunk of damaged) this.#delete(chunk);
  }

  /** Commits a chunk. Returns false and commits nothing if one of its rows exists already. */
  append(report: PackedRows): boolean {
    if (!this.#remember(report.chunk, report.failed)) return false;
    this.#write(report);
    return true;
  }

  /** Removes the rows without an outcome, so that they are computed again. */
  removeFailed(): void {
    if (this.#failed === 0) return;
    const ids = this.#database.prepare('SELECT rowid FROM chunks WHERE failed > 0').all();
    this.#transaction(() => {
      for (const { rowid } of ids) {
        for (const row of this.#rows('SELECT * FROM chunks WHERE rowid = ?', [Number(rowid)])) {
          const chunk = chunkOf(row);
          this.#delete(chunk);
          for (const part of successesOf(chunk, row.packed)) this.#write(part);
        }
      }
    });
    this.load();
  }

  /** The rows of a cell by windows, which begin at the same repetitions however the rows were computed. */
  *windows(cell: number): Generator<Window, void> {
    const end = this.#coverage.endOf(cell);
    for (let from = 0; from < end; from += WINDOW_ROWS) {
      const to = from + WINDOW_ROWS;
      // No earlier chunk reaches into the window.
      const earliest = from - this.#largest;
      const rows = this.#rows(
        'SELECT * FROM chunks WHERE cell = ? AND first > ? AND first < ? ORDER BY first',
        [cell, earliest, to],
      );
      const parts = [...rows]
        .map((row) => ({ chunk: chunkOf(row), packed: row.packed }))
        .filter(({ chunk }) => chunk.from + chunk.count > from);
      yield { cell, from, to, parts };
    }
  }

  /** Records files as the sweep's own, before they get their names. The record survives a power cut. */
  own(files: readonly FileDigest[]): void {
    this.#transaction(() => this.#insertFiles(files));
    this.sync();
  }

  /** Whether a file with this name and these bytes was ever the sweep's. */
  owns({ name, sha256 }: FileDigest): boolean {
    const query = 'SELECT 1 FROM files WHERE name = ? AND sha256 = ?';
    return this.#database.prepare(query).get(name, sha256) !== undefined;
  }

  /** Writes everything that was committed to the disk. */
  sync(): void {
    guarded(this.path, () => this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)'));
  }

  /** Frees the file. A journal without rows that this process created is removed. */
  close(): void {
    this.#database.close();
    if (this.#isNew && this.#coverage.rows === 0) removeJournalFile(this.path);
  }

  #transaction(work: () => void): void {
    guarded(this.path, () => {
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#database.exec('COMMIT');
      } catch (error) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        throw error;
      }
    });
  }

  *#rows(query: string, values: readonly number[] = []): Generator<ChunkRow, void> {
    const rows = this.#database.prepare(query).iterate(...values);
    for (;;) {
      const { done, value } = guarded(this.path, () => rows.next());
      if (done === true) return;
      // The table is STRICT: SQLite has checked the types of its columns.
      yield value as unknown as ChunkRow;
    }
  }

  #write(rows: PackedRows): void {
    const { chunk, failed, packed } = rows;
    const { cell, from, count } = chunk;
    const digest = digestOf(rows);
    guarded(this.path, () => this.#insert.run(cell, from, count, failed, digest, packed));
  }

  #insertFiles(files: readonly FileDigest[]): void {
    const insert = this.#database.prepare('INSERT OR IGNORE INTO files VALUES (?, ?)');
    for (const { name, sha256 } of files) insert.run(name, sha256);
  }

  #delete({ cell, from }: Chunk): void {
    const query = 'DELETE FROM chunks WHERE cell = ? AND first = ?';
    guarded(this.path, () => this.#database.prepare(query).run(cell, from));
  }

  #forget(): void {
    this.#coverage = new Coverage();
    this.#failed = 0;
    this.#largest = 0;
  }

  #remember(chunk: Chunk, failed: number): boolean {
    if (!this.#coverage.add(chunk)) return false;
    this.#failed += failed;
    this.#largest = Math.max(this.#largest, chunk.count);
    return true;
  }
}

function chunkOf({ cell, first, count }: ChunkRow): Chunk {
  return { cell, from: first, count };
}

function digestOf({ chunk, failed, packed }: PackedRows): string {
  const { cell, from, count } = chunk;
  return hash('sha256', `${cell} ${from} ${count} ${failed} ${packed}`, 'hex');
}

/** The rows of a chunk that have an outcome, as chunks of neighbours. */
function successesOf(chunk: Chunk, packed: string): PackedRows[] {
  const parts: RunRecord[][] = [[]];
  for (const record of unpackRecords(packed, chunk)) {
    if (record.outcomes === null) parts.push([]);
    else parts.at(-1)?.push(record);
  }
  return parts.flatMap((records) => {
    const [first] = records;
    if (first === undefined) return [];
    const kept = { cell: chunk.cell, from: first.repetition, count: records.length };
    return [{ chunk: kept, packed: packRecords(records), failed: 0 }];
  });
}

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
 * Opens the journal at a path for this process alone, and creates it if there is none. Throws LabError `file.exists`
 * if another process has it open, or if the file is no journal. `force` replaces such a file. The file of a sweep's
 * journal: an SQLite database that its process opens exclusively. SQLite's lock admits one sweep at a time and
 * disappears with its process. SQLite's write-ahead log keeps every committed chunk of a killed process. A file that
 * is not such a database is never changed.
 */
function openJournalFile(path: string, { force }: { readonly force: boolean }): DatabaseSync {
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
    const database = openDatabase(path);
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
function removeJournalFile(path: string): void {
  for (const ending of ['', '-wal', '-shm']) rmSync(`${path}${ending}`, { force: true });
}

/** Calls SQLite, and translates its errors. */
function guarded<T>(path: string, work: () => T): T {
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
