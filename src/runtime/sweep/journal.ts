/**
 * @module
 * The journal of a sweep: every chunk that came back is appended at once, so that a killed process
 * loses only what was under way. Opened again, a torn end is cut off and a damaged line passed over;
 * its rows are computed anew. In memory is only where the lines are. Before a file gets its name the
 * journal has its digest, so that the sweep's files are told from those of others.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { LabError } from '../../errors.ts';
import { Coverage } from '../../experiment/sweep/dispatch.ts';
import { unpackRecords } from '../../experiment/sweep/packing.ts';
import type { Chunk, PackedReport, RunRecord } from '../../experiment/sweep/sweep.ts';
import { codeOf, unwritable } from '../files/file-faults.ts';
import { FileSink } from '../files/file-sink.ts';
import { linesOf } from '../files/line-reader.ts';
import type { ChunkEntry, FileDigest, JournalHeader } from './journal-lines.ts';
import { chunkLine, filesLine, headerLine, readLine } from './journal-lines.ts';
import type { PackedChunk, Window } from './window.ts';
import { WINDOW_ROWS, windowRecords } from './window.ts';

/** Where a chunk's line is. */
interface Place {
  readonly chunk: Chunk;
  readonly failed: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * What the journal at a path is of; null where there is none. Only read: another sweep may be writing
 * it. Throws LabError as `SweepJournal.open`.
 */
export function journalHeader(path: string): JournalHeader | null {
  if (!existsSync(path)) return null;
  const file = openJournal(path, 'r');
  try {
    const [first] = linesOf(file, fstatSync(file).size);
    const entry = first === undefined ? null : readLine(first.line);
    if (entry?.type !== 'header') throw noJournal(path);
    return entry.header;
  } finally {
    closeSync(file);
  }
}

function openJournal(path: string, mode: 'r' | 'r+'): number {
  // A pipe would be waited for.
  if (!statSync(path).isFile()) throw noJournal(path);
  try {
    return openSync(path, mode);
  } catch (error) {
    throw new LabError('file.unreadable', `${path} could not be opened: ${codeOf(error)}`);
  }
}

function noJournal(path: string): LabError {
  return new LabError(
    'file.exists',
    `${path} is no journal of a sweep and was left unchanged; --force replaces it`,
  );
}

/** Owns the file until `close`. */
export class SweepJournal {
  readonly path: string;
  readonly header: JournalHeader;
  readonly coverage = new Coverage();
  readonly #file: number;
  readonly #places = new Map<number, Place[]>();
  /** Rows that were computed again, the last of each, by cell and repetition. */
  readonly #retried = new Map<number, Map<number, RunRecord>>();
  /** Digests of the sweep's files, by name. */
  readonly #owned = new Map<string, Set<string>>();
  #end = 0;
  #failed = 0;

  private constructor(path: string, header: JournalHeader, file: number) {
    this.path = path;
    this.header = header;
    this.#file = file;
  }

  /** Rows that are there without an outcome. */
  get failed(): number {
    return this.#failed;
  }

  /** Begins an empty journal in place of whatever is there; `files` may be replaced by the sweep. */
  static create(
    path: string,
    header: JournalHeader,
    files: readonly FileDigest[] = [],
  ): SweepJournal {
    const sink = new FileSink(path);
    sink.writeText(headerLine(header));
    if (files.length > 0) sink.writeText(filesLine(files));
    sink.finish();
    sink.publish();
    return SweepJournal.open(path);
  }

  /** Opens a journal; throws LabError `file.exists` for a file that is none. */
  static open(path: string): SweepJournal {
    const file = openJournal(path, 'r+');
    try {
      const size = fstatSync(file).size;
      let journal: SweepJournal | null = null;
      let whole = 0;
      for (const { line, offset, bytes } of linesOf(file, size)) {
        const entry = readLine(line);
        if (journal === null) {
          if (entry?.type !== 'header') break;
          journal = new SweepJournal(path, entry.header, file);
        } else if (entry?.type === 'chunk') {
          journal.#remember(entry, offset, bytes);
        } else if (entry?.type === 'files') {
          journal.#own(entry.files);
        }
        whole = offset + bytes;
      }
      if (journal === null) throw noJournal(path);
      // What has no line end was being written when its process died.
      if (whole < size) ftruncateSync(file, whole);
      journal.#end = whole;
      return journal;
    } catch (error) {
      closeSync(file);
      throw error;
    }
  }

  /** Appends a chunk; false, and nothing is written, if its rows are there already. */
  append(report: PackedReport, isRetry: boolean): boolean {
    const { chunk, failed, packed, wallSeconds } = report;
    const entry: ChunkEntry = { type: 'chunk', chunk, isRetry, failed, wallSeconds, packed };
    const offset = this.#end;
    const line = Buffer.from(chunkLine(entry), 'utf8');
    if (!this.#remember(entry, offset, line.length)) return false;
    this.#write(line);
    return true;
  }

  /** Notes files as the sweep's own, before they get their names; it outlasts the machine. */
  own(files: readonly FileDigest[]): void {
    const fresh = files.filter((file) => !this.owns(file));
    if (fresh.length === 0) return;
    this.#write(Buffer.from(filesLine(fresh), 'utf8'));
    this.sync();
    this.#own(fresh);
  }

  /** Whether a file of this name and these bytes was ever the sweep's. */
  owns({ name, sha256 }: FileDigest): boolean {
    return this.#owned.get(name)?.has(sha256) === true;
  }

  /** Rows that are there but failed, as chunks. */
  failures(): readonly Chunk[] {
    const failed: Chunk[] = [];
    for (const cell of [...this.#places.keys()].sort((left, right) => left - right)) {
      const hasFailures =
        this.#retried.has(cell) || this.#placesOf(cell).some((place) => place.failed > 0);
      if (!hasFailures) continue;
      for (const { repetition, won } of this.records(cell)) {
        if (won === null) failed.push({ cell, from: repetition, count: 1 });
      }
    }
    return failed;
  }

  /** The records of a cell that are there, in the order of their repetitions. */
  *records(cell: number): Generator<RunRecord, void> {
    for (const window of this.windows(cell)) yield* windowRecords(window);
  }

  /** The same by windows, which begin at the same repetitions however the rows were computed. */
  *windows(cell: number): Generator<Window, void> {
    const places = this.#placesOf(cell);
    const retried = [...(this.#retried.get(cell)?.values() ?? [])];
    const end = this.coverage.endOf(cell);
    let first = 0;
    for (let from = 0; from < end; from += WINDOW_ROWS) {
      const to = from + WINDOW_ROWS;
      const parts: PackedChunk[] = [];
      for (let at = first; at < places.length; at += 1) {
        const place = places[at];
        if (place === undefined || place.chunk.from >= to) break;
        parts.push({ chunk: place.chunk, packed: this.#read(place) });
        if (place.chunk.from + place.chunk.count <= to) first = at + 1;
      }
      const again = retried.filter(({ repetition }) => repetition >= from && repetition < to);
      yield { cell, from, to, parts, retried: again };
    }
  }

  /** Makes what was appended outlast the machine. */
  sync(): void {
    try {
      fsyncSync(this.#file);
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }

  close(): void {
    closeSync(this.#file);
  }

  #own(files: readonly FileDigest[]): void {
    for (const { name, sha256 } of files) {
      this.#owned.set(name, (this.#owned.get(name) ?? new Set()).add(sha256));
    }
  }

  #remember(entry: ChunkEntry, offset: number, bytes: number): boolean {
    const { chunk, failed, isRetry, packed } = entry;
    if (isRetry) {
      const records = this.#retried.get(chunk.cell) ?? new Map<number, RunRecord>();
      for (const record of unpackRecords(packed, chunk)) records.set(record.repetition, record);
      this.#retried.set(chunk.cell, records);
      this.#failed += failed - chunk.count;
      return true;
    }
    if (!this.coverage.add(chunk)) return false;
    this.#failed += failed;
    const places = this.#places.get(chunk.cell) ?? [];
    places.push({ chunk, failed, offset, bytes });
    this.#places.set(chunk.cell, places);
    return true;
  }

  #placesOf(cell: number): readonly Place[] {
    const places = this.#places.get(cell) ?? [];
    return places.toSorted((left, right) => left.chunk.from - right.chunk.from);
  }

  #read({ offset, bytes }: Place): string {
    const buffer = Buffer.allocUnsafe(bytes);
    let read = 0;
    while (read < bytes) {
      const got = readSync(this.#file, buffer, read, bytes - read, offset + read);
      if (got === 0) throw new LabError('file.unreadable', `${this.path} has become shorter`);
      read += got;
    }
    const entry = readLine(buffer.toString('utf8').trimEnd());
    if (entry?.type !== 'chunk') {
      throw new LabError('file.unreadable', `${this.path} has been changed while it was in use`);
    }
    return entry.packed;
  }

  #write(line: Uint8Array): void {
    try {
      let written = 0;
      while (written < line.length) {
        const left = line.length - written;
        written += writeSync(this.#file, line, written, left, this.#end + written);
      }
      this.#end += line.length;
    } catch (error) {
      throw unwritable(this.path, error);
    }
  }
}
