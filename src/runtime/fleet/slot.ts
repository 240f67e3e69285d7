/**
 * @module
 * A place where one chunk at a time is executed: one thread, which is replaced for the next chunk if
 * it dies.
 */

import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import type { Range } from '../threads/range-pool.ts';
import { RangePool } from '../threads/range-pool.ts';
import type { SlotData, SlotOrder, SlotReport } from './chunk-worker.ts';

const CHUNK_WORKER = new URL('./chunk-worker.ts', import.meta.url);

/** Owns its thread: whoever makes one closes it. */
export class ChunkSlot {
  readonly #stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #pool: RangePool | null;

  constructor() {
    this.#pool = this.#startThread();
  }

  /** Executes repetitions of the one cell of the spec; rejects if the thread dies. */
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

  /** Has the chunk under way left at the next run. */
  stop(): void {
    Atomics.store(this.#stop, 0, 1);
  }

  /** Ends the thread, whatever it is doing. */
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
