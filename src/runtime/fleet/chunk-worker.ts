/**
 * @module
 * One thread of a fleet's worker: executes chunks and packs their records. Each chunk comes with its
 * cell, so a thread serves any sweep. Between runs the thread checks whether it must stop; a batch takes some
 * hundredths of a second at most. The main thread
 * of the worker stays free to renew the locks of its jobs.
 */

import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import { executeBatch, executeChunk } from '../../experiment/sweep/chunk.ts';
import { packRecords } from '../../experiment/sweep/packing.ts';
import type { RunRecord } from '../../experiment/sweep/sweep.ts';
import { plainVerifier } from '../openssl/plain-verifier.ts';
import { threadClocks } from '../threads/clocks.ts';
import { kernelSource, textHasher } from '../threads/kernels.ts';
import type { Range } from '../threads/range-pool.ts';
import { serveRanges } from '../threads/range-pool.ts';

export interface SlotData {
  /** One shared number. Not 0 if the current chunk must be abandoned. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** Repetitions of the one cell of the spec. */
export interface SlotOrder {
  readonly spec: ChunkSpec;
  readonly range: Range;
}

export interface SlotReport {
  /** The records as `packRecords` writes them. Null if the thread was stopped. */
  readonly packed: string | null;
  /** Without the time that the thread waited for its order. */
  readonly wallSeconds: number;
}

/** Time between two checks. A check costs as much as planning a model. */
const LOOK_SECONDS = 0.01;
const LOOK_GROWTH_MAX = 4;

serveRanges(({ stop }: SlotData) => {
  // The settings of the cells contain a measured rate as a number.
  const services = {
    clocks: threadClocks,
    kernels: kernelSource(),
    plain: plainVerifier,
    texts: textHasher(),
    rateMeasured: null,
  };
  return ({ spec, range }: SlotOrder): SlotReport => {
    const start = threadClocks.wallSeconds();
    const batch = executeBatch(spec, { cell: 0, ...range }, services);
    if (batch !== null) {
      return { packed: batch, wallSeconds: threadClocks.wallSeconds() - start };
    }
    const records: RunRecord[] = [];
    let slice = 1;
    while (records.length < range.count && Atomics.load(stop, 0) === 0) {
      const count = Math.min(slice, range.count - records.length);
      const sliceStart = threadClocks.wallSeconds();
      const part = { cell: 0, from: range.from + records.length, count };
      for (const record of executeChunk(spec, part, services)) records.push(record);
      const seconds = Math.max(threadClocks.wallSeconds() - sliceStart, 1e-6);
      const fitting = Math.min((count * LOOK_SECONDS) / seconds, LOOK_GROWTH_MAX * slice);
      slice = Math.max(1, Math.floor(fitting));
    }
    const packed = records.length === range.count ? packRecords(records) : null;
    return { packed, wallSeconds: threadClocks.wallSeconds() - start };
  };
});
