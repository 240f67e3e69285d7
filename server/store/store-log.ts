/**
 * @module
 * The write-ahead log while it is written. SQLite cannot show that a log belongs to a file, or that its last
 * transactions were cut off. So the first transaction of each log gives it a new mark, when the file contains
 * everything under the previous mark. A small file beside the log (`-wal-end`) says how long the log of a mark
 * is; it is written after each transaction is on disk and before it is acknowledged.
 */

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fdatasyncSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import type { DatabaseSync, StatementSync } from 'node:sqlite';

import { FRAME_HEADER_BYTES, HEADER_BYTES } from './store-wal.ts';

/** The marks of a log and of the one before it. */
export interface LogMarks {
  readonly log: string;
  readonly previous: string;
}

/** What the file beside the log says. */
export interface LogEnd extends LogMarks {
  /** Length of the acknowledged transactions that the database file may lack. */
  readonly bytes: number;
}

/** The path of the file that says where the log of a data file ends. */
export function logEndOf(path: string): string {
  return `${path}-wal-end`;
}

/** Where the log of a data file ends; null if that is not known. */
export function readLogEnd(path: string): LogEnd | null {
  let text: string;
  try {
    text = readFileSync(logEndOf(path), 'utf8');
  } catch {
    return null;
  }
  const [, log, previous, bytes] = FORM.exec(text) ?? [];
  if (log === undefined || previous === undefined) return null;
  return { log, previous: previous === NONE ? '' : previous, bytes: Number(bytes) };
}

/** Stands for the mark before the first. */
const NONE = '-';
const FORM = /^usurp-log-end\/1 ([0-9a-f]{16}) ([0-9a-f]{16}|-) +([0-9]+)\n$/;

/** Always of the same length, so that it is overwritten in place, also on a full disk. */
function written({ log, previous, bytes }: LogEnd): string {
  return `usurp-log-end/1 ${log} ${(previous || NONE).padEnd(16)} ${String(bytes).padStart(20)}\n`;
}

/** The log of an open database. It checkpoints, because SQLite would begin a log without a mark. */
export class StoreLog {
  readonly #database: DatabaseSync;
  readonly #path: string;
  readonly #log: number;
  readonly #end: number;
  readonly #setMarks: StatementSync;
  #marks: LogMarks;
  #next: LogMarks | null = null;
  /** Whether the file contains all of the log, so that the next transaction begins a new one. */
  #isEmpty = false;
  /** Whether a checkpoint is necessary. */
  #isDue = false;
  readonly #header = new Uint8Array(HEADER_BYTES);
  #salts = '';
  #bytes = 0;

  /** The log of a database in WAL mode with the current schema. */
  constructor(database: DatabaseSync, path: string) {
    this.#database = database;
    this.#path = path;
    this.#marks = marksIn(database);
    this.#setMarks = database.prepare('UPDATE state SET log = ?, previous = ?');
    this.#log = openSync(`${path}-wal`, 'r');
    this.#end = openSync(logEndOf(path), 'a', 0o600);
    closeSync(this.#end);
    this.#end = openSync(logEndOf(path), 'r+');
  }

  /** Within each transaction: marks the log if this transaction begins it. */
  begin(): void {
    this.#next = null;
    if (!this.#isEmpty) return;
    this.#next = { log: randomBytes(8).toString('hex'), previous: this.#marks.log };
    this.#setMarks.run(this.#next.log, this.#next.previous);
  }

  /** After each transaction is on disk. Never throws, because the transaction counts. */
  committed(): void {
    if (this.#next !== null) {
      this.#marks = this.#next;
      this.#isEmpty = false;
    }
    try {
      this.#advance();
      this.#note(this.#bytes);
    } catch {
      // Without the note, less is known about a damaged log.
    }
    if (this.#isDue || this.#bytes > CHECKPOINT_BYTES) this.restart();
  }

  /** Copies the log to the database file. Throws if that fails. */
  checkpoint(): void {
    const row = this.#database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
    if (row === undefined || row.busy !== 0 || row.log !== row.checkpointed) return;
    // On disk before a transaction overwrites the log.
    this.#note(0);
    fdatasyncSync(this.#end);
    this.#isEmpty = true;
    this.#isDue = false;
  }

  /** Works like `checkpoint`, but if it fails, the next transaction repeats it. */
  restart(): void {
    this.#isDue = true;
    try {
      this.checkpoint();
    } catch {
      // Repeated later.
    }
  }

  /** Works like `checkpoint`, and empties the log. */
  truncate(): void {
    this.checkpoint();
    this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** After the database was closed. Without a log its end has no use. */
  close(isLogLeft: boolean): void {
    closeSync(this.#log);
    closeSync(this.#end);
    if (!isLogLeft) rmSync(logEndOf(this.#path), { force: true });
  }

  #note(bytes: number): void {
    writeSync(this.#end, written({ ...this.#marks, bytes }), 0);
  }

  /** Finds the end of the transaction that was written last: its last frame says so. */
  #advance(): void {
    if (readSync(this.#log, this.#header, { position: 0 }) < HEADER_BYTES) return;
    const words = new DataView(this.#header.buffer);
    const pageBytes = words.getUint32(8);
    const salts = saltsAt(words, 16);
    if (salts !== this.#salts) {
      this.#salts = salts;
      this.#bytes = HEADER_BYTES;
    }
    for (let at = this.#bytes; ; ) {
      const read = readSync(this.#log, this.#header, { length: FRAME_HEADER_BYTES, position: at });
      if (read < FRAME_HEADER_BYTES || saltsAt(words, 8) !== salts) return;
      const isLast = words.getUint32(4) !== 0;
      at += FRAME_HEADER_BYTES + pageBytes;
      if (isLast) {
        this.#bytes = at;
        return;
      }
    }
  }
}

function saltsAt(words: DataView, offset: number): string {
  return `${words.getUint32(offset)} ${words.getUint32(offset + 4)}`;
}

/** The marks in a database of the current version. */
export function marksIn(database: DatabaseSync): LogMarks {
  const { log, previous } = database.prepare('SELECT log, previous FROM state').get() ?? {};
  return { log: String(log), previous: String(previous) };
}

/** Larger logs take longer to examine after a kill. A checkpoint of one takes some milliseconds. */
const CHECKPOINT_BYTES = 2 ** 20;
