/**
 * @module
 * One sweep on a fleet. This process knows which chunks are out, and takes their results from a list in
 * Redis. It relies on no event that could be missed. Once a second it looks up the jobs that are out for
 * longer than usual:
 *
 * 1. A chunk's records are in the list before its job ends. So if a job was gone before the list was
 *    emptied, and the list did not contain its records, the job was lost and is put again.
 * 2. Records count only for a chunk that is out. A second copy of them has no effect.
 * 3. A job that failed for good, or whose records are always malformed, becomes failed rows.
 */

import { randomBytes } from 'node:crypto';
import { performance } from 'node:perf_hooks';

import type { Queue } from 'bullmq';

import { LabError } from '../../errors.ts';
import { groupsOfCell } from '../../experiment/sweep/sums.ts';
import type { Chunk, SweepDriver, SweepSpec } from '../../experiment/sweep/sweep.ts';
import { versionRemedy } from '../files/code-version.ts';
import { clearSweep } from './clearing.ts';
import type { Fleet } from './redis.ts';
import { endPresence, executeAll, PULSE_MS, showPresence } from './redis.ts';
import type { CheckedRecords } from './wire.ts';
import {
  cellField,
  cellText,
  HEAD_FIELD,
  headText,
  jobId,
  QUEUE_DEFAULT,
  readOrder,
  readResult,
  readWorkerNote,
  resultsKey,
  sweepDigest,
  sweepKey,
} from './wire.ts';

/** A chunk that is out. */
interface Outing {
  readonly id: string;
  readonly chunk: Chunk;
  putAtMs: number;
  losses: number;
  malformed: number;
}

/** Jobs that are out for each thread of the fleet, and their minimum, also without threads. */
const JOBS_PER_THREAD = 2;
const JOBS_MIN = 4;
/** How long a job is out before it is looked up. Most jobs take less time. */
const SETTLED_MS = 1500;
const LOSSES_MAX = 100;
const MALFORMED_MAX = 2;
const ATTEMPTS_MAX = 3;
/** How long a job that failed for good stays in Redis, so that its driver finds it. */
const FAILED_SECONDS = 3600;
/** How long the data of a sweep stays in Redis after its driver has died. */
const STORED_MS = 30_000;
const CELLS_STORED_MIN = 64;
const TAKE_SECONDS = 0.2;
const TAKE_MAX = 64;
/** How long Redis may be away. */
const AWAY_SECONDS_MAX = 120;
/** How long a command may still run when the sweep is cancelled. */
const CANCEL_MS = 2000;

export class FleetSweep {
  readonly #fleet: Fleet;
  readonly #jobs: Queue<unknown, null, string>;
  readonly #spec: SweepSpec;
  readonly #driver: SweepDriver;
  readonly #signal: AbortSignal;
  readonly #digest: string;
  /** Part of the names of this driver's keys. */
  readonly #sweep = randomBytes(16).toString('hex');
  readonly #out = new Map<string, Outing>();
  /** Cells that are in Redis. */
  readonly #stored = new Set<number>();
  readonly #view: FleetView;
  readonly #note: string;
  #pulsedAtMs = Number.NEGATIVE_INFINITY;
  #isHalted = false;

  constructor(
    fleet: Fleet,
    jobs: Queue<unknown, null, string>,
    work: { readonly spec: SweepSpec; readonly driver: SweepDriver; readonly signal: AbortSignal },
  ) {
    this.#fleet = fleet;
    this.#jobs = jobs;
    this.#spec = work.spec;
    this.#driver = work.driver;
    this.#signal = work.signal;
    this.#digest = sweepDigest(work.spec);
    const { codeVersion } = work.spec;
    this.#view = new FleetView(fleet, codeVersion);
    this.#note = JSON.stringify({ sweep: this.#sweep, codeVersion });
  }

  status(): string {
    return this.#view.status();
  }

  /** Like SweepEngine.execute. Throws LabError `storage.unavailable` if Redis stays away. */
  async run(): Promise<void> {
    const halt = Promise.withResolvers<void>();
    const onAbort = () => setTimeout(halt.resolve, CANCEL_MS).unref();
    const watch = setInterval(() => {
      if (this.#fleet.link.awaySeconds() > AWAY_SECONDS_MAX) halt.reject(this.#awayError());
    }, PULSE_MS);
    this.#signal.addEventListener('abort', onAbort, { once: true });
    try {
      // The loop checks the signal. It is abandoned only if it waits for a lost Redis.
      await Promise.race([this.#loop(), halt.promise]);
    } finally {
      this.#isHalted = true;
      clearInterval(watch);
      this.#signal.removeEventListener('abort', onAbort);
      if (this.#fleet.link.awaySeconds() === 0) await this.#clear();
    }
  }

  get #isOver(): boolean {
    return this.#isHalted || this.#signal.aborted;
  }

  async #loop(): Promise<void> {
    while (!this.#isOver) {
      await this.#pulseIfDue();
      const isAllOut = await this.#fill();
      if (isAllOut && this.#out.size === 0) return;
      await this.#take();
    }
  }

  /** Puts chunks into the queue. Returns true if the driver had fewer than there was room for. */
  async #fill(): Promise<boolean> {
    const room = Math.max(JOBS_MIN, JOBS_PER_THREAD * this.#view.threads);
    const outings: Outing[] = [];
    while (this.#out.size < room && !this.#isOver) {
      const chunk = this.#driver.next();
      if (chunk === null) break;
      const outing = { id: jobId(this.#digest, chunk), chunk, ...FRESH };
      this.#out.set(outing.id, outing);
      outings.push(outing);
    }
    if (outings.length > 0) await this.#put(outings);
    return this.#out.size < room;
  }

  /** Stores the cells of chunks, then puts the chunks into the queue. */
  async #put(outings: readonly Outing[]): Promise<void> {
    if (this.#isOver) return;
    await this.#store(new Set(outings.map(({ chunk }) => chunk.cell)));
    const now = performance.now();
    for (const outing of outings) outing.putAtMs = now;
    const opts = {
      attempts: ATTEMPTS_MAX,
      removeOnComplete: true,
      removeOnFail: { age: FAILED_SECONDS },
    };
    await this.#jobs.addBulk(
      outings.map(({ id, chunk: { cell, from, count } }) => ({
        name: 'chunk',
        data: { sweep: this.#sweep, cell, from, count },
        opts: { ...opts, jobId: id },
      })),
    );
  }

  async #store(cells: ReadonlySet<number>): Promise<void> {
    const fields: Record<string, string> = { [HEAD_FIELD]: headText(this.#spec) };
    for (const index of cells) {
      const cell = this.#spec.cells[index];
      if (cell === undefined || this.#stored.has(index)) continue;
      fields[cellField(index)] = cellText(cell);
      this.#stored.add(index);
    }
    const key = sweepKey(this.#fleet.queue, this.#sweep);
    const change = this.#fleet.link.client.multi().hset(key, fields).pexpire(key, STORED_MS);
    const needless = this.#needlessCells(cells);
    if (needless.length > 0) change.hdel(key, ...needless.map(cellField));
    await executeAll(change);
    for (const index of needless) this.#stored.delete(index);
  }

  /** Stored cells without a chunk that is out, if there are many. A sweep may have a million cells. */
  #needlessCells(cells: ReadonlySet<number>): readonly number[] {
    if (this.#stored.size < CELLS_STORED_MIN + 2 * this.#out.size) return [];
    const needed = new Set([...cells, ...[...this.#out.values()].map(({ chunk }) => chunk.cell)]);
    return [...this.#stored].filter((index) => !needed.has(index));
  }

  /** Waits briefly for results and takes them. */
  async #take(): Promise<void> {
    const key = resultsKey(this.#fleet.queue, this.#sweep);
    const first = await this.#fleet.waiting.client.blpop(key, TAKE_SECONDS);
    if (first === null || this.#isHalted) return;
    this.#accept(first[1]);
    const more = await this.#fleet.link.client.lpop(key, TAKE_MAX);
    for (const text of more ?? []) this.#accept(text);
  }

  #accept(text: string): void {
    if (this.#isHalted) return;
    const result = readResult(text);
    const outing = result === null ? undefined : this.#out.get(result.job);
    // The job belongs to another sweep, or its chunk has already come back.
    if (result === null || outing === undefined) return;
    const { chunk, id } = outing;
    const { records, wallSeconds } = result;
    if (records !== null && this.#isOf(chunk, records)) {
      const { packed, failed } = records;
      this.#out.delete(id);
      this.#driver.accept({ chunk, packed, failed, wallSeconds });
      return;
    }
    outing.malformed += 1;
    // Its job ends now. The next pulse looks it up.
    outing.putAtMs = Number.NEGATIVE_INFINITY;
    if (outing.malformed > MALFORMED_MAX) this.#giveUp(outing, 'no result had the right shape');
  }

  /** Whether the records have the number and the groups of protocols of the chunk. */
  #isOf(chunk: Chunk, { count, groups }: CheckedRecords): boolean {
    const cell = this.#spec.cells[chunk.cell];
    if (cell === undefined || count !== chunk.count) return false;
    return groups === 0 || groups === groupsOfCell(cell).length;
  }

  /** Reports failed rows instead of records. The sweep continues, and can retry them. */
  #giveUp({ id, chunk }: Outing, reason: string): void {
    const records = Array.from({ length: chunk.count }, (_, index) => ({
      repetition: chunk.from + index,
      outcomes: null,
      failure: `job.failed: ${reason}`,
    }));
    this.#out.delete(id);
    this.#fleet.say(`gave up a chunk of cell ${chunk.cell}: ${reason}`);
    this.#driver.accept({ chunk, records, wallSeconds: 0 });
  }

  async #pulseIfDue(): Promise<void> {
    if (performance.now() < this.#pulsedAtMs + PULSE_MS) return;
    this.#pulsedAtMs = performance.now();
    const { queue, link, say } = this.#fleet;
    const notes = await showPresence(link.client, queue, { board: 'sweeps', note: this.#note });
    this.#view.update(notes, await this.#jobs.getWaitingCount());
    const change = this.#view.change();
    if (change !== null) say(change);
    const isStored = await link.client.pexpire(sweepKey(queue, this.#sweep), STORED_MS);
    await this.#lookUp({ isStored: isStored === 1 });
  }

  /** Puts lost jobs into the queue again. */
  async #lookUp({ isStored }: { readonly isStored: boolean }): Promise<void> {
    if (!isStored) this.#stored.clear();
    const settledMs = performance.now() - SETTLED_MS;
    const settled = [...this.#out.values()].filter(({ putAtMs }) => putAtMs < settledMs);
    const states = await Promise.all(settled.map(({ id }) => this.#jobs.getJobState(id)));
    await this.#takeAll();
    const lost: Outing[] = [];
    for (const [index, outing] of settled.entries()) {
      if (this.#out.get(outing.id) !== outing) continue;
      const state = states[index];
      const isLost = state === 'unknown' || (state === 'failed' && !(await this.#bury(outing)));
      if (!isLost && isStored) continue;
      if (isLost) outing.losses += 1;
      if (outing.losses > LOSSES_MAX) this.#giveUp(outing, `it was lost ${LOSSES_MAX} times`);
      else lost.push(outing);
    }
    if (lost.length > 0) {
      this.#stored.clear();
      await this.#put(lost);
    }
  }

  /** Takes all results in the list. */
  async #takeAll(): Promise<void> {
    const key = resultsKey(this.#fleet.queue, this.#sweep);
    for (;;) {
      const texts = await this.#fleet.link.client.lpop(key, TAKE_MAX);
      if (texts === null || texts.length === 0) return;
      for (const text of texts) this.#accept(text);
    }
  }

  /** Gives up the chunk of a failed job. Returns false if the job failed for another driver. */
  async #bury(outing: Outing): Promise<boolean> {
    const job = await this.#jobs.getJob(outing.id);
    await this.#jobs.remove(outing.id);
    if (job === undefined || readOrder(job.data)?.sweep !== this.#sweep) return false;
    this.#giveUp(outing, job.failedReason);
    return true;
  }

  async #clear(): Promise<void> {
    const { link, queue } = this.#fleet;
    const work = async () => {
      await endPresence(link.client, queue, { board: 'sweeps', note: this.#note });
      const ids = [...this.#out.keys()];
      await clearSweep(link.client, this.#jobs, { queue, sweep: this.#sweep, ids });
    };
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, CLEAR_MS_MAX);
    await Promise.race([work(), late.promise]);
    clearTimeout(timer);
  }

  #awayError(): LabError {
    return new LabError(
      'storage.unavailable',
      `Redis at ${this.#fleet.link.address} was away for ${AWAY_SECONDS_MAX} s; ` +
        'start it and the sweep again, which goes on from what is finished',
    );
  }
}

const FRESH = { putAtMs: Number.POSITIVE_INFINITY, losses: 0, malformed: 0 };
const CLEAR_MS_MAX = 8000;

/**
 * What a driver knows about its fleet: the live workers, the number of waiting jobs, and a sentence that says what
 * to do if there are no workers.
 */
export class FleetView {
  /** Threads of the live workers with this code. */
  threads = 0;
  readonly #fleet: Pick<Fleet, 'link' | 'queue'>;
  readonly #codeVersion: string;
  #workers = 0;
  /** Code versions of the live workers with other code. */
  #strangers: readonly string[] = [];
  #waiting = 0;
  #lastLine = '';

  constructor(fleet: Pick<Fleet, 'link' | 'queue'>, codeVersion: string) {
    this.#fleet = fleet;
    this.#codeVersion = codeVersion;
  }

  /** Takes the notes of the workers and the number of waiting jobs. */
  update(notes: readonly string[], waiting: number): void {
    const workers = notes.map(readWorkerNote).filter((note) => note !== null);
    const own = workers.filter((note) => note.codeVersion === this.#codeVersion);
    this.#workers = own.length;
    this.threads = own.reduce((sum, note) => sum + note.threads, 0);
    this.#strangers = workers
      .map((note) => note.codeVersion)
      .filter((version) => version !== this.#codeVersion);
    this.#waiting = waiting;
  }

  /** For the line of progress. */
  status(): string {
    const seconds = this.#fleet.link.awaySeconds();
    if (seconds > 0) return `Redis is away for ${Math.ceil(seconds)} s`;
    if (this.#workers === 0) return this.#absence();
    const workers = counted(this.#workers, 'worker');
    return `${workers} live, ${counted(this.threads, 'thread')}, ${counted(this.#waiting, 'job')} waiting`;
  }

  /** A line for the user if workers appeared or disappeared. Null if nothing changed. */
  change(): string | null {
    const line = this.#workers === 0 ? this.#absence() : 'workers are live';
    const isFirst = this.#lastLine === '';
    if (line === this.#lastLine) return null;
    this.#lastLine = line;
    return isFirst && this.#workers > 0 ? null : line;
  }

  #absence(): string {
    const { queue: name, link } = this.#fleet;
    const queue = name === QUEUE_DEFAULT ? '' : ` --queue ${name}`;
    const command = `usurp worker --redis ${link.address}${queue}`;
    const codes = Map.groupBy(this.#strangers, (version) => version);
    if (codes.size === 0) return `no worker is live; start one: ${command}`;
    // In the same order, whatever the order of the notes, so that the line changes only with the workers.
    const others = [...codes].toSorted(([left], [right]) => (left < right ? -1 : 1));
    const texts = others.map(([code, { length }]) => {
      return `${counted(length, 'worker')} ${length === 1 ? 'has' : 'have'} ${code}`;
    });
    const remedies = new Set(others.map(([code]) => versionRemedy(this.#codeVersion, code)));
    const listed = [...remedies].join(', or ');
    return `no live worker has code ${this.#codeVersion}, ${texts.join(', ')}; ${listed}: ${command}`;
  }
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
