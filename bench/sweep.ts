/**
 * @module
 * Rows of a sweep per second of wall time: whole sweeps of sampled, watched and mined rows on two threads over one,
 * with and without files, from nothing to the end; and the tables of a finished sweep written from its journal in each
 * form over CSV. The notes state the CPU time, which a busy machine changes less, and the ratio that it allows on two idle
 * cores: they can halve the time of all threads, unless the main thread alone takes longer. `--size` makes all sweeps
 * longer or shorter. In short ones the second thread takes longer to start than it saves.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { outlineSweep } from '../src/experiment/sweep/plan.ts';
import { parseSeed } from '../src/random.ts';
import { findInCatalogue } from '../src/runtime/files/catalogue.ts';
import { codeVersion } from '../src/runtime/files/code-version.ts';
import type { TableFormat } from '../src/runtime/sweep/files.ts';
import { sweepFiles } from '../src/runtime/sweep/files.ts';
import type { SweepJob } from '../src/runtime/sweep/job.ts';
import { runSweep } from '../src/runtime/sweep/run.ts';
import { threadClocks } from '../src/runtime/threads/clocks.ts';

import type { Report, Row } from './measure.ts';
import { rowOf } from './measure.ts';

const ROUNDS = 3;
const TABLE_RUNS = 30_000;

/** A sweep that takes one thread some seconds. */
interface Load {
  readonly name: string;
  readonly id: string;
  readonly sets: readonly string[];
  /** Runs of each cell, without files and with them. */
  readonly runs: number;
  readonly runsToFiles: number;
}

const SAMPLED = ['work=sampled', 'network.identity.c1=range(8,12,1)'];
const LOADS: readonly Load[] = [
  { name: 'sampled', id: 'top-id', sets: SAMPLED, runs: 300_000, runsToFiles: 100_000 },
  {
    ...{ name: 'watched', id: 'partition-raft', runs: 200, runsToFiles: 200 },
    sets: ['network.election.latency=uniform:1:3,uniform:1:5'],
  },
  {
    ...{ name: 'mined', id: 'top-id', runs: 60, runsToFiles: 60 },
    sets: ['work=mined', 'network.identity.c1=3,4'],
  },
];

/** What a sweep took. */
interface Cost {
  readonly rows: number;
  readonly wallSeconds: number;
  /** The sum over all threads. */
  readonly cpuSeconds: number;
  readonly mainCpuSeconds: number;
}

/** One row for each thing that is measured, with its yardstick of the same rounds. */
export async function measureSweeps({ size }: { readonly size: number }): Promise<Report> {
  const rows: Row[] = [];
  const notes: string[] = ['2 threads, to reach: 1.8 of 1 thread on a machine that is idle'];
  for (const load of LOADS) {
    for (const isKept of [false, true]) {
      const runs = Math.ceil(size * (isKept ? load.runsToFiles : load.runs));
      const job = await jobOf(load.id, load.sets, runs);
      const name = `${load.name} rows, ${isKept ? 'to CSV and pictures' : 'without files'}, 2 threads`;
      const run = (threads: number) =>
        isKept ? keptSweep(job, threads) : unkeptSweep(job, threads);
      const measured = await measuredBy(
        { name, yardstick: 'on 1 thread' },
        () => run(2),
        () => run(1),
      );
      rows.push(measured.row);
      notes.push(measured.note);
    }
  }
  const job = await jobOf('top-id', SAMPLED, Math.ceil(size * TABLE_RUNS));
  const table = await measuredBy(
    { name: 'table from a journal as Parquet, sampled rows, 1 thread', yardstick: 'as CSV' },
    () => tableAlone(job, 'parquet'),
    () => tableAlone(job, 'csv'),
  );
  return { rows: [...rows, table.row], notes };
}

async function jobOf(id: string, sets: readonly string[], runs: number): Promise<SweepJob> {
  const seed = parseSeed('1');
  const model = await findInCatalogue(id);
  const outline = outlineSweep(model, { sets, document: null, runs, seed });
  const spec = { seed, seedRule: 'paired', codeVersion: codeVersion() } as const;
  const names = { program: 'usurp', loading: [], id, command: 'npm run bench -- sweep' };
  return { ...names, model, outline, spec };
}

async function measuredBy(
  { name, yardstick }: { readonly name: string; readonly yardstick: string },
  own: () => Promise<Cost>,
  standard: () => Promise<Cost>,
): Promise<{ readonly row: Row; readonly note: string }> {
  const taken: { readonly own: Cost; readonly standard: Cost }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const before = await standard();
    taken.push({ own: await own(), standard: before });
  }
  const rounds = taken.map((round) => ({
    own: [round.own.rows / round.own.wallSeconds],
    standard: [round.standard.rows / round.standard.wallSeconds],
  }));
  const row = rowOf({ name, unit: 'rows', yardstick: { name: yardstick, unit: 'rows' } }, rounds);
  const least = (costs: readonly Cost[]) =>
    costs.reduce((best, cost) => (cost.cpuSeconds < best.cpuSeconds ? cost : best));
  const [two, one] = [
    least(taken.map((each) => each.own)),
    least(taken.map((each) => each.standard)),
  ];
  const allowed = one.cpuSeconds / Math.max(two.cpuSeconds / 2, two.mainCpuSeconds);
  const note =
    `${name}: ${two.cpuSeconds.toFixed(2)} CPU-s, ${two.mainCpuSeconds.toFixed(2)} of them by the main thread; ` +
    `${yardstick}: ${one.cpuSeconds.toFixed(2)} CPU-s; two idle cores allow ${allowed.toFixed(2)}`;
  return { row, note };
}

/** From nothing to the table of cells. */
function unkeptSweep(job: SweepJob, threads: number): Promise<Cost> {
  return timed(() => sweepInto(job, null, { threads, pictures: false }));
}

/** From nothing to named tables and pictures. */
function keptSweep(job: SweepJob, threads: number): Promise<Cost> {
  return inFolder((folder) => {
    const files = sweepFiles(join(folder, 'f.csv'), 'csv');
    return timed(() => sweepInto(job, files, { threads, pictures: true }));
  });
}

/** A table whose rows are there. */
function tableAlone(job: SweepJob, format: TableFormat): Promise<Cost> {
  return inFolder(async (folder) => {
    const filesOf = (form: TableFormat) => sweepFiles(join(folder, `f.${form}`), form);
    await sweepInto(job, filesOf('jsonl'), { threads: 2, pictures: false });
    return timed(() => sweepInto(job, filesOf(format), { threads: 1, pictures: false }));
  });
}

async function sweepInto(
  job: SweepJob,
  files: ReturnType<typeof sweepFiles> | null,
  { threads, pictures }: { readonly threads: number; readonly pictures: boolean },
): Promise<number> {
  const { rows } = await runSweep(job, {
    ...{ files, pictures, threads, force: false, retryFailed: false },
    signal: new AbortController().signal,
  });
  return rows;
}

async function timed(work: () => Promise<number>): Promise<Cost> {
  const [start, mainStart, cpuStart] = [
    threadClocks.wallSeconds(),
    threadClocks.cpuSeconds(),
    process.cpuUsage(),
  ];
  const rows = await work();
  const { user, system } = process.cpuUsage(cpuStart);
  return {
    rows,
    wallSeconds: threadClocks.wallSeconds() - start,
    cpuSeconds: (user + system) / 1e6,
    mainCpuSeconds: threadClocks.cpuSeconds() - mainStart,
  };
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-bench-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
