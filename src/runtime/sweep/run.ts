/**
 * @module
 * A sweep from plan to tables: rows that a journal already holds are taken from it, the others are
 * handed to an engine, and when all are there tables and pictures are made of them.
 * Without files the journal lies in a folder of the system for the time being.
 */

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { LabError } from '../../errors.ts';
import { adversariesOf } from '../../experiment/document/threat-model.ts';
import { needsMeasuredRate } from '../../experiment/runs/budget.ts';
import { plannedCells, someAllowed, sweepIdentity } from '../../experiment/sweep/plan.ts';
import type { SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { removeAbandoned } from '../files/file-sink.ts';
import { inScratchFolder } from '../files/scratch-folder.ts';
import { LocalDriver } from './driver.ts';
import type { SweepFiles, SweepManifest } from './files.ts';
import { finishedManifest, finishedPictures, sweepFiles } from './files.ts';
import type { SweepJob, SweepOptions, SweepResult } from './job.ts';
import { journalHeader, SweepJournal } from './journal.ts';
import type { JournalHeader } from './journal-lines.ts';
import { isRunning, takeLock } from './lock.ts';
import { givenUp, refuseForeign, refuseIrregular } from './ownership.ts';
import type { SweepOutput } from './publish.ts';
import { publishSweep, redrawPictures, tellCells } from './publish.ts';

/** Runs a sweep; throws LabError for arguments, files of others and full disks. */
export async function runSweep(job: SweepJob, options: SweepOptions): Promise<SweepResult> {
  if (options.files !== null) return runLocked(job, options, options.files);
  const unkept = { ...options, pictures: false };
  return inScratchFolder('usurp-sweep-', (folder) =>
    runLocked(job, unkept, sweepFiles(join(folder, 'sweep.csv'), 'csv')),
  );
}

/** Where a sweep stands before it goes on. */
interface Begun {
  readonly files: SweepFiles;
  readonly identity: string;
  readonly before: SweepJournal | null;
  /** What tells of tables that are there already, and want their pictures only. */
  readonly done: SweepManifest | null;
}

async function runLocked(
  job: SweepJob,
  options: SweepOptions,
  files: SweepFiles,
): Promise<SweepResult> {
  const release = takeLock(files.lock, options);
  try {
    const identity = sweepIdentity(job.model, job.outline, job.spec);
    const { force, pictures, retryFailed, onCell } = options;
    refuseIrregular(files, pictures);
    const found = finishedManifest(files, { identity, runs: job.outline.runs });
    const isRetried = retryFailed && (found?.counts.failed ?? 0) > 0;
    const done = isRetried || force || onCell !== undefined ? null : found;
    const drawn = done === null || !pictures ? [] : finishedPictures(files, done);
    if (done !== null && drawn !== null) return resultOf(done, drawn);
    const before = force ? null : openBefore(files, identity, job.spec.codeVersion);
    return await runJournalled(job, options, { files, identity, before, done });
  } finally {
    release();
  }
}

function resultOf({ counts }: SweepManifest, pictures: readonly string[]): SweepResult {
  return { isComplete: true, rows: counts.rows, reused: counts.rows, counts, pictures };
}

/** The journal of the same sweep, or null where there is none. */
function openBefore(files: SweepFiles, identity: string, codeVersion: string): SweepJournal | null {
  const header = journalHeader(files.journal);
  if (header === null) {
    if (!existsSync(files.runs)) return null;
    throw new LabError(
      'file.exists',
      `${files.runs} exists without a journal of this sweep and was left unchanged; --force replaces it`,
    );
  }
  if (header.identity === identity) return SweepJournal.open(files.journal);
  const begun = header.codeVersion;
  const difference =
    begun === codeVersion
      ? 'its document, settings, axes or seeds differ'
      : `it was computed by code ${begun}, this is ${codeVersion}`;
  throw new LabError(
    'file.exists',
    `${files.journal} belongs to another sweep (${difference}) and was left unchanged; --force replaces it`,
  );
}

async function runJournalled(
  job: SweepJob,
  options: SweepOptions,
  { files, identity, before, done }: Begun,
): Promise<SweepResult> {
  let opened = before;
  try {
    const { force, pictures } = options;
    if (!force) refuseForeign(files, { identity, journal: before }, pictures);
    removeAbandoned(files.stem, isRunning);
    const planned = await plan(job, before?.header ?? null, options);
    if (planned === null) return nothingDone(job, before?.coverage.rows ?? 0);
    const { cells, rateMeasured } = planned;
    refuseFewerRuns(before, cells, job.outline.runs);
    const { seed, codeVersion } = job.spec;
    const journal =
      before ??
      SweepJournal.create(
        files.journal,
        { identity, rateMeasured, seed, codeVersion },
        force ? givenUp(files, pictures) : [],
      );
    opened = journal;
    const spec = { ...job.spec, runs: job.outline.runs };
    const frame = { program: job.program, id: job.id, axes: job.outline.axes, spec };
    const output = { job, options, files, identity, frame, cells, journal };
    if (done === null) return await computed(output);
    const drawn = await redrawPictures(output, done);
    return drawn === null ? nothingDone(job, done.counts.rows) : resultOf(done, drawn);
  } finally {
    opened?.close();
    // Nothing is kept of a sweep that could not begin.
    if (before === null && opened?.coverage.rows === 0) rmSync(files.journal, { force: true });
  }
}

/** Computes what is not there and publishes what then is. */
async function computed(output: SweepOutput): Promise<SweepResult> {
  const { options, frame, cells, journal } = output;
  const reused = journal.coverage.rows;
  const isComputed = await computeRows({ ...frame.spec, cells }, journal, options);
  const { rows } = journal.coverage;
  const refused = cells.filter((cell) => cell.refusal !== null).length;
  const counted = { cells: cells.length, refused, runs: frame.spec.runs, rows };
  const isKept = options.files !== null;
  if (!isComputed && isKept) {
    return { isComplete: false, rows, reused, counts: { ...counted, failed: 0 }, pictures: [] };
  }
  const published = isKept ? await publishSweep(output, counted) : await tellCells(output);
  const isComplete = isComputed && published !== null;
  const { failed, pictures } = published ?? { failed: 0, pictures: [] };
  return { isComplete, rows, reused, counts: { ...counted, failed }, pictures };
}

/** An interrupt came before the first row. */
function nothingDone({ outline }: SweepJob, rows: number): SweepResult {
  const counts = { cells: outline.cells, refused: 0, runs: outline.runs, rows, failed: 0 };
  return { isComplete: false, rows, reused: rows, counts, pictures: [] };
}

interface Planned {
  readonly cells: readonly SweepCell[];
  readonly rateMeasured: number | null;
}

/**
 * The cells, with this machine's rate where it is asked for: the one a journal began with, if any. Null
 * if it was interrupted.
 */
async function plan(
  job: SweepJob,
  header: JournalHeader | null,
  options: SweepOptions,
): Promise<Planned | null> {
  const known = header?.rateMeasured ?? null;
  const cells = await cellsOf(job, known, options);
  const asking = cells?.find(({ model }) => model !== null && needsMeasuredRate(model))?.model;
  const [first] = asking === undefined || asking === null ? [] : adversariesOf(asking);
  if (cells === null) return null;
  if (asking === undefined || asking === null || first === undefined) {
    return { cells, rateMeasured: known };
  }
  const { scheme } = asking.network.identity;
  const { strategy } = first[1];
  const { signal } = options;
  // Loaded only where there is something to measure: it makes ready for that.
  const { measureRate } = await import('../threads/calibration.ts');
  const rate = await measureRate({ scheme, strategy, threads: 1, signal });
  if (signal.aborted) return null;
  const rateMeasured = Math.round(rate);
  const fixed = await cellsOf(job, rateMeasured, options);
  return fixed === null ? null : { cells: fixed, rateMeasured };
}

const CELLS_BETWEEN_BREATHS = 256;

async function cellsOf(
  { model, outline, spec }: SweepJob,
  rateMeasured: number | null,
  { signal, onProgress }: SweepOptions,
): Promise<readonly SweepCell[] | null> {
  const cells: SweepCell[] = [];
  for (const cell of plannedCells(model, outline, { seed: spec.seed, rateMeasured })) {
    cells.push(cell);
    if (cells.length % CELLS_BETWEEN_BREATHS !== 0) continue;
    onProgress?.({ phase: 'planning', cells: cells.length, cellsTotal: outline.cells });
    await setImmediate();
    if (signal.aborted) return null;
  }
  return someAllowed(cells);
}

function refuseFewerRuns(
  journal: SweepJournal | null,
  cells: readonly SweepCell[],
  runs: number,
): void {
  const most = cells.reduce(
    (max, { index }) => Math.max(max, journal?.coverage.endOf(index) ?? 0),
    0,
  );
  if (journal === null || most <= runs) return;
  throw new LabError(
    'file.exists',
    `${journal.path} has ${most} runs of a cell already; ask for as many with --runs, ` +
      'or choose another --out',
  );
}

async function computeRows(
  spec: SweepSpec,
  journal: SweepJournal,
  options: SweepOptions,
): Promise<boolean> {
  const retries = options.retryFailed ? journal.failures() : [];
  const driver = new LocalDriver({ spec, journal, retries, signal: options.signal });
  if (driver.isDone()) return true;
  const engine = await options.createEngine();
  driver.onProgress = (progress) => options.onProgress?.({ ...progress, engine: engine.status() });
  try {
    await engine.execute(spec, driver);
  } finally {
    await engine.close();
  }
  journal.sync();
  return driver.isDone();
}
