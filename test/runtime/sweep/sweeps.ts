/**
 * @module
 * Sweeps for the tests: small ones over a document of the catalogue, engines of this thread that do as
 * script, and tables read back by readers of others.
 */

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { csvParse } from 'd3-dsv';
import { executeChunk } from '../../../src/experiment/sweep/chunk.ts';
import { outlineSweep } from '../../../src/experiment/sweep/plan.ts';
import type {
  Chunk,
  RunRecord,
  SweepDriver,
  SweepEngine,
} from '../../../src/experiment/sweep/sweep.ts';
import { parseSeed } from '../../../src/random.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';
import type { SweepFiles } from '../../../src/runtime/sweep/files.ts';
import { sweepFiles } from '../../../src/runtime/sweep/files.ts';
import type { SweepJob, SweepOptions, SweepResult } from '../../../src/runtime/sweep/job.ts';
import { runSweep } from '../../../src/runtime/sweep/run.ts';
import { STILL } from '../../experiment/models.ts';

const SETS = ['work=sampled', 'network.identity.c1=0,4,8', 'network.honest=4,8'];

/** A sweep of six cells. */
export async function smallJob(
  rest: { readonly runs?: number; readonly seed?: string; readonly sets?: readonly string[] } = {},
): Promise<SweepJob> {
  const { runs = 20, sets = SETS } = rest;
  const seed = parseSeed(rest.seed ?? '5');
  const model = await findInCatalogue('top-id');
  const outline = outlineSweep(model, { sets, document: null, runs, seed });
  const spec = { seed, seedRule: 'paired', codeVersion: '0.0.0+test' } as const;
  const names = { program: 'usurp', loading: [], id: 'top-id', command: 'usurp sweep top-id' };
  return { ...names, model, outline, spec };
}

export interface Script {
  /** Every chunk that the engine executed. */
  readonly executed: Chunk[];
  /** Stops after this number of chunks. */
  readonly chunksMax?: number;
  /** Whether a row fails. */
  readonly fails?: (cell: number, repetition: number) => boolean;
  /** The time that a row is said to take. A second by default, so that every row is a chunk. */
  readonly rowSeconds?: number;
  /** Reports in another order than asked. */
  readonly isReversed?: boolean;
  /** Reports everything twice. */
  readonly isDoubled?: boolean;
}

/** An engine of this thread. */
export function scriptedEngine(script: Script): SweepEngine {
  return {
    async execute(spec, driver) {
      const max = script.chunksMax ?? Number.POSITIVE_INFINITY;
      const chunks = script.isReversed ? [...chunksOf(driver)].reverse() : chunksOf(driver);
      for (const chunk of chunks) {
        script.executed.push(chunk);
        const records = executeChunk(spec, chunk, STILL).map((record): RunRecord => {
          const isFailed = script.fails?.(chunk.cell, record.repetition) === true;
          return isFailed ? { ...record, outcomes: null, failure: 'scripted' } : record;
        });
        const wallSeconds = chunk.count * (script.rowSeconds ?? 1);
        const report = { chunk, records, wallSeconds };
        driver.accept(report);
        if (script.isDoubled) driver.accept(report);
        if (script.executed.length >= max) return;
      }
    },
    status: () => 'scripted',
    close: async () => undefined,
  };
}

function* chunksOf(driver: SweepDriver): Generator<Chunk, void> {
  for (let chunk = driver.next(); chunk !== null; chunk = driver.next()) yield chunk;
}

/** Runs a job with a scripted engine. */
export async function sweepWith(
  job: SweepJob,
  files: SweepFiles | null,
  script: Script,
  options: Partial<SweepOptions> = {},
): Promise<SweepResult> {
  return runSweep(job, {
    files,
    pictures: false,
    createEngine: async () => scriptedEngine(script),
    threads: 1,
    force: false,
    retryFailed: false,
    signal: new AbortController().signal,
    ...options,
  });
}

/** Files in a new folder. */
export function freshFiles(name = 'f.csv'): SweepFiles {
  return sweepFiles(join(mkdtempSync(join(tmpdir(), 'usurp-test-')), name), undefined);
}

export function rowsExecuted({ executed }: Script): number {
  return executed.reduce((sum, chunk) => sum + chunk.count, 0);
}

/** The rows of a CSV, every value a text. */
export function csvRows(path: string): readonly Record<string, string>[] {
  return csvParse(readFileSync(path, 'utf8'));
}

/** The rows of JSON lines. */
export function jsonlRows(path: string): readonly Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line));
}
