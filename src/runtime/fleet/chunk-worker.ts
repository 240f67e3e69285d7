/**
 * @module
 * One thread of a worker of a fleet: executes chunks, each with the cell that it is of, so that the
 * thread serves any sweep, and packs their records. Between runs it looks whether it is to stop. The
 * worker's own thread stays free to keep its jobs alive.
 */

import { parentPort, workerData } from 'node:worker_threads';
import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import { executeChunk } from '../../experiment/sweep/chunk.ts';
import { packRecords } from '../../experiment/sweep/packing.ts';
import type { RunRecord } from '../../experiment/sweep/sweep.ts';
import { threadClocks } from '../threads/clocks.ts';
import { kernelSource } from '../threads/kernels.ts';
import type { Range } from '../threads/range-pool.ts';
import { takeRanges } from '../threads/range-pool.ts';

/** What the thread is started with. */
export interface SlotData {
  /** One number, shared: other than 0 once the chunk under way is to be left. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** Repetitions of the one cell of the spec. */
export interface SlotOrder {
  readonly spec: ChunkSpec;
  readonly range: Range;
}

export interface SlotReport {
  /** The records as `packRecords` writes them; null where the thread was stopped. */
  readonly packed: string | null;
  /** Without what the thread waited for its order. */
  readonly wallSeconds: number;
}

/** Runs between two looks, by time: a look costs as much as planning a model. */
const LOOK_SECONDS = 0.01;
const LOOK_GROWTH_MAX = 4;

if (parentPort === null) throw new TypeError('bullmq-chunk-worker.ts runs as a worker thread only');
const port = parentPort;
// The pool is the only sender of this thread's data and messages.
const { stop } = workerData as SlotData;

// A measured rate has become a number in the settings of the cells.
const services = { clocks: threadClocks, kernels: kernelSource(), rateMeasured: null };

takeRanges(port, ({ spec, range }: SlotOrder): SlotReport => {
  const start = threadClocks.wallSeconds();
  const records: RunRecord[] = [];
  let slice = 1;
  while (records.length < range.count && Atomics.load(stop, 0) === 0) {
    const count = Math.min(slice, range.count - records.length);
    const sliceStart = threadClocks.wallSeconds();
    const part = { cell: 0, from: range.from + records.length, count };
    for (const record of executeChunk(spec, part, services)) records.push(record);
    const seconds = Math.max(threadClocks.wallSeconds() - sliceStart, 1e-6);
    slice = Math.max(
      1,
      Math.floor(Math.min((count * LOOK_SECONDS) / seconds, LOOK_GROWTH_MAX * slice)),
    );
  }
  const packed = records.length === range.count ? packRecords(records) : null;
  return { packed, wallSeconds: threadClocks.wallSeconds() - start };
});
