/**
 * @module
 * From a finished journal to files. Tables and pictures are written under temporary names, get their
 * names together, and are then listed in the manifest.
 */

import {
  closeSync,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import manifest from '../../../package.json' with { type: 'json' };
import { LabError } from '../../errors.ts';
import { pictureCell } from '../../experiment/charts/cells.ts';
import type { PictureCell, PictureInput } from '../../experiment/charts/data.ts';
import { PICTURE_KINDS } from '../../experiment/charts/data.ts';
import { drawSweep, picturePage } from '../../experiment/charts/draw-sweep.ts';
import { sweepPicture } from '../../experiment/charts/sweep-picture.ts';
import type { SearchRates } from '../../experiment/document/threat-model.ts';
import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import type { Column } from '../../experiment/sweep/columns.ts';
import { cellColumns, runColumns } from '../../experiment/sweep/columns.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import { FileSink } from '../files/file-sink.ts';
import type { SweepCounts, SweepFiles, SweepManifest } from './files.ts';
import { fileDigest, isFile, readManifest, writeManifest } from './files.ts';
import type { SweepJob, ThreadedOptions } from './job.ts';
import type { FileDigest, SweepJournal } from './journal.ts';
import type { TableWriter } from './table-writers.ts';
import { openTable } from './table-writers.ts';
import type { FinishedCell } from './tables.ts';
import { writeTables } from './tables.ts';

/** A sweep with rows in its journal. */
export interface SweepOutput {
  readonly job: SweepJob;
  readonly options: ThreadedOptions;
  readonly files: SweepFiles;
  readonly identity: string;
  readonly frame: SweepFrame;
  readonly cells: readonly SweepCell[];
  readonly journal: SweepJournal;
  /** Rates of the machine. Null if the document needs none. */
  readonly rateMeasured: SearchRates;
}

interface Published {
  readonly failed: number;
  readonly pictures: readonly string[];
}

type Counted = Omit<SweepCounts, 'failed'>;

/** Calls `onCell` with every cell. For a sweep without files, finished or not. */
export async function reportCells(output: SweepOutput): Promise<Published> {
  // The rows of an interrupted sweep are reported too.
  const signal = new AbortController().signal;
  const onCell = (finished: FinishedCell) => output.options.onCell?.(finished);
  const written = await writeTables({ ...tablesOf(output, onCell), runs: null, signal });
  return { failed: written?.failed ?? 0, pictures: [] };
}

/** Writes tables, pictures and manifest. If it is interrupted, returns null and changes no file. */
export async function publishSweep(
  output: SweepOutput,
  counted: Counted,
): Promise<Published | null> {
  const { options, files, frame, job } = output;
  const runs = openTable(files.runs, files.format, runColumns(frame.axes));
  const aside: (TableWriter | PictureFile)[] = [runs];
  try {
    const cellTable = openTable(files.cells, files.format, cellColumns(frame.axes));
    aside.push(cellTable);
    const drawing = options.pictures ? new CellsToDraw(output) : null;
    const mined = new MinedRate();
    const onCell = (finished: FinishedCell) => {
      mined.add(finished);
      for (const { row } of finished.results) cellTable.write(row);
      drawing?.add(finished);
      options.onCell?.(finished);
    };
    const written = await writeTables({ ...tablesOf(output, onCell), runs });
    if (written === null) return null;
    const tables = [runs, cellTable].map(({ path, columns, finish }) => {
      return { name: basename(path), sha256: finish(), columns };
    });
    const pictures =
      drawing === null ? [] : drawAside(files, drawing.input(job.command), output.identity);
    aside.push(...pictures);
    const { identity, journal } = output;
    const rate = output.rateMeasured?.find(({ device }) => !device)?.perSecond ?? mined.perSecond();
    const isOwn = ownership(files, { identity, journal });
    journal.own(tables);
    for (const file of aside) file.publish();
    removeStale(files, pictures, (path) => isDrawn(path, identity) || isOwn(path));
    const counts = { ...counted, failed: written.failed };
    writeManifest(
      files.manifest,
      manifestOf(output, counts, { files: [...tables, ...pictures.map(entryOf)], rate }),
    );
    return { failed: written.failed, pictures: pictures.map(({ path }) => path) };
  } finally {
    for (const file of aside) file.discard();
  }
}

/** Draws the pictures of existing tables. Null if it was interrupted. */
export async function redrawPictures(
  output: SweepOutput,
  done: SweepManifest,
): Promise<readonly string[] | null> {
  const { files, identity } = output;
  const drawing = new CellsToDraw(output);
  const onCell = (finished: FinishedCell) => drawing.add(finished);
  const read = await writeTables({ ...tablesOf(output, onCell), runs: null });
  if (read === null) return null;
  const pictures = drawAside(files, drawing.input(done.command), identity);
  try {
    for (const picture of pictures) picture.publish();
  } finally {
    for (const picture of pictures) picture.discard();
  }
  const tables = done.files.filter(({ columns }) => columns !== undefined);
  writeManifest(files.manifest, { ...done, files: [...tables, ...pictures.map(entryOf)] });
  return pictures.map(({ path }) => path);
}

function tablesOf(
  { frame, cells, journal, options }: SweepOutput,
  onCell: (finished: FinishedCell) => void,
) {
  const { threads, threadedRowsMin, signal } = options;
  const onProgress = (rows: number) =>
    options.onProgress?.({ phase: 'writing', rows, rowsTotal: journal.coverage.rows });
  return { frame, cells, journal, threads, threadedRowsMin, signal, onCell, onProgress };
}

/** Maximum number of single runs in the pictures, over all cells. */
const DETECTIONS_MAX = 20_000;

/** Collects cells for the pictures while they are written. */
class CellsToDraw {
  readonly #output: SweepOutput;
  readonly #columns: readonly Column[];
  readonly #measured: PictureCell[] = [];

  constructor(output: SweepOutput) {
    this.#output = output;
    this.#columns = cellColumns(output.frame.axes);
  }

  add({ cell, results }: FinishedCell): void {
    const max = Math.floor(DETECTIONS_MAX / this.#output.cells.length / results.length);
    for (const { row, sum } of results) {
      const detections = sum.detections.slice(0, max);
      this.#measured.push(pictureCell(cell, { columns: this.#columns, row }, detections));
    }
  }

  input(replay: string) {
    const { job, files, cells, rateMeasured } = this.#output;
    return sweepPicture({
      document: job.model,
      outline: job.outline,
      cells,
      measured: this.#measured,
      seedRule: job.spec.seedRule,
      rateMeasured,
      comparison: job.comparison,
      dataFile: basename(files.cells),
      replay,
    });
  }
}

function entryOf({ path, sha256 }: PictureFile): SweepManifest['files'][number] {
  return { name: basename(path), sha256 };
}

/** Adds up what adversaries mined. */
class MinedRate {
  #attempts = 0;
  #seconds = 0;

  add({ results }: FinishedCell): void {
    for (const { sum } of results) {
      this.#attempts += sum.sums.get('attempts')?.sum ?? 0;
      this.#seconds += sum.sums.get('wallS')?.sum ?? 0;
    }
  }

  /** Candidates per second of a thread. Null if nothing was mined. */
  perSecond(): number | null {
    return this.#seconds > 0 ? this.#attempts / this.#seconds : null;
  }
}

function manifestOf(
  { job, identity }: SweepOutput,
  counts: SweepCounts,
  { files, rate }: { readonly files: SweepManifest['files']; readonly rate: number | null },
): SweepManifest {
  const { seed, seedRule, codeVersion } = job.spec;
  return {
    format: 'usurp-sweep/1',
    threatModel: job.model.id,
    command: job.command,
    identity,
    versions: { usurp: manifest.version, code: codeVersion, node: process.version },
    machine: {
      platform: process.platform,
      arch: process.arch,
      cpu: cpus()[0]?.model ?? 'unknown',
      cores: availableParallelism(),
      candidatesPerSecond: rate,
    },
    seeds: { base: seed, rule: seedRule },
    counts,
    isComplete: true,
    files,
  };
}

/**
 * Throws LabError `arguments` if a path is a directory, a device or a broken link. Which files a sweep may replace.
 * A sweep owns a file if its journal or its manifest has the file's digest. Other files, and files that were
 * changed, are replaced only with `--force`. All files are checked before a row is computed.
 */
export function refuseIrregular(files: SweepFiles, pictures: boolean): void {
  for (const path of [files.journal, ...outputsOf(files, pictures)]) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined || isFile(path)) continue;
    const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const kind = isFolder ? 'a directory' : 'no regular file';
    throw new LabError('arguments', `${path} is ${kind}; choose another --out`);
  }
}

interface Owner {
  readonly identity: string;
  readonly journal: SweepJournal;
}

/** Throws LabError `file.exists` for a table, a manifest or a picture that the sweep does not own. */
export function refuseForeign(files: SweepFiles, owner: Owner, pictures: boolean): void {
  const isOwn = ownership(files, owner);
  const isManifest = readManifest(files.manifest)?.identity === owner.identity;
  for (const path of outputsOf(files, false)) {
    const isKnown = path === files.manifest && isManifest;
    if (isFile(path) && !isKnown && !isOwn(path)) throw foreign(path, '');
  }
  if (!pictures) return;
  for (const path of picturesBeside(files)) {
    const isOwnPicture = isDrawn(path, owner.identity) || isOwn(path);
    if (!isOwnPicture) throw foreign(path, ', --no-pictures draws none');
  }
}

/** A function that says whether the sweep owns a file with its present content. */
export function ownership(
  files: SweepFiles,
  { identity, journal }: Owner,
): (path: string) => boolean {
  const manifest = readManifest(files.manifest);
  const listed = manifest?.identity === identity ? manifest.files : [];
  return (path) => {
    const { name, sha256 } = digestOf(path);
    const isListed = listed.some((file) => file.name === name && file.sha256 === sha256);
    return isListed || journal.owns({ name, sha256 });
  };
}

/** The files that `--force` allows the sweep to replace. */
export function replaceable(files: SweepFiles, pictures: boolean): readonly FileDigest[] {
  const drawn = picturesBeside(files).filter((path) => isFile(path) && (pictures || isDrawn(path)));
  return [...outputsOf(files, false).filter(isFile), ...drawn].map(digestOf);
}

function outputsOf(files: SweepFiles, pictures: boolean): readonly string[] {
  const { runs, cells, manifest } = files;
  return [runs, cells, manifest, ...(pictures ? picturesBeside(files) : [])];
}

function digestOf(path: string): FileDigest {
  return { name: basename(path), sha256: fileDigest(path) };
}

function foreign(path: string, remedy: string): LabError {
  return new LabError(
    'file.exists',
    `${path} does not belong to this sweep, or was changed since, and was left unchanged; ` +
      `--force replaces it${remedy}`,
  );
}

/**
 * A complete temporary file. `publish` gives it its name. The pictures of a sweep as files beside its tables: one
 * SVG for each and one page with all. Each file ends with a remark that names the sweep, so that the sweep
 * recognises its own pictures.
 */
interface PictureFile {
  readonly path: string;
  readonly sha256: string;
  publish(): void;
  discard(): void;
}

/** Draws the pictures to temporary files. Throws LabError `file.unwritable`. */
function drawAside(
  files: SweepFiles,
  input: PictureInput,
  identity: string,
): readonly PictureFile[] {
  const pictures = drawSweep(input);
  const texts = [
    ...pictures.map(({ name, svg }) => ({ path: `${files.stem}.${name}.svg`, text: svg })),
    { path: files.page, text: picturePage(pictures, input) },
  ];
  const drawn: PictureFile[] = [];
  try {
    for (const { path, text } of texts) {
      const sink = new FileSink(path);
      sink.writeText(text);
      sink.writeText(remark(identity));
      const sha256 = sink.finish();
      const publish = () => {
        // An equal file is left alone.
        if (existsSync(path) && fileDigest(path) === sha256) sink.discard();
        else sink.publish();
      };
      drawn.push({ path, sha256, publish, discard: () => sink.discard() });
    }
    return drawn;
  } catch (error) {
    for (const picture of drawn) picture.discard();
    throw error;
  }
}

/** Removes this sweep's pictures of earlier tables. */
function removeStale(
  files: SweepFiles,
  drawn: readonly PictureFile[],
  isOwn: (path: string) => boolean,
): void {
  const kept = new Set(drawn.map(({ path }) => path));
  for (const path of picturesBeside(files)) {
    if (!kept.has(path) && isDrawn(path) && isOwn(path)) rmSync(path, { force: true });
  }
}

/** Whether a file is a picture that a sweep drew, this one if its identity is given. */
function isDrawn(path: string, identity?: string): boolean {
  return isFile(path) && endsWith(path, identity === undefined ? REMARK : remark(identity));
}

const REMARK = /<!-- usurp-sweep\/1 [0-9a-f]{64} -->\n$/;
const REMARK_BYTES = remark('0'.repeat(64)).length;

function remark(identity: string): string {
  return `<!-- usurp-sweep/1 ${identity} -->\n`;
}

/** All files with names of the sweep's pictures. */
function picturesBeside({ stem, page }: SweepFiles): readonly string[] {
  const folder = dirname(page);
  const before = `${basename(stem)}.`;
  const names = readdirSync(folder)
    .sort()
    .filter((name) => {
      if (name === basename(page)) return true;
      return name.startsWith(before) && PICTURE_NAME.test(name.slice(before.length));
    });
  return names.map((name) => join(folder, name));
}

const PICTURE_NAME = new RegExp(`^(${PICTURE_KINDS.join('|')})(-[0-9]+)?\\.svg$`);

function endsWith(path: string, end: string | RegExp): boolean {
  const file = openSync(path, 'r');
  try {
    const from = Math.max(0, fstatSync(file).size - REMARK_BYTES);
    const block = Buffer.alloc(REMARK_BYTES);
    const text = block.subarray(0, readSync(file, block, 0, REMARK_BYTES, from)).toString('latin1');
    return typeof end === 'string' ? text === end : end.test(text);
  } finally {
    closeSync(file);
  }
}
