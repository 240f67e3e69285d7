/**
 * @module
 * One thread of a sweep: executes the chunks it is given and reports their records, packed.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { SeedOf } from '../../experiment/sweep/chunk.ts';
import { executeChunk } from '../../experiment/sweep/chunk.ts';
import { packRecords } from '../../experiment/sweep/packing.ts';
import type { Chunk, PackedReport, SweepCell, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { threadClocks } from '../threads/clocks.ts';
import { kernelSource } from '../threads/kernels.ts';
import { takeRanges } from '../threads/range-pool.ts';
import { SeedSource } from './window.ts';

/** What a thread is started with. */
export type SweepWork = Pick<SweepSpec, 'seed' | 'seedRule'>;

export interface ChunkOrder {
  /** Each with its cell: a thread that held all cells would hold too much. */
  readonly items: readonly { readonly chunk: Chunk; readonly cell: SweepCell }[];
}

export interface ChunkReports {
  readonly reports: readonly PackedReport[];
}

if (parentPort === null) throw new TypeError('sweep-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const work = workerData as SweepWork;

// To derive a seed takes a third of the time of a cheap run, and paired cells have the same ones.
const seeds = new SeedSource(work);
const seedOf: SeedOf = (cellDigest, repetition) => seeds.of(cellDigest, repetition);

// A measured rate has become a number in the settings of the cells.
const services = { clocks: threadClocks, kernels: kernelSource(), rateMeasured: null };

takeRanges(port, ({ items }: ChunkOrder): ChunkReports => ({ reports: items.map(reportOf) }));

function reportOf({ chunk, cell }: ChunkOrder['items'][number]): PackedReport {
  const start = threadClocks.wallSeconds();
  const records = executeChunk({ ...work, cells: [cell] }, { ...chunk, cell: 0 }, services, seedOf);
  const packed = packRecords(records);
  const failed = records.filter((record) => record.won === null).length;
  return { chunk, packed, failed, wallSeconds: threadClocks.wallSeconds() - start };
}
