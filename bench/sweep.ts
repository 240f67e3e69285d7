/**
 * @module
 * Rows of a sweep per second of wall time: whole sweeps of sampled runs into files on two threads over
 * one, and the tables of a finished sweep written from its journal in each form over CSV.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outlineSweep } from '../src/experiment/sweep/plan.ts';
import { parseSeed } from '../src/random.ts';
import { findInCatalogue } from '../src/runtime/files/catalogue.ts';
import { codeVersion } from '../src/runtime/files/code-version.ts';
import { sweepFiles } from '../src/runtime/sweep/files.ts';
import type { SweepJob } from '../src/runtime/sweep/job.ts';
import { runSweep } from '../src/runtime/sweep/run.ts';
import type { TableFormat } from '../src/runtime/sweep/table-writers.ts';
import { threadClocks } from '../src/runtime/threads/clocks.ts';

import type { Row } from './measure.ts';
import { rowOf } from './measure.ts';

const ROUNDS = 3;
const RUNS = 60_000;
const SETS = ['work=sampled', 'network.identity.c1=range(8,12,1)'];
const ROWS = 5 * RUNS;

/** One row for each thing that is measured, with its yardstick of the same rounds. */
export async function measureSweeps(): Promise<Row[]> {
  const job = await sampledJob();
  return [
    await measured(
      { name: `whole sweep to CSV, ${ROWS} sampled rows, 2 threads`, yardstick: 'on 1 thread' },
      { own: () => wholeSweep(job, 2), standard: () => wholeSweep(job, 1) },
    ),
    await measured(
      { name: `table from a journal as Parquet, ${ROWS} rows, 1 thread`, yardstick: 'as CSV' },
      { own: () => tableAlone(job, 'parquet'), standard: () => tableAlone(job, 'csv') },
    ),
  ];
}

async function sampledJob(): Promise<SweepJob> {
  const seed = parseSeed('1');
  const model = await findInCatalogue('top-id');
  const outline = outlineSweep(model, { sets: SETS, document: null, runs: RUNS, seed });
  const spec = { seed, seedRule: 'paired', codeVersion: codeVersion() } as const;
  return {
    program: 'usurp',
    loading: [],
    id: 'top-id',
    model,
    outline,
    spec,
    command: 'npm run bench -- sweep',
  };
}

async function measured(
  { name, yardstick }: { readonly name: string; readonly yardstick: string },
  rates: { readonly own: () => Promise<number>; readonly standard: () => Promise<number> },
): Promise<Row> {
  const rounds: { own: number[]; standard: number[] }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const standard = [await rates.standard()];
    rounds.push({ own: [await rates.own()], standard });
  }
  return rowOf({ name, unit: 'rows', yardstick: { name: yardstick, unit: 'rows' } }, rounds);
}

/** Rows per second from nothing to named tables. */
function wholeSweep(job: SweepJob, threads: number): Promise<number> {
  return inFolder((folder) => timed(() => sweepInto(job, { folder, format: 'csv', threads })));
}

/** Rows per second of a table whose rows are there. */
function tableAlone(job: SweepJob, format: TableFormat): Promise<number> {
  return inFolder(async (folder) => {
    await sweepInto(job, { folder, format: 'jsonl', threads: 2 });
    return timed(() => sweepInto(job, { folder, format, threads: 1 }));
  });
}

async function sweepInto(
  job: SweepJob,
  output: { readonly folder: string; readonly format: TableFormat; readonly threads: number },
): Promise<void> {
  const { folder, format, threads } = output;
  await runSweep(job, {
    files: sweepFiles(join(folder, `f.${format}`), format),
    pictures: false,
    threads,
    force: false,
    retryFailed: false,
    signal: new AbortController().signal,
  });
}

async function timed(work: () => Promise<void>): Promise<number> {
  const start = threadClocks.wallSeconds();
  await work();
  return ROWS / (threadClocks.wallSeconds() - start);
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
