/**
 * @module
 * The files of a sweep beside its `--out`: run table, cell table, pictures, manifest and journal, and
 * the content of the manifest. The manifest is written last and has the digest of each file, so a
 * finished sweep is recognised without reading its rows.
 */

import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { basename, dirname, extname, join, parse } from 'node:path';
import { z } from 'zod';
import { LabError } from '../../errors.ts';
import { FileSink } from '../files/file-sink.ts';

/** The formats of tables. table-writers.ts writes them. */
export const TABLE_FORMATS = ['csv', 'jsonl', 'parquet'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];

export interface SweepFiles {
  readonly format: TableFormat;
  readonly runs: string;
  readonly cells: string;
  readonly manifest: string;
  readonly journal: string;
  /** The page of pictures. The name of each picture begins with the stem. */
  readonly page: string;
  readonly stem: string;
}

/** The files of a run table. The format is the given one, or that of the ending. Throws LabError for another ending. */
export function sweepFiles(out: string, asked: TableFormat | undefined): SweepFiles {
  const ending = TABLE_FORMATS.find((format) => out.endsWith(`.${format}`));
  if (asked !== undefined && ending !== undefined && asked !== ending) {
    throw new LabError('arguments', `${out} ends in .${ending}, and --format says ${asked}`);
  }
  const format = asked ?? ending;
  if (format === undefined || (ending === undefined && extname(out) !== '')) {
    const { dir, name } = parse(out);
    const tables = TABLE_FORMATS.map((format) => `${join(dir, name)}.${format}`);
    const detail = `--out: ${out} is no table: name one, such as ${tables.join(', ')}; the page and the pictures are written beside it`;
    throw new LabError('arguments', detail);
  }
  const name = ending === undefined ? basename(out) : basename(out, `.${ending}`);
  const stem = join(dirname(out), name === '' ? basename(out) : name);
  return {
    format,
    runs: out,
    cells: `${stem}.cells.${format}`,
    manifest: `${stem}.manifest.json`,
    journal: `${stem}.journal`,
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
  /** Description of the column. */
  meaning: z.string(),
});

const ENTRY = z.object({
  /** Without its folder: all files of a sweep are in one folder. */
  name: z.string().refine((name) => name !== '' && name !== '..' && name === basename(name)),
  sha256: z.string(),
  /** Columns of a table. Absent for a picture. */
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
    /** Name of the processor, and number of its cores. */
    cpu: z.string(),
    cores: z.number(),
    /** Candidates that one thread tests: the measured rate if rows need it, else the mean of mined rows. */
    candidatesPerSecond: z.number().nullable(),
  }),
  seeds: z.object({ base: z.string(), rule: z.string() }),
  counts: COUNTS,
  /** The manifest is written when all rows exist. */
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

/** The manifest if it is of this sweep with this number of runs and its tables are unchanged, or null. */
export function finishedManifest(
  files: SweepFiles,
  sweep: { readonly identity: string; readonly runs: number },
): SweepManifest | null {
  const manifest = readManifest(files.manifest);
  if (manifest?.identity !== sweep.identity || manifest.counts.runs !== sweep.runs) return null;
  const tables = [files.runs, files.cells].map((path) => entryOf(manifest, path));
  return tables.every((entry) => entry !== undefined && isThere(files, entry)) ? manifest : null;
}

/** The paths of the pictures in the manifest. Null if one is missing or was changed. */
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

/** The manifest at a path. Null if there is none, or something else. */
export function readManifest(path: string): SweepManifest | null {
  try {
    return MANIFEST.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data ?? null;
  } catch {
    return null;
  }
}

/** Whether the path is a regular file, or a link to one. */
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
