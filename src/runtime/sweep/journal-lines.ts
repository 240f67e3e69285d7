/**
 * @module
 * The lines of a sweep's journal: what it is a journal of, then one line for each chunk that came
 * back and for files that are to be the sweep's, each under its own digest. A line that was cut off or
 * changed is not one.
 */

import { hash } from 'node:crypto';
import type { Chunk } from '../../experiment/sweep/sweep.ts';
import type { Seed } from '../../random.ts';

/** What the first line says. */
export interface JournalHeader {
  /** Digest of document, axes, base seed, seed rule and code version. */
  readonly identity: string;
  /** Candidates per second of the machine that began, where the document asks for them. */
  readonly rateMeasured: number | null;
  /** The base seed. */
  readonly seed: Seed;
  readonly codeVersion: string;
}

export interface ChunkEntry {
  readonly type: 'chunk';
  readonly chunk: Chunk;
  /** Whether these rows had failed and were computed again; they replace those before. */
  readonly isRetry: boolean;
  /** Records with a failure among them. */
  readonly failed: number;
  readonly wallSeconds: number;
  /** As `packRecords` makes it. */
  readonly packed: string;
}

/** A file by its name without its folder and the hex of SHA-256 over its bytes. */
export interface FileDigest {
  readonly name: string;
  readonly sha256: string;
}

export type JournalEntry =
  | { readonly type: 'header'; readonly header: JournalHeader }
  | { readonly type: 'files'; readonly files: readonly FileDigest[] }
  | ChunkEntry;

const FORMAT = 'usurp-sweep-journal/1';
const FILES = 'files ';
const DIGEST_CHARACTERS = 16;

export function headerLine(header: JournalHeader): string {
  return sealed(`${FORMAT} ${JSON.stringify(header)}`);
}

export function filesLine(files: readonly FileDigest[]): string {
  const entries = files.map(({ name, sha256 }) => ({ name, sha256 }));
  return sealed(`${FILES}${JSON.stringify(entries)}`);
}

export function chunkLine(entry: Omit<ChunkEntry, 'type'>): string {
  const { cell, from, count } = entry.chunk;
  const kind = entry.isRetry ? 'retry' : 'chunk';
  const figures = [cell, from, count, entry.failed, entry.wallSeconds.toFixed(6)];
  return sealed(`${kind} ${figures.join(' ')} ${entry.packed}`);
}

/** Reads a line without its end; null if it is not whole. */
export function readLine(line: string): JournalEntry | null {
  const body = line.slice(DIGEST_CHARACTERS + 1);
  if (line.length <= DIGEST_CHARACTERS || !line.startsWith(`${digestOf(body)} `)) return null;
  if (body.startsWith(`${FORMAT} `)) {
    // Under its digest, it is what headerLine wrote.
    const header = JSON.parse(body.slice(FORMAT.length + 1)) as JournalHeader;
    return { type: 'header', header };
  }
  if (body.startsWith(FILES)) {
    // Under its digest, it is what filesLine wrote.
    const files = JSON.parse(body.slice(FILES.length)) as FileDigest[];
    return { type: 'files', files };
  }
  const [, kind, cell, from, count, failed, wall, packed] = CHUNK.exec(body) ?? [];
  if (packed === undefined) return null;
  return {
    type: 'chunk',
    chunk: { cell: Number(cell), from: Number(from), count: Number(count) },
    isRetry: kind === 'retry',
    failed: Number(failed),
    wallSeconds: Number(wall),
    packed,
  };
}

const CHUNK = /^(chunk|retry) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9]+) ([0-9.]+) (.+)$/;

function sealed(body: string): string {
  return `${digestOf(body)} ${body}\n`;
}

function digestOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, DIGEST_CHARACTERS);
}
