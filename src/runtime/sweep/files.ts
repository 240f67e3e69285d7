/**
 * @module
 * The files of a sweep beside its `--out`: run table, cell table, pictures, manifest, journal and lock,
 * and what the manifest says. The manifest is written last and names the digest of each file, so that a
 * finished sweep is known as such without reading its rows.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { FileSink } from '../files/file-sink.ts';
import type { TableFormat } from './table-writers.ts';
import { TABLE_FORMATS } from './table-writers.ts';

export interface SweepFiles {
  readonly format: TableFormat;
  readonly runs: string;
  readonly cells: string;
  readonly manifest: string;
  readonly journal: string;
  readonly lock: string;
  /** The page of pictures; each picture is the stem with its name behind it. */
  readonly page: string;
  readonly stem: string;
}

/** The files of a run table's name; the form is that of its ending where none is given, else CSV. */
export function sweepFiles(out: string, asked: TableFormat | undefined): SweepFiles {
  const ending = TABLE_FORMATS.find((format) => out.endsWith(`.${format}`));
  if (asked !== undefined && ending !== undefined && asked !== ending) {
    throw new LabError('arguments', `${out} ends in .${ending}, and --format says ${asked}`);
  }
  const name = ending === undefined ? basename(out) : basename(out, `.${ending}`);
  const stem = join(dirname(out), name === '' ? basename(out) : name);
  const format = asked ?? ending ?? 'csv';
  return {
    format,
    runs: out,
    cells: `${stem}.cells.${format}`,
    manifest: `${stem}.manifest.json`,
    journal: `${stem}.journal`,
    lock: `${stem}.usurp-lock`,
    page: `${stem}.html`,
    stem,
  };
}

const COUNT = z.int().min(0);
const COUNTS = z.object({
  cells: COUNT,
  /** Cells that the document refuses. */
  refused: COUNT,
  runs: COUNT,
  rows: COUNT,
  /** Rows without an outcome. */
  failed: COUNT,
});
export type SweepCounts = z.infer<typeof COUNTS>;

const COLUMN = z.object({
  name: z.string(),
  type: z.enum(['text', 'integer', 'number', 'boolean']),
  /** The entry of the data dictionary. */
  meaning: z.string(),
});

const ENTRY = z.object({
  /** Without its folder: they lie together. */
  name: z.string().refine((name) => name !== '' && name !== '..' && name === basename(name)),
  sha256: z.string(),
  /** Of a table; a picture has none. */
  columns: z.array(COLUMN).readonly().optional(),
});
type FileEntry = z.infer<typeof ENTRY>;

const MANIFEST = z.object({
  format: z.literal('usurp-sweep/1'),
  threatModel: z.string(),
  command: z.string(),
  identity: z.string(),
  versions: z.object({ usurp: z.string(), code: z.string(), node: z.string() }),
  machine: z.object({
    platform: z.string(),
    arch: z.string(),
    /** Its processor by name; how many such cores there are. */
    cpu: z.string(),
    cores: z.number(),
    /** Of one thread with the first adversary's strategy: where rows were mined, or rest on it. */
    candidatesPerSecond: z.number().nullable(),
  }),
  seeds: z.object({ base: z.string(), rule: z.string() }),
  counts: COUNTS,
  /** Every row was there when it was written. */
  isComplete: z.literal(true),
  files: z.array(ENTRY).readonly(),
});
export type SweepManifest = z.infer<typeof MANIFEST>;

export function writeManifest(path: string, manifest: SweepManifest): void {
  const sink = new FileSink(path);
  sink.writeText(`${JSON.stringify(manifest, null, 2)}\n`);
  sink.finish();
  sink.publish();
}

/**
 * The manifest, if it is of this sweep with so many runs and the tables are those it tells of; else
 * null, whatever the reason.
 */
export function finishedManifest(
  files: SweepFiles,
  sweep: { readonly identity: string; readonly runs: number },
): SweepManifest | null {
  const manifest = readManifest(files.manifest);
  if (manifest?.identity !== sweep.identity || manifest.counts.runs !== sweep.runs) return null;
  const tables = [files.runs, files.cells].map((path) => entryOf(manifest, path));
  return tables.every((entry) => entry !== undefined && isThere(files, entry)) ? manifest : null;
}

/** The paths of the pictures that the manifest tells of; null if one is missing or has been changed. */
export function finishedPictures(
  files: SweepFiles,
  manifest: SweepManifest,
): readonly string[] | null {
  const pictures = manifest.files.filter(({ columns }) => columns === undefined);
  const isWhole = pictures.length > 0 && pictures.every((entry) => isThere(files, entry));
  return isWhole ? pictures.map(({ name }) => pathOf(files, name)) : null;
}

function entryOf(manifest: SweepManifest, path: string): FileEntry | undefined {
  return manifest.files.find(({ name }) => name === basename(path));
}

function pathOf({ manifest }: SweepFiles, name: string): string {
  return join(dirname(manifest), basename(name));
}

function isThere(files: SweepFiles, { name, sha256 }: FileEntry): boolean {
  const path = pathOf(files, name);
  return isFile(path) && fileDigest(path) === sha256;
}

/** The manifest at a path; null where there is none, or something else. */
export function readManifest(path: string): SweepManifest | null {
  try {
    return MANIFEST.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** Whether a path leads to a regular file. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** Hex of SHA-256 over a file's bytes. */
export function fileDigest(path: string): string {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(1 << 20);
  const file = openSync(path, 'r');
  try {
    for (let got = readSync(file, block); got > 0; got = readSync(file, block)) {
      hash.update(block.subarray(0, got));
    }
  } finally {
    closeSync(file);
  }
  return hash.digest('hex');
}
