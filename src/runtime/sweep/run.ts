/**
 * @module
 * This folder runs a sweep from its plan to its tables. Rows that the journal contains are reused, an
 * engine computes the others, and tables and pictures are made when all rows exist. Without files, the
 * journal lies in a temporary folder.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { max } from 'd3-array';
import { LabError } from '../../errors.ts';
import type { SearchRates } from '../../experiment/document/threat-model.ts';
import type { Settled } from '../../experiment/response/settle.ts';
import { measuredAdversaries } from '../../experiment/runs/budget.ts';
import type { OpenCell } from '../../experiment/sweep/plan.ts';
import { plannedCells, someAllowed, sweepIdentity } from '../../experiment/sweep/plan.ts';
import type {
  Chunk,
  SweepCell,
  SweepDriver,
  SweepEngine,
  SweepSpec,
} from '../../experiment/sweep/sweep.ts';
import { removeAbandoned } from '../files/file-sink.ts';
import { inScratchFolder } from '../files/scratch-folder.ts';
import { LocalDriver } from './driver.ts';
import type { SweepFiles, SweepManifest } from './files.ts';
import { finishedManifest, finishedPictures, sweepFiles } from './files.ts';
import type { SweepJob, SweepOptions, SweepResult, ThreadedOptions } from './job.ts';
import { frameOf } from './job.ts';
import type { JournalHeader } from './journal.ts';
import { SweepJournal } from './journal.ts';
import type { SweepOutput } from './publish.ts';
import {
  publishSweep,
  redrawPictures,
  refuseForeign,
  refuseIrregular,
  replaceable,
  reportCells,
} from './publish.ts';
import type { SweepPlan } from './threads.ts';
import { SweepThreads } from './threads.ts';
import type { ChunkOrder, ChunkReports } from './worker.ts';

/** Runs a sweep. Throws LabError for wrong arguments, foreign files and full disks. */
export async function runSweep(job: SweepJob, options: SweepOptions): Promise<SweepResult> {
  const work = { frame: frameOf(job) };
  const threads = new SweepThreads({ threads: options.threads, work });
  try {
    if (options.files !== null) return await runInto(job, { ...options, threads }, options.files);
    const unkept = { ...options, threads, pictures: false };
    return await inScratchFolder('usurp-sweep-', (folder) =>
      runInto(job, unkept, sweepFiles(join(folder, 'sweep.csv'), 'csv')),
    );
  } finally {
    await threads.close();
  }
}

async function runInto(
  job: SweepJob,
  options: ThreadedOptions,
  files: SweepFiles,
): Promise<SweepResult> {
  const { force, pictures, retryFailed, onCell } = options;
  refuseIrregular(files, pictures);
  // Open from here to the end, so that no other process sweeps into these files.
  const journal = SweepJournal.open(files.journal, { force });
  try {
    const identity = sweepIdentity(job.model, job.outline, job.spec);
    const found = finishedManifest(files, { identity, runs: job.outline.runs });
    const isRetried = retryFailed && (found?.counts.failed ?? 0) > 0;
    const finished = isRetried || force ? null : found;
    const drawn = finished === null || !pictures ? [] : finishedPictures(files, finished);
    if (finished !== null && drawn !== null) {
      if (onCell !== undefined && journal.header?.identity === identity) {
        await reportFinished(job, options, { files, identity, journal });
      }
      return resultOf(finished, drawn);
    }
    const isContinued = !force && isOfSweep(journal, files, identity, job.spec.codeVersion);
    if (isContinued) journal.load();
    return await runJournalled(job, options, { files, identity, journal, isContinued, finished });
  } finally {
    journal.close();
  }
}

/** Reports the cells of tables that are finished. */
async function reportFinished(
  job: SweepJob,
  options: ThreadedOptions,
  { files, identity, journal }: Pick<Opened, 'files' | 'identity' | 'journal'>,
): Promise<void> {
  const planned = await plan(job, journal.header, options);
  if (planned === null) return;
  journal.load();
  await reportCells({ job, options, files, identity, journal, ...planned, frame: frameOf(job) });
}

function resultOf({ counts }: SweepManifest, pictures: readonly string[]): SweepResult {
  return { isComplete: true, rows: counts.rows, reused: counts.rows, counts, pictures };
}

/** Whether the journal is that of this sweep. False if it is new. Throws for that of another sweep. */
function isOfSweep(
  { header }: SweepJournal,
  files: SweepFiles,
  identity: string,
  codeVersion: string,
): boolean {
  if (header?.identity === identity) return true;
  if (header === null && !existsSync(files.runs)) return false;
  const unchanged = 'was left unchanged; --force replaces it';
  if (header === null) {
    const detail = `${files.runs} exists without a journal of this sweep and ${unchanged}`;
    throw new LabError('file.exists', detail);
  }
  const difference =
    header.codeVersion === codeVersion
      ? 'its document, settings, axes or seeds differ'
      : `it was computed by code ${header.codeVersion}, this is ${codeVersion}`;
  const detail = `${files.journal} belongs to another sweep (${difference}) and ${unchanged}`;
  throw new LabError('file.exists', detail);
}

interface Opened {
  readonly files: SweepFiles;
  readonly identity: string;
  readonly journal: SweepJournal;
  /** Whether the journal contains rows of this sweep. */
  readonly isContinued: boolean;
  /** The manifest of finished tables that lack only their pictures. */
  readonly finished: SweepManifest | null;
}

async function runJournalled(
  job: SweepJob,
  options: ThreadedOptions,
  { files, identity, journal, isContinued, finished }: Opened,
): Promise<SweepResult> {
  const { force, pictures } = options;
  if (!force) refuseForeign(files, { identity, journal }, pictures);
  removeAbandoned(files.stem);
  // They load while the cells are planned.
  if (options.createEngine === undefined) options.threads.start();
  const planned = await plan(job, isContinued ? journal.header : null, options);
  if (planned === null) return nothingDone(job, journal.coverage.rows);
  const { cells, rateMeasured } = planned;
  if (rateMeasured !== null) options.onRated?.(rateMeasured);
  refuseFewerRuns(journal, cells, job.outline.runs);
  if (!isContinued) {
    const { seed, codeVersion } = job.spec;
    const replaced = force ? replaceable(files, pictures) : [];
    journal.begin({ identity, rateMeasured, seed, codeVersion }, replaced);
  }
  const frame = frameOf(job);
  const output = { job, options, files, identity, frame, cells, journal, rateMeasured };
  // A retry that was interrupted has removed rows.
  const isWhole = journal.coverage.rows === finished?.counts.rows;
  if (finished === null || !isWhole) return computed(output);
  const drawn = await redrawPictures(output, finished);
  if (drawn !== null && options.onCell !== undefined) await reportCells(output);
  return drawn === null ? nothingDone(job, finished.counts.rows) : resultOf(finished, drawn);
}

/** Computes the missing rows, and publishes the tables when all rows exist. */
async function computed(output: SweepOutput): Promise<SweepResult> {
  const { options, frame, cells, journal } = output;
  if (options.retryFailed) journal.removeFailed();
  const reused = journal.coverage.rows;
  const isComputed = await computeRows({ ...frame.spec, cells }, journal, options);
  const { rows } = journal.coverage;
  const refused = cells.filter((cell) => cell.refusal !== null).length;
  const counted = { cells: cells.length, refused, runs: frame.spec.runs, rows };
  const isKept = options.files !== null;
  if (!isComputed && isKept) {
    return { isComplete: false, rows, reused, counts: { ...counted, failed: 0 }, pictures: [] };
  }
  const published = isKept ? await publishSweep(output, counted) : await reportCells(output);
  const isComplete = isComputed && published !== null;
  const { failed, pictures } = published ?? { failed: 0, pictures: [] };
  return { isComplete, rows, reused, counts: { ...counted, failed }, pictures };
}

/** The result of a sweep that was interrupted before it computed a row. */
function nothingDone({ outline }: SweepJob, rows: number): SweepResult {
  const counts = { cells: outline.cells, refused: 0, runs: outline.runs, rows, failed: 0 };
  return { isComplete: false, rows, reused: rows, counts, pictures: [] };
}

interface Planned {
  readonly cells: readonly SweepCell[];
  readonly rateMeasured: SearchRates;
}

/**
 * The cells. If the document needs rates of the machine, they are measured, or taken from the journal.
 * Null if this was interrupted.
 */
async function plan(
  job: SweepJob,
  header: JournalHeader | null,
  options: ThreadedOptions,
): Promise<Planned | null> {
  const known = header?.rateMeasured ?? null;
  const cells = await cellsOf(job, known, options);
  if (cells === null) return null;
  const asking = cells.flatMap(({ model }) => {
    return model !== null && measuredAdversaries(model).length > 0 ? [model] : [];
  });
  if (asking.length === 0) return { cells, rateMeasured: known };
  // Loaded only if needed, because loading prepares the measurement.
  const { measureRates } = await import('../threads/calibration.ts');
  const rateMeasured = await measureRates(asking, options.signal);
  if (options.signal.aborted) return null;
  const fixed = await cellsOf(job, rateMeasured, options);
  return fixed === null ? null : { cells: fixed, rateMeasured };
}

function refuseFewerRuns(
  { path, coverage }: SweepJournal,
  cells: readonly SweepCell[],
  runs: number,
): void {
  const most = max(cells, ({ index }) => coverage.endOf(index)) ?? 0;
  if (most <= runs) return;
  throw new LabError(
    'file.exists',
    `${path} has ${most} runs of a cell already; use --runs ${most} or more, or choose another --out`,
  );
}

async function computeRows(
  spec: SweepSpec,
  journal: SweepJournal,
  options: ThreadedOptions,
): Promise<boolean> {
  options.onPlanned?.(spec);
  const driver = new LocalDriver({ spec, journal, signal: options.signal });
  if (driver.isDone()) return true;
  const engine = (await options.createEngine?.()) ?? createThreadEngine(options.threads);
  driver.onProgress = (progress) => options.onProgress?.({ ...progress, engine: engine.status() });
  try {
    await engine.execute(spec, driver);
  } finally {
    await engine.close();
  }
  journal.sync();
  return driver.isDone();
}

const CELLS_PER_TURN = 256;

/**
 * The cells in the order of the grid. Null if it was interrupted. Plans the cells of a sweep without blocking its
 * thread: responses that must be searched are searched on the threads of the sweep, and other cells are planned in
 * short turns.
 */
export async function cellsOf(
  { model, outline, spec }: Pick<SweepJob, 'model' | 'outline' | 'spec'>,
  rateMeasured: SearchRates,
  { signal, threads, onProgress }: Pick<ThreadedOptions, 'signal' | 'threads' | 'onProgress'>,
): Promise<readonly SweepCell[] | null> {
  const cells: SweepCell[] = [];
  const open: (OpenCell & { readonly at: number })[] = [];
  let planned = 0;
  const report = (done: number) =>
    onProgress?.({ phase: 'planning', cells: done, cellsTotal: outline.cells });
  for (const next of plannedCells(model, outline, { seed: spec.seed, rateMeasured })) {
    if (next.open === null) cells[planned] = next.cell;
    else open.push({ ...next.open, at: planned });
    planned += 1;
    if (planned % CELLS_PER_TURN !== 0) continue;
    report(planned - open.length);
    await setImmediate();
    if (signal.aborted) return null;
  }
  if (open.length === 0) return someAllowed(cells);
  let searched = 0;
  const plan: SweepPlan<Settled> = {
    end: () => open.length,
    order: ({ from }) => ({ type: 'settle', model: openCell(open, from).model, rateMeasured }),
    accept(found, { from }) {
      const { at, complete } = openCell(open, from);
      cells[at] = complete(found);
      searched += 1;
      report(planned - open.length + searched);
    },
  };
  await threads.pull(plan, signal);
  return searched < open.length ? null : someAllowed(cells);
}

function openCell<Cell>(open: readonly Cell[], number: number): Cell {
  const cell = open[number];
  if (cell === undefined) throw new RangeError(`"number" expected a cell, got ${number}`);
  return cell;
}

/**
 * An engine with the threads of the sweep. Sweeps on threads of this process. A thread takes several chunks at a
 * time if rows are cheap. It packs the records itself, because one thread that packs all records would slow down the
 * others.
 */
function createThreadEngine(threads: SweepThreads): SweepEngine {
  const closing = new AbortController();
  return {
    async execute(spec: SweepSpec, driver: SweepDriver): Promise<void> {
      const plan = chunksPlan(driver, spec.cells);
      if (plan.end() === 0) return;
      await threads.pull(plan, AbortSignal.any([driver.signal, closing.signal]));
    },
    status: () => `${threads.count} ${threads.count === 1 ? 'thread' : 'threads'}`,
    close: async () => closing.abort(),
  };
}

const BATCH_SECONDS = 0.1;
const BATCH_CHUNKS_MAX = 256;
const GROWTH_MAX = 4;

/** The numbers of the pool count orders. The driver decides which chunks are in an order. */
function chunksPlan(driver: SweepDriver, cells: readonly SweepCell[]): SweepPlan<ChunkReports> {
  /** The chunks of the next order. */
  let batch: readonly Chunk[] = [];
  let rowsMax = 1;
  const cellOf = ({ cell: index }: Chunk): SweepCell => {
    const cell = cells[index];
    if (cell !== undefined) return cell;
    throw new RangeError(`"chunk.cell" expected below ${cells.length}, got ${index}`);
  };
  return {
    end() {
      if (batch.length === 0) batch = takeBatch(driver, rowsMax);
      return batch.length === 0 ? 0 : Number.POSITIVE_INFINITY;
    },
    isStopped: () => driver.signal.aborted,
    order(): ChunkOrder {
      const chunks = batch;
      batch = [];
      return { type: 'chunks', items: chunks.map((chunk) => ({ chunk, cell: cellOf(chunk) })) };
    },
    accept({ reports }) {
      let rows = 0;
      let seconds = 0;
      for (const report of reports) {
        rows += report.chunk.count;
        seconds += report.wallSeconds;
        driver.accept(report);
      }
      const fitting = Math.floor((rows * BATCH_SECONDS) / Math.max(seconds, 1e-6));
      rowsMax = Math.max(1, Math.min(fitting, GROWTH_MAX * Math.max(rows, rowsMax)));
    },
  };
}

function takeBatch(driver: SweepDriver, rowsMax: number): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let rows = 0;
  while (rows < rowsMax && chunks.length < BATCH_CHUNKS_MAX) {
    const chunk = driver.next();
    if (chunk === null) break;
    chunks.push(chunk);
    rows += chunk.count;
  }
  return chunks;
}
