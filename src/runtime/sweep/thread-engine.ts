/**
 * @module
 * Sweeps on threads of this process. A thread takes several chunks at a time where rows are cheap, and
 * packs their records itself, since one thread that reads every record would hold the others up.
 */

import { once } from 'node:events';
import type {
  Chunk,
  SweepCell,
  SweepDriver,
  SweepEngine,
  SweepSpec,
} from '../../experiment/sweep/sweep.ts';
import type { RangePlan } from '../threads/range-pool.ts';
import { RangePool } from '../threads/range-pool.ts';
import type { ChunkOrder, ChunkReports, SweepWork } from './worker.ts';

const SWEEP_WORKER = new URL('./worker.ts', import.meta.url);

/** An engine of so many threads; they live for one `execute`. */
export function createThreadEngine({ threads }: { readonly threads: number }): SweepEngine {
  let pool: RangePool | null = null;
  const close = async () => {
    const closing = pool;
    pool = null;
    await closing?.close();
  };
  return {
    async execute(spec: SweepSpec, driver: SweepDriver): Promise<void> {
      const plan = new ChunksPlan(driver, spec.cells);
      if (plan.end() === 0) return;
      const { seed, seedRule } = spec;
      const workerData: SweepWork = { seed, seedRule };
      pool = new RangePool(SWEEP_WORKER, { threads, workerData });
      const finished = new AbortController();
      try {
        const stopping = once(driver.signal, 'abort', { signal: finished.signal });
        stopping.catch(() => undefined);
        if (!driver.signal.aborted) await Promise.race([pool.pull(plan), stopping]);
      } finally {
        finished.abort();
        await close();
      }
    },
    status: () => `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
    close,
  };
}

const BATCH_SECONDS = 0.1;
const BATCH_CHUNKS_MAX = 256;
const GROWTH_MAX = 4;

/** The pool's numbers count orders; what an order holds is the driver's to say. */
class ChunksPlan implements RangePlan<ChunkReports> {
  readonly #driver: SweepDriver;
  readonly #cells: readonly SweepCell[];
  /** What the next order holds; taken from the driver before it is known who gets it. */
  #batch: readonly Chunk[] = [];
  #rowsMax = 1;

  constructor(driver: SweepDriver, cells: readonly SweepCell[]) {
    this.#driver = driver;
    this.#cells = cells;
  }

  end(): number {
    if (this.#batch.length === 0) this.#batch = this.#take();
    return this.#batch.length === 0 ? 0 : Number.POSITIVE_INFINITY;
  }

  rangeCount(): number {
    return 1;
  }

  isStopped(): boolean {
    return this.#driver.signal.aborted;
  }

  order(): ChunkOrder {
    const chunks = this.#batch;
    this.#batch = [];
    return { items: chunks.map((chunk) => ({ chunk, cell: this.#cellOf(chunk) })) };
  }

  accept({ reports }: ChunkReports): void {
    let rows = 0;
    let seconds = 0;
    for (const report of reports) {
      rows += report.chunk.count;
      seconds += report.wallSeconds;
      this.#driver.accept(report);
    }
    const fitting = Math.floor((rows * BATCH_SECONDS) / Math.max(seconds, 1e-6));
    this.#rowsMax = Math.max(1, Math.min(fitting, GROWTH_MAX * Math.max(rows, this.#rowsMax)));
  }

  #cellOf({ cell: index }: Chunk): SweepCell {
    const cell = this.#cells[index];
    if (cell !== undefined) return cell;
    throw new RangeError(`"chunk.cell" expected below ${this.#cells.length}, got ${index}`);
  }

  #take(): readonly Chunk[] {
    const chunks: Chunk[] = [];
    let rows = 0;
    while (rows < this.#rowsMax && chunks.length < BATCH_CHUNKS_MAX) {
      const chunk = this.#driver.next();
      if (chunk === null) break;
      chunks.push(chunk);
      rows += chunk.count;
    }
    return chunks;
  }
}
