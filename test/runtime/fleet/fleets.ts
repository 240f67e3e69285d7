/**
 * @module
 * What tests of fleets share: sweeps over the catalogue, drivers that remember, workers as processes
 * and the keys that are left in a Redis.
 */

import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { Redis } from 'ioredis';

import { canonicalJson } from '../../../src/experiment/document/canonical-json.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { executeChunk } from '../../../src/experiment/sweep/chunk.ts';
import { unpackRecords } from '../../../src/experiment/sweep/packing.ts';
import type {
  Chunk,
  ChunkReport,
  PackedReport,
  SweepSpec,
} from '../../../src/experiment/sweep/sweep.ts';
import { hexDigest } from '../../../src/experiment/sweep/sweep.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL } from '../../experiment/models.ts';

export const CODE = '1.0.0+test';

/** A sweep of these models. */
export function sweepOf(
  models: readonly ThreatModel[],
  { runs, codeVersion = CODE }: { readonly runs: number; readonly codeVersion?: string },
): SweepSpec {
  const cells = models.map((model, index) => {
    const digest = hexDigest(canonicalJson(model));
    return { index, values: [index], settings: [], model, refusal: null, digest };
  });
  return { cells, seed: parseSeed('7'), seedRule: 'independent', runs, codeVersion };
}

/** Hands out every chunk once and keeps every report, also one that comes twice. */
export function rememberingDriver(spec: SweepSpec, { chunkRuns }: { readonly chunkRuns: number }) {
  const left = spec.cells.flatMap(({ index }) => {
    const starts = Array.from({ length: Math.ceil(spec.runs / chunkRuns) }, (_, at) => at);
    return starts.map((at): Chunk => {
      const from = at * chunkRuns;
      return { cell: index, from, count: Math.min(chunkRuns, spec.runs - from) };
    });
  });
  const chunks = left.length;
  const reports: ChunkReport[] = [];
  const controller = new AbortController();
  const waiters: { readonly count: number; readonly resolve: () => void }[] = [];
  let out = 0;
  let outMax = 0;
  return {
    chunks,
    reports,
    abort: () => controller.abort(),
    /** The most chunks that were out at a time. */
    outMax: () => outMax,
    /** Resolves when this number of reports is there. */
    reported: (count: number) =>
      new Promise<void>((resolve) => {
        if (reports.length >= count) resolve();
        else waiters.push({ count, resolve });
      }),
    signal: controller.signal,
    next(): Chunk | null {
      const chunk = left.shift() ?? null;
      if (chunk !== null) out += 1;
      outMax = Math.max(outMax, out);
      return chunk;
    },
    accept(report: ChunkReport | PackedReport): void {
      out -= 1;
      const { chunk, wallSeconds } = report;
      const isPacked = 'packed' in report;
      const records = isPacked ? [...unpackRecords(report.packed, chunk)] : report.records;
      reports.push({ chunk, records, wallSeconds });
      for (const { count, resolve } of waiters) if (reports.length >= count) resolve();
    },
  };
}

/** Every record with its cell, in order; the measured seconds differ from run to run and are left out. */
export function sortedRecords(reports: readonly Pick<ChunkReport, 'chunk' | 'records'>[]) {
  return reports
    .flatMap(({ chunk, records }) => records.map((record) => ({ cell: chunk.cell, ...record })))
    .map(({ outcomes, ...rest }) => ({
      ...rest,
      outcomes: outcomes?.map(({ won, observations: { cpuS, wallS, ...counts } }) => {
        return { won, ...counts };
      }),
    }))
    .sort((left, right) => left.cell - right.cell || left.repetition - right.repetition);
}

/** What a sweep gives without any engine. */
export function recordsAlone(spec: SweepSpec) {
  const reports = spec.cells.map(({ index }) => {
    const chunk = { cell: index, from: 0, count: spec.runs };
    return { chunk, records: executeChunk(spec, chunk, STILL) };
  });
  return sortedRecords(reports);
}

/** A worker that is a process, ready to work. */
export async function spawnWorker(redis: string, codeVersion = CODE): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('worker-process.ts', import.meta.url));
  const child = spawn(process.execPath, [script, redis, codeVersion], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.stdout !== null) await once(child.stdout, 'data');
  return child;
}

/** Ends a worker as SIGTERM does and waits for it. */
export async function endWorker(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** The keys that are left in a Redis. */
export async function keysLeft(url: string): Promise<readonly string[]> {
  const client = new Redis(url);
  const keys = await client.keys('*');
  client.disconnect();
  return keys.sort();
}

/** Those that are not of workers that live. */
export async function sweepKeysLeft(url: string): Promise<readonly string[]> {
  const keys = await keysLeft(url);
  return keys.filter((key) => !/:(workers|stalled-check|meta)$/.test(key));
}
