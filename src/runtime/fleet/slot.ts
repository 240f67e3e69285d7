/**
 * @module
 * A slot of a worker: one thread, which executes one chunk at a time. If it dies, the next chunk gets a new
 * thread.
 */

import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import type { Range } from '../threads/range-pool.ts';
import { RangePool } from '../threads/range-pool.ts';
import type { SlotData, SlotOrder, SlotReport } from './chunk-worker.ts';

const CHUNK_WORKER = new URL('./chunk-worker.ts', import.meta.url);

/** Owns its thread. Its creator must close it. */
export class ChunkSlot {
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #pool: RangePool | null;

  constructor() {
    this.#pool = this.#startThread();
  }

  /** Executes repetitions of the one cell of the spec. Rejects if the thread dies. */
  async execute(spec: ChunkSpec, range: Range): Promise<SlotReport> {
    Atomics.store(this.#stop, 0, 0);
    this.#pool ??= this.#startThread();
    let report: SlotReport = { packed: null, wallSeconds: 0 };
    try {
      await this.#pool.pull<SlotReport>(
        {
          end: () => range.from + range.count,
          rangeCount: () => range.count,
          order: (): SlotOrder => ({ spec, range }),
          accept: (each) => {
            report = each;
          },
        },
        range.from,
      );
    } catch (error) {
      await this.close();
      throw error;
    }
    return report;
  }

  /** Abandons the current chunk before its next run. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Ends the thread at once. */
  async close(): Promise<void> {
    const pool = this.#pool;
    this.#pool = null;
    await pool?.close();
  }

  #startThread(): RangePool {
    const workerData: SlotData = { stop: this.#stop };
    return new RangePool(CHUNK_WORKER, { threads: 1, workerData });
  }
}
