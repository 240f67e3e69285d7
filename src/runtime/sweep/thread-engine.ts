/**
 * @module
 * Sweeps on threads of this process. A thread takes several chunks at a time if rows are cheap. It packs
 * the records itself, because one thread that packs all records would slow down the others.
 */

import type {
  Chunk,
  SweepCell,
  SweepDriver,
  SweepEngine,
  SweepSpec,
} from '../../experiment/sweep/sweep.ts';
import type { SweepPlan, SweepThreads } from './threads.ts';
import type { ChunkOrder, ChunkReports } from './worker.ts';

/** An engine with the threads of the sweep. */
export function createThreadEngine(threads: SweepThreads): SweepEngine {
  const closing = new AbortController();
  return {
    async execute(spec: SweepSpec, driver: SweepDriver): Promise<void> {
      const plan = chunksPlan(driver, spec.cells);
      if (plan.end() === 0) return;
      await threads.pull(plan, AbortSignal.any([driver.signal, closing.signal]));
    },
    status: () => `${threads.count} ${threads.count === 1 ? 'thread' : 'threads'}`,
    close: async () => closing.abort(),
  };
}

const BATCH_SECONDS = 0.1;
const BATCH_CHUNKS_MAX = 256;
const GROWTH_MAX = 4;

/** The numbers of the pool count orders. The driver decides which chunks are in an order. */
function chunksPlan(driver: SweepDriver, cells: readonly SweepCell[]): SweepPlan<ChunkReports> {
  /** The chunks of the next order. */
  let batch: readonly Chunk[] = [];
  let rowsMax = 1;
  const cellOf = ({ cell: index }: Chunk): SweepCell => {
    const cell = cells[index];
    if (cell !== undefined) return cell;
    throw new RangeError(`"chunk.cell" expected below ${cells.length}, got ${index}`);
  };
  return {
    end() {
      if (batch.length === 0) batch = takeBatch(driver, rowsMax);
      return batch.length === 0 ? 0 : Number.POSITIVE_INFINITY;
    },
    isStopped: () => driver.signal.aborted,
    order(): ChunkOrder {
      const chunks = batch;
      batch = [];
      return { type: 'chunks', items: chunks.map((chunk) => ({ chunk, cell: cellOf(chunk) })) };
    },
    accept({ reports }) {
      let rows = 0;
      let seconds = 0;
      for (const report of reports) {
        rows += report.chunk.count;
        seconds += report.wallSeconds;
        driver.accept(report);
      }
      const fitting = Math.floor((rows * BATCH_SECONDS) / Math.max(seconds, 1e-6));
      rowsMax = Math.max(1, Math.min(fitting, GROWTH_MAX * Math.max(rows, rowsMax)));
    },
  };
}

function takeBatch(driver: SweepDriver, rowsMax: number): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let rows = 0;
  while (rows < rowsMax && chunks.length < BATCH_CHUNKS_MAX) {
    const chunk = driver.next();
    if (chunk === null) break;
    chunks.push(chunk);
    rows += chunk.count;
  }
  return chunks;
}
