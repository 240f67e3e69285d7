/**
 * @module
 * Threads that check claims. A thread is started when it is first needed, replaced when it fails, and does
 * not keep the process alive.
 */

import { Worker } from 'node:worker_threads';

import { bundledThread } from '../../src/runtime/load/builds.ts';
import type { Checked, ClaimQuestion, Verifiers } from './verifiers.ts';

/** A message to a thread. */
export interface ClaimBatch {
  readonly number: number;
  readonly questions: readonly ClaimQuestion[];
}

/** The answer to a batch of claims. */
export interface CheckedBatch {
  readonly number: number;
  readonly answers: readonly Checked[];
}

interface Thread {
  readonly worker: Worker;
  readonly batches: Map<number, PromiseWithResolvers<readonly Checked[]>>;
}

/** By default the second batch waits in the thread, so that the thread is never idle between two batches. */
const BATCHES_PER_THREAD = 2;
/** Largest heap of a thread, far above what it needs. */
const MEMORY_MB_MAX = 256;
const SCRIPT = new URL('./claim-check-worker.ts', import.meta.url);

/** Verifiers in this number of threads. */
export class ClaimThreads implements Verifiers {
  readonly batches: number;
  readonly #threadsMax: number;
  readonly #threads = new Set<Thread>();
  #number = 0;

  constructor(threads: number, batchesPerThread = BATCHES_PER_THREAD) {
    this.#threadsMax = threads;
    this.batches = threads * batchesPerThread;
  }

  check(questions: readonly ClaimQuestion[]): Promise<readonly Checked[]> {
    const { worker, batches } = this.#idlest();
    const answer = Promise.withResolvers<readonly Checked[]>();
    this.#number += 1;
    batches.set(this.#number, answer);
    worker.postMessage({ number: this.#number, questions } satisfies ClaimBatch);
    return answer.promise;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#threads].map(({ worker }) => worker.terminate()));
  }

  /** An idle thread, else a new one if the limit allows it, else the thread with the fewest batches. */
  #idlest(): Thread {
    const [idlest] = [...this.#threads].sort((one, other) => one.batches.size - other.batches.size);
    if (idlest === undefined) return this.#start();
    const mayStart = this.#threads.size < this.#threadsMax;
    return idlest.batches.size > 0 && mayStart ? this.#start() : idlest;
  }

  #start(): Thread {
    const worker = new Worker(bundledThread(SCRIPT), {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
    });
    const thread: Thread = { worker, batches: new Map() };
    const end = (cause: Error) => {
      this.#threads.delete(thread);
      for (const { reject } of thread.batches.values()) reject(cause);
      thread.batches.clear();
    };
    worker
      .on('message', ({ number, answers }: CheckedBatch) => {
        thread.batches.get(number)?.resolve(answers);
        thread.batches.delete(number);
      })
      .on('error', end)
      .on('exit', (code) => end(new Error(`a thread that checks claims ended with code ${code}`)));
    worker.unref();
    this.#threads.add(thread);
    return thread;
  }
}
