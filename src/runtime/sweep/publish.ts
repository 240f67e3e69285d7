/**
 * @module
 * From a finished journal to files. Tables and pictures are written under temporary names, get their
 * names together, and are then listed in the manifest.
 */

import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';
import process from 'node:process';
import manifest from '../../../package.json' with { type: 'json' };
import { pictureCell } from '../../experiment/charts/cells.ts';
import type { PictureCell } from '../../experiment/charts/data.ts';
import { sweepPicture } from '../../experiment/charts/sweep-picture.ts';
import type { SweepFrame } from '../../experiment/sweep/cells.ts';
import type { Column } from '../../experiment/sweep/columns.ts';
import { cellColumns, runColumns } from '../../experiment/sweep/columns.ts';
import type { SweepCell } from '../../experiment/sweep/sweep.ts';
import type { SweepCounts, SweepFiles, SweepManifest } from './files.ts';
import { writeManifest } from './files.ts';
import type { SweepJob, ThreadedOptions } from './job.ts';
import type { SweepJournal } from './journal.ts';
import { ownership } from './ownership.ts';
import type { PictureFile } from './picture-files.ts';
import { drawAside, isDrawn, removeStale } from './picture-files.ts';
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
  /** Candidates per second of the machine. Null if the document does not need them. */
  readonly rateMeasured: number | null;
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
    const rate = output.rateMeasured ?? mined.perSecond();
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
      ...{ document: job.model, outline: job.outline, cells, measured: this.#measured },
      ...{ seedRule: job.spec.seedRule, rateMeasured, comparison: job.comparison },
      ...{ dataFile: basename(files.cells), replay },
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
