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

/**
 * Examines the write-ahead log of a killed server before SQLite reads it. SQLite regards the first frame with a
 * wrong checksum as the end of the log and silently drops what follows. A kill can only leave such a frame at the
 * very end. Format: sqlite.org/fileformat2.html, section 4.
 */
const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** The last bit of the magic number says that checksums use big-endian words. */
const MAGIC_BIG_ENDIAN = 0x377f0683;

interface LogVerdict {
  /**
   * torn: the last frame is incomplete, by `missing` bytes. damaged: the frame at `bytes` is damaged, and the
   * frames behind it would be lost.
   */
  readonly type: 'whole' | 'torn' | 'damaged';
  /** Length of the intact frames. */
  readonly bytes: number;
  /** Length of the complete transactions. */
  readonly committed: number;
  readonly missing: number;
}

/** Judges the bytes of a `-wal` file. */
export function judgeLog(log: Uint8Array): LogVerdict {
  if (log.length < HEADER_BYTES) {
    const missing = log.length === 0 ? 0 : HEADER_BYTES - log.length;
    return { type: missing === 0 ? 'whole' : 'torn', bytes: 0, committed: 0, missing };
  }
  const words = new DataView(log.buffer, log.byteOffset, log.byteLength);
  const magic = words.getUint32(0);
  const isBigEndian = magic === MAGIC_BIG_ENDIAN;
  const pageBytes = words.getUint32(8);
  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const sum = new RunningSum(words, isBigEndian);
  sum.add(0, HEADER_BYTES - 8);
  const isOurs = isBigEndian || magic === MAGIC;
  const isPageSize = pageBytes >= 512 && pageBytes <= 65_536 && (pageBytes & (pageBytes - 1)) === 0;
  if (!isOurs || !isPageSize || !sum.isAt(HEADER_BYTES - 8)) {
    return { type: 'damaged', bytes: 0, committed: 0, missing: 0 };
  }
  const saltsOf = (offset: number) =>
    [0, 4].filter((at) => words.getUint32(offset + 8 + at) === words.getUint32(16 + at)).length;
  let offset = HEADER_BYTES;
  let committed = 0;
  for (; offset + frameBytes <= log.length; offset += frameBytes) {
    sum.add(offset, 8);
    sum.add(offset + FRAME_HEADER_BYTES, pageBytes);
    if (saltsOf(offset) < 2 || !sum.isAt(offset + 16)) break;
    if (words.getUint32(offset + 4) !== 0) committed = offset + frameBytes;
  }
  const end = offset;
  // Frames from before the last reset of the log have two other salts and no meaning.
  for (offset += frameBytes; offset + FRAME_HEADER_BYTES <= log.length; offset += frameBytes) {
    if (saltsOf(offset) === 2) return { type: 'damaged', bytes: end, committed, missing: 0 };
  }
  const isTorn = end < log.length && (end + FRAME_HEADER_BYTES > log.length || saltsOf(end) > 0);
  const missing = isTorn ? Math.max(0, end + frameBytes - log.length) : 0;
  return { type: isTorn ? 'torn' : 'whole', bytes: end, committed, missing };
}

/** The checksum of the added bytes. */
class RunningSum {
  readonly #words: DataView;
  readonly #isBigEndian: boolean;
  #first = 0;
  #second = 0;

  constructor(words: DataView, isBigEndian: boolean) {
    this.#words = words;
    this.#isBigEndian = isBigEndian;
  }

  add(offset: number, bytes: number): void {
    let first = this.#first;
    let second = this.#second;
    for (let at = offset; at < offset + bytes; at += 8) {
      first = (first + this.#words.getUint32(at, !this.#isBigEndian) + second) | 0;
      second = (second + this.#words.getUint32(at + 4, !this.#isBigEndian) + first) | 0;
    }
    this.#first = first;
    this.#second = second;
  }

  /** Whether the log has this sum at an offset. Sums are big-endian in every log. */
  isAt(offset: number): boolean {
    return (
      this.#words.getUint32(offset) === this.#first >>> 0 &&
      this.#words.getUint32(offset + 4) === this.#second >>> 0
    );
  }
}

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
