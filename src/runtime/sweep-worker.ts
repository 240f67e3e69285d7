/**
 * @module
 * One thread of a sweep: executes the chunks it is given and reports their records, packed.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { Chunk, PackedReport } from '../experiment/sweep.ts';
import type { ChunkSpec } from '../experiment/sweep-chunk.ts';
import { executeChunk } from '../experiment/sweep-chunk.ts';
import { packRecords } from '../experiment/sweep-packing.ts';
import { threadClocks } from './clocks.ts';
import { kernelSource } from './kernels.ts';
import { takeRanges } from './range-pool.ts';

/** What a thread is started with. */
export interface SweepWork {
  readonly spec: ChunkSpec;
}

export interface ChunkOrder {
  readonly chunks: readonly Chunk[];
}

export interface ChunkReports {
  readonly reports: readonly PackedReport[];
}

if (parentPort === null) throw new TypeError('sweep-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const { spec } = workerData as SweepWork;

// A measured rate has become a number in the settings of the cells.
const services = { clocks: threadClocks, kernels: kernelSource(), rateMeasured: null };

takeRanges(port, ({ chunks }: ChunkOrder): ChunkReports => ({ reports: chunks.map(reportOf) }));

function reportOf(chunk: Chunk): PackedReport {
  const start = threadClocks.wallSeconds();
  const records = executeChunk(spec, chunk, services);
  const packed = packRecords(records);
  const failed = records.filter((record) => record.won === null).length;
  return { chunk, packed, failed, wallSeconds: threadClocks.wallSeconds() - start };
}
