/**
 * @module
 * A worker of a fleet: takes chunks of any sweep from a queue in Redis, executes each on a thread, and puts
 * the records into the list of the sweep's driver. The records are there before the job ends, so a job that
 * is gone without records was lost.
 */

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import { WaitingError, Worker } from 'bullmq';
import { LRUCache } from 'lru-cache';
import type { ChunkSpec } from '../../experiment/sweep/chunk.ts';
import { versionRemedy } from '../files/code-version.ts';
import type { Range } from '../threads/range-pool.ts';
import { RangePool } from '../threads/range-pool.ts';
import type { SlotData, SlotOrder, SlotReport } from './chunk-worker.ts';
import { clearIdle } from './clearing.ts';
import type { RedisLink } from './redis.ts';
import {
  connectRedis,
  endPresence,
  executeAll,
  PULSE_MS,
  reportLosses,
  showPresence,
  unusable,
} from './redis.ts';
import type { ChunkOrder, StoredCell, SweepNote } from './wire.ts';
import {
  cellField,
  HEAD_FIELD,
  jobsQueue,
  keyPrefix,
  RESULT_CHARACTERS_MAX,
  readCell,
  readOrder,
  readSweepNote,
  resultsKey,
  resultText,
  sweepKey,
} from './wire.ts';

export interface WorkerOptions {
  readonly redis: string;
  readonly queue: string;
  readonly threads: number;
  /** The worker takes only sweeps of the same version. */
  readonly codeVersion: string;
}

export interface WorkerCounts {
  readonly chunks: number;
  readonly runs: number;
  /** Chunks that are being executed. */
  readonly underWay: number;
}

export interface FleetWorker {
  counts(): WorkerCounts;
  /** Takes no more jobs. Finishes the current ones, or gives them back after FINISH_MS. */
  close(): Promise<void>;
}

/** How long a job's lock lasts without renewal. A busy machine renews it late. */
const LOCK_MS = 3000;
const LOCK_RENEW_MS = 750;
const STALLED_CHECK_MS = 1000;
/** Workers that may die during one job before the job counts as failed. */
const STALLED_MAX = 20;
/** How long a worker that must stop waits for its jobs. */
const FINISH_MS = 2000;
/** How long records wait for a driver that is gone. */
const RESULTS_MS = 60_000;
const RETRY_MS = 500;
/** Cells that a worker keeps parsed. */
const CELLS_MAX = 64;

/** Starts a worker. `say` receives lines for the user. Throws LabError if the Redis cannot be used. */
export async function startFleetWorker(
  options: WorkerOptions,
  say: (line: string) => void,
): Promise<FleetWorker> {
  const link = await connectRedis(options.redis);
  reportLosses(link, say);
  const worker = new RunningWorker(options, link, say);
  try {
    await worker.start();
  } catch (error) {
    await worker.close();
    throw unusable(link, error);
  }
  return worker;
}

class RunningWorker implements FleetWorker {
  readonly #options: WorkerOptions;
  readonly #link: RedisLink;
  readonly #say: (line: string) => void;
  readonly #note: string;
  readonly #slots: readonly ChunkSlot[];
  readonly #idle: ChunkSlot[];
  /** Jobs that wait for a free slot. */
  readonly #queued: ((slot: ChunkSlot) => void)[] = [];
  readonly #worker: Worker<unknown, null>;
  /** Maps each busy slot to the id of its sweep. */
  readonly #busy = new Map<ChunkSlot, string>();
  /** Sweeps that ended although this worker has jobs of them. */
  readonly #gone = new Set<string>();
  /** Number of this worker's jobs of each sweep. */
  readonly #inHand = new Map<string, number>();
  /** Cells by their texts, because a model takes a millisecond to check. */
  readonly #cells = new LRUCache<string, StoredCell>({ max: CELLS_MAX });
  readonly #said = new Set<string>();
  #timer: NodeJS.Timeout | null = null;
  #isGivingBack = false;
  #chunks = 0;
  #runs = 0;

  constructor(options: WorkerOptions, link: RedisLink, say: (line: string) => void) {
    const { queue, threads, codeVersion } = options;
    this.#options = options;
    this.#link = link;
    this.#say = say;
    const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`.slice(-100);
    this.#note = JSON.stringify({ id, codeVersion, threads });
    this.#slots = Array.from({ length: threads }, () => new ChunkSlot());
    this.#idle = [...this.#slots];
    this.#worker = new Worker(jobsQueue(codeVersion), (job, token) => this.#work(job, token), {
      connection: link.client,
      prefix: keyPrefix(queue),
      name: id,
      autorun: false,
      // One more is fetched while the threads are busy.
      concurrency: threads + 1,
      lockDuration: LOCK_MS,
      lockRenewTime: LOCK_RENEW_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: STALLED_MAX,
      runRetryDelay: RETRY_MS,
      drainDelay: 1,
    });
    // The link reports lost connections.
    this.#worker.on('error', ({ message }) => {
      if (!REPORTED_ELSEWHERE.test(message)) this.#sayOnce(`trouble with the queue: ${message}`);
    });
    this.#worker.on('failed', (_job, { message }) => say(`a chunk failed: ${message}`));
  }

  async start(): Promise<void> {
    await this.#worker.waitUntilReady();
    await this.#pulse();
    this.#timer = setInterval(() => void this.#pulse().catch(() => undefined), PULSE_MS);
    this.#worker.run().catch((error: Error) => this.#sayOnce(`stopped: ${error.message}`));
  }

  counts(): WorkerCounts {
    return { chunks: this.#chunks, runs: this.#runs, underWay: this.#busy.size };
  }

  async close(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    // BullMQ would wait for the end of a connection that is closed between two attempts, which never
    // comes.
    if (this.#link.awaySeconds() > 0) await this.#link.giveUp();
    const finished = new AbortController();
    const { signal } = finished;
    const givingBack = delay(FINISH_MS, undefined, { signal }).then(
      async () => {
        this.#isGivingBack = true;
        await this.#closeSlots();
      },
      () => undefined,
    );
    // While Redis is away jobs cannot be given back. Their locks run out.
    const late = delay(2 * FINISH_MS, undefined, { signal }).catch(() => undefined);
    await Promise.race([this.#leave(), late]);
    finished.abort();
    await givingBack;
    await this.#closeSlots();
    this.#link.close();
  }

  async #leave(): Promise<void> {
    await this.#worker.close();
    if (this.#link.awaySeconds() > 0) return;
    const { queue } = this.#options;
    const { client } = this.#link;
    await endPresence(client, queue, { board: 'workers', note: this.#note });
    await clearIdle(client, this.#worker);
  }

  async #closeSlots(): Promise<void> {
    await Promise.all(this.#slots.map((slot) => slot.close()));
  }

  async #work(job: Job<unknown, null>, token: string | undefined): Promise<null> {
    const order = readOrder(job.data);
    const cell = order === null ? null : await this.#fetchCell(order);
    // The sweep was cancelled, or its driver died.
    if (order === null || cell === null || job.id === undefined) return null;
    this.#sayOnce(`works for sweep ${order.sweep.slice(0, 8)}`);
    const report = await this.#execute(order, cell);
    if (report === 'given back') {
      await job.moveToWait(token);
      throw new WaitingError();
    }
    const { packed, wallSeconds } = report;
    if (packed === null) return null;
    await this.#deliver(order, resultText(job.id, { packed, wallSeconds }));
    this.#chunks += 1;
    this.#runs += order.count;
    return null;
  }

  async #fetchCell({ sweep, cell: index }: ChunkOrder): Promise<StoredCell | null> {
    const key = sweepKey(this.#options.queue, sweep);
    const stored = await this.#link.client.hmget(key, HEAD_FIELD, cellField(index));
    const texts = stored.join('\n');
    const cell = this.#cells.get(texts) ?? readCell(stored[0], stored[1]);
    if (cell !== null) this.#cells.set(texts, cell);
    return cell?.codeVersion === this.#options.codeVersion ? cell : null;
  }

  async #execute(
    { sweep, from, count }: ChunkOrder,
    { spec }: StoredCell,
  ): Promise<SlotReport | 'given back'> {
    this.#inHand.set(sweep, (this.#inHand.get(sweep) ?? 0) + 1);
    const slot = this.#idle.pop() ?? (await this.#slotInTurn());
    this.#busy.set(slot, sweep);
    try {
      if (this.#isGivingBack) return 'given back';
      if (this.#gone.has(sweep)) return NOT_WANTED;
      const report = await slot.execute(spec, { from, count });
      return report.packed === null && this.#isGivingBack ? 'given back' : report;
    } catch (error) {
      // The thread was ended to give the job back.
      if (this.#isGivingBack) return 'given back';
      throw error;
    } finally {
      this.#busy.delete(slot);
      this.#release(slot);
      this.#putDown(sweep);
    }
  }

  #slotInTurn(): Promise<ChunkSlot> {
    return new Promise((resolve) => this.#queued.push(resolve));
  }

  #release(slot: ChunkSlot): void {
    const next = this.#queued.shift();
    if (next === undefined) this.#idle.push(slot);
    else next(slot);
  }

  #putDown(sweep: string): void {
    const others = (this.#inHand.get(sweep) ?? 1) - 1;
    this.#inHand.set(sweep, others);
    if (others > 0) return;
    this.#inHand.delete(sweep);
    this.#gone.delete(sweep);
  }

  async #deliver({ sweep }: ChunkOrder, text: string): Promise<void> {
    if (text.length > RESULT_CHARACTERS_MAX) {
      throw new RangeError(`"result" expected ${RESULT_CHARACTERS_MAX} characters at most`);
    }
    const key = resultsKey(this.#options.queue, sweep);
    await executeAll(this.#link.client.multi().rpush(key, text).pexpire(key, RESULTS_MS));
  }

  /** Shows that the worker is live, and checks which sweeps have ended. */
  async #pulse(): Promise<void> {
    if (this.#link.awaySeconds() > 0) return;
    const { queue, codeVersion } = this.#options;
    const { client } = this.#link;
    const texts = await showPresence(client, queue, { board: 'workers', note: this.#note });
    for (const note of texts.map(readSweepNote)) {
      if (note !== null && note.codeVersion !== codeVersion) this.#sayOnce(this.#refusal(note));
    }
    for (const sweep of [...this.#inHand.keys()]) {
      if ((await client.exists(sweepKey(queue, sweep))) === 1) continue;
      if (this.#inHand.has(sweep)) this.#gone.add(sweep);
      for (const [slot, served] of this.#busy) if (served === sweep) slot.stop();
    }
  }

  #refusal({ sweep, codeVersion }: SweepNote): string {
    const own = this.#options.codeVersion;
    return (
      `leaves sweep ${sweep.slice(0, 8)} to others: it needs code ${codeVersion}, ` +
      `this worker has ${own}; ${versionRemedy(codeVersion, own)}`
    );
  }

  #sayOnce(line: string): void {
    if (this.#said.has(line)) return;
    // The list of lines must not grow for ever.
    if (this.#said.size >= SAID_MAX) this.#said.clear();
    this.#said.add(line);
    this.#say(line);
  }
}

const NOT_WANTED: SlotReport = { packed: null, wallSeconds: 0 };
const SAID_MAX = 1000;
/** Lost connections, and jobs that were cancelled or taken over by another worker while they ran. */
const REPORTED_ELSEWHERE = /ECONN|EPIPE|closed|Missing (key|lock) for job/;

const CHUNK_WORKER = new URL('./chunk-worker.ts', import.meta.url);

/** One thread, which executes one chunk at a time. If it dies, the next chunk gets a new thread. */
class ChunkSlot {
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
