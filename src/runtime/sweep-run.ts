/**
 * @module
 * A sweep from plan to tables: rows that a journal already holds are taken from it, the others are
 * handed to an engine, and when all are there the tables are written aside and given their names.
 * Without files the journal lies in a folder of the system for the time being.
 */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import manifest from '../../package.json' with { type: 'json' };
import { LabError } from '../errors.ts';
import { needsMeasuredRate } from '../experiment/budget.ts';
import type { SweepCell, SweepEngine, SweepSpec } from '../experiment/sweep.ts';
import type { SweepFrame } from '../experiment/sweep-cells.ts';
import type { Column } from '../experiment/sweep-columns.ts';
import { cellColumns, runColumns } from '../experiment/sweep-columns.ts';
import type { SweepOutline } from '../experiment/sweep-plan.ts';
import { plannedCells, someAllowed, sweepIdentity } from '../experiment/sweep-plan.ts';
import type { ThreatModel } from '../experiment/threat-model.ts';
import { adversariesOf } from '../experiment/threat-model.ts';
import type { JournalHeader } from './journal-lines.ts';
import type { SweepProgress } from './sweep-driver.ts';
import { LocalDriver } from './sweep-driver.ts';
import type { SweepCounts, SweepFiles, SweepManifest } from './sweep-files.ts';
import { finishedManifest, sweepFiles, writeManifest } from './sweep-files.ts';
import { SweepJournal } from './sweep-journal.ts';
import { takeLock } from './sweep-lock.ts';
import type { FinishedCell } from './sweep-tables.ts';
import { writeTables } from './sweep-tables.ts';
import type { TableWriter } from './table-writers.ts';
import { openTable } from './table-writers.ts';

export interface SweepJob {
  /** What stands after `usurp run`. */
  readonly id: string;
  readonly model: ThreatModel;
  readonly outline: SweepOutline;
  readonly spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'codeVersion'>;
  /** The command line that asks for it, for the manifest. */
  readonly command: string;
}

export interface SweepOptions {
  /** Null keeps nothing but what `onCell` is told. */
  readonly files: SweepFiles | null;
  readonly createEngine: () => Promise<SweepEngine>;
  /** Of this machine, for the writing of long tables. */
  readonly threads: number;
  /** As `TablesRequest` has it. */
  readonly threadedRowsMin?: number | undefined;
  /** Replaces files of another sweep. */
  readonly force: boolean;
  /** Computes rows again that failed before. */
  readonly retryFailed: boolean;
  readonly signal: AbortSignal;
  readonly onProgress?: ((progress: SweepProgress) => void) | undefined;
  /** Each cell in order, also of an interrupted sweep without files. */
  readonly onCell?: ((finished: FinishedCell) => void) | undefined;
}

export interface SweepResult {
  readonly isComplete: boolean;
  /** Rows that are there. */
  readonly rows: number;
  /** Rows among them that an earlier sweep had computed. */
  readonly reused: number;
  readonly counts: SweepCounts;
}

/** Runs a sweep; throws LabError for arguments, files of others and full disks. */
export async function runSweep(job: SweepJob, options: SweepOptions): Promise<SweepResult> {
  if (options.files !== null) return runLocked(job, options, options.files);
  const folder = mkdtempSync(join(tmpdir(), 'usurp-sweep-'));
  try {
    return await runLocked(job, options, sweepFiles(join(folder, 'sweep.csv'), 'csv'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runLocked(
  job: SweepJob,
  options: SweepOptions,
  files: SweepFiles,
): Promise<SweepResult> {
  const release = takeLock(files.lock);
  try {
    const identity = sweepIdentity(job.model, job.outline, job.spec);
    const done = finishedManifest(files, { identity, runs: job.outline.runs });
    const isRetried = options.retryFailed && (done?.counts.failed ?? 0) > 0;
    if (done !== null && !isRetried && !options.force && options.onCell === undefined) {
      const { counts } = done;
      return { isComplete: true, rows: counts.rows, reused: counts.rows, counts };
    }
    const before = options.force ? null : openBefore(files, identity, job.spec.codeVersion);
    return await runJournalled(job, options, { files, identity, before });
  } finally {
    release();
  }
}

/** The journal of the same sweep, or null where there is none. */
function openBefore(files: SweepFiles, identity: string, codeVersion: string): SweepJournal | null {
  if (!existsSync(files.journal)) {
    if (!existsSync(files.runs)) return null;
    throw new LabError(
      'file.exists',
      `${files.runs} exists without a journal of this sweep and was left unchanged; --force replaces it`,
    );
  }
  const journal = SweepJournal.open(files.journal);
  if (journal.header.identity === identity) return journal;
  journal.close();
  const begun = journal.header.codeVersion;
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
  place: {
    readonly files: SweepFiles;
    readonly identity: string;
    readonly before: SweepJournal | null;
  },
): Promise<SweepResult> {
  const { files, identity, before } = place;
  let opened = before;
  try {
    const planned = await plan(job, before?.header ?? null, options);
    if (planned === null) return nothingDone(job, before?.coverage.rows ?? 0);
    const { cells, rateMeasured } = planned;
    refuseFewerRuns(before, cells, job.outline.runs);
    const { seed, codeVersion } = job.spec;
    const journal =
      before ?? SweepJournal.create(files.journal, { identity, rateMeasured, seed, codeVersion });
    opened = journal;
    const spec = { ...job.spec, cells, runs: job.outline.runs };
    const reused = journal.coverage.rows;
    const isComputed = await computeRows(spec, journal, options);
    const frame = { id: job.id, axes: job.outline.axes, spec };
    const refused = cells.filter((cell) => cell.model === null).length;
    const { rows } = journal.coverage;
    const counted = { cells: cells.length, refused, runs: spec.runs, rows };
    const isKept = options.files !== null;
    if (!isComputed && isKept) {
      return { isComplete: false, rows, reused, counts: { ...counted, failed: 0 } };
    }
    const output = { frame, cells, journal, options, files, isKept };
    const written = await publishTables(output, (failed, entries) => {
      const counts = { ...counted, failed };
      if (isKept)
        writeManifest(files.manifest, manifestOf(job, { ...place, journal, counts, entries }));
    });
    const counts = { ...counted, failed: written?.failed ?? 0 };
    return { isComplete: isComputed && written !== null, rows, reused, counts };
  } finally {
    opened?.close();
    // Nothing is kept of a sweep that could not begin.
    if (before === null && opened?.coverage.rows === 0) rmSync(files.journal, { force: true });
  }
}

/** An interrupt came before the first row. */
function nothingDone({ outline }: SweepJob, rows: number): SweepResult {
  const counts = { cells: outline.cells, refused: 0, runs: outline.runs, rows, failed: 0 };
  return { isComplete: false, rows, reused: rows, counts };
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
  const { measureRate } = await import('./calibration.ts');
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

interface Entry {
  readonly path: string;
  readonly sha256: string;
  readonly columns: readonly Column[];
}

function manifestOf(
  job: SweepJob,
  done: {
    readonly identity: string;
    readonly journal: SweepJournal;
    readonly counts: SweepCounts;
    readonly entries: readonly Entry[];
  },
): SweepManifest {
  const { seed, seedRule, codeVersion } = job.spec;
  const { rateMeasured } = done.journal.header;
  return {
    format: 'usurp-sweep/1',
    threatModel: job.model.id,
    command: job.command,
    identity: done.identity,
    versions: { usurp: manifest.version, code: codeVersion, node: process.version },
    machine: {
      platform: process.platform,
      arch: process.arch,
      candidatesPerSecond: rateMeasured,
    },
    seeds: { base: seed, rule: seedRule },
    counts: done.counts,
    isComplete: true,
    files: done.entries.map(({ path, ...entry }) => ({ name: basename(path), ...entry })),
  };
}

/** Writes both tables aside, gives them their names, and then tells of them. */
async function publishTables(
  output: {
    readonly frame: SweepFrame;
    readonly cells: readonly SweepCell[];
    readonly journal: SweepJournal;
    readonly options: SweepOptions;
    readonly files: SweepFiles;
    readonly isKept: boolean;
  },
  tell: (failed: number, entries: readonly Entry[]) => void,
): Promise<{ failed: number } | null> {
  const { frame, cells, journal, options, files, isKept } = output;
  const open = (path: string, columns: readonly Column[]): TableWriter | null =>
    isKept ? openTable(path, files.format, columns) : null;
  const runs = open(files.runs, runColumns(frame.axes));
  const cellTable = open(files.cells, cellColumns(frame.axes));
  const writers = [runs, cellTable].filter((writer) => writer !== null);
  try {
    const written = await writeTables({
      ...{ frame, cells, journal, runs },
      ...{ threads: options.threads, threadedRowsMin: options.threadedRowsMin },
      // What an interrupted sweep without files has is shown; files are whole or as they were.
      signal: isKept ? options.signal : new AbortController().signal,
      onCell: (finished) => {
        cellTable?.write(finished.row);
        options.onCell?.(finished);
      },
      onProgress: (rows) =>
        options.onProgress?.({ ...{ phase: 'writing', rows }, rowsTotal: journal.coverage.rows }),
    });
    if (written === null) return null;
    const entries = writers.map((writer) => ({
      path: writer.path,
      sha256: writer.finish(),
      columns: writer.columns,
    }));
    for (const writer of writers) writer.publish();
    tell(written.failed, entries);
    return written;
  } finally {
    for (const writer of writers) writer.discard();
  }
}
