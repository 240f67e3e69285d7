/**
 * @module
 * Long work in a worker thread of its own, which may start further threads. A cancelled thread may return a
 * partial result. If it has not ended after a time of grace, it is terminated with all its threads.
 */

import { url as inspectorUrl } from 'node:inspector';
import { parentPort, Worker, workerData } from 'node:worker_threads';

import type { ErrorCode } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';
import {
  loadedFiles,
  threadArguments,
  threadScript,
} from '../../src/runtime/load/load-definitions.ts';
import type { StepWatch } from '../../src/runtime/load/step-watch.ts';
import { beginWatch, watchCalls, watchMemory } from '../../src/runtime/load/step-watch.ts';
import { fullDiskOf } from './full-disk.ts';
import { JobGate, passGate } from './job-gate.ts';
import type { Execution } from './job-kind.ts';
import { SERVER_CLOSES, TURN_LOST } from './job-kind.ts';

/** What a thread receives. */
interface Assignment<Order> {
  readonly order: Order;
  readonly gate: Int32Array;
  /** Where its calls of code of the user are written; null without such code. */
  readonly watch: StepWatch | null;
}

/** A message of a thread. An error would lose its class on the way, so a refusal is data. */
type Message<Progress, Result> =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly detail: string };

/** Time for a cancelled thread to return a partial result by default, and always if the server stops. */
const CANCEL_GRACE_MS = 500;
/**
 * Largest heap of a thread, without its own threads. The limits of requests keep every thread far below:
 * of a hundred threads that reached it, V8 ended three together with the process.
 */
const MEMORY_MB_MAX = 1024;

/**
 * Executes an order in a thread of this script. Resolves to its result, or to null if it was terminated,
 * which it is `graceMs` after it was cancelled.
 * Rejects with LabError if it refuses, runs out of memory (`job.memory`), or waits for code of the user that does not end
 * (`arguments`).
 */
export async function executeInWorker<Progress, Result>(
  script: URL,
  order: object,
  { onProgress, signal, gate = new JobGate() }: Execution<Progress>,
  graceMs = CANCEL_GRACE_MS,
): Promise<Result | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | null>();
  const watch = loadedFiles().length === 0 ? null : { memory: watchMemory(), slot: 0 };
  const workerData: Assignment<object> = { order, gate: gate.cell, watch };
  const worker = new Worker(threadScript(script), {
    workerData,
    execArgv: [...process.execArgv, ...threadArguments()],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  worker
    .on('message', (message: Message<Progress, Result>) => {
      if (message.type === 'progress') onProgress(message.progress);
      else if (message.type === 'result') resolve(message.result);
      else reject(refusalOf(message.code, message.detail));
    })
    .on('error', (error) => reject(isOutOfMemory(error) ? outOfMemory() : error))
    .on('exit', (code) => reject(new Error(`a job's thread ended by itself with code ${code}`)));
  // A debugger stops calls for as long as its user likes.
  const endless =
    watch !== null && inspectorUrl() === undefined
      ? watchCalls(watch.memory, (problem) => reject(new LabError('arguments', problem)))
      : undefined;
  let grace: NodeJS.Timeout | undefined;
  const cancel = () => {
    gate.open();
    // Any message cancels.
    worker.postMessage('cancel');
    const isShort = signal.reason === SERVER_CLOSES || signal.reason === TURN_LOST;
    grace = setTimeout(() => resolve(null), isShort ? CANCEL_GRACE_MS : graceMs);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', cancel);
    clearTimeout(grace);
    clearInterval(endless);
    await worker.terminate();
  }
}

/** The side of the thread: executes its order and posts the result. */
export async function answerJob<Order, Progress, Result>(
  execute: (order: Order, execution: Execution<Progress>) => Promise<Result>,
): Promise<void> {
  if (parentPort === null) throw new TypeError('a job is executed in a worker thread only');
  const port = parentPort;
  const abort = new AbortController();
  const post = (message: Message<Progress, Result>) => port.postMessage(message);
  port.on('message', () => abort.abort());
  try {
    // What executeInWorker was given for this script.
    const { order, gate, watch } = workerData as Assignment<Order>;
    beginWatch(watch);
    const onProgress = (progress: Progress) => {
      post({ type: 'progress', progress });
      passGate(gate);
    };
    const result = await execute(order, { onProgress, signal: abort.signal });
    // The last progress belongs to the result.
    for (const report of omitted) report();
    post({ type: 'result', result });
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    post({ type: 'refusal', code: error.code, detail: error.message });
  }
}

/** Reports of the newest progress of this thread, if it was omitted. */
const omitted = new Set<() => void>();

/** Limits the rate of progress. What is omitted is followed by newer progress, or reported before the result. */
export function rateLimited<Progress>(
  onProgress: (progress: Progress) => void,
): (progress: () => Progress) => void {
  let reportedMs = Number.NEGATIVE_INFINITY;
  let last: (() => void) | null = null;
  return (progress) => {
    const nowMs = performance.now();
    if (last !== null) omitted.delete(last);
    if (nowMs - reportedMs < PROGRESS_MS) {
      last = () => onProgress(progress());
      omitted.add(last);
      return;
    }
    last = null;
    reportedMs = nowMs;
    onProgress(progress());
  };
}

const PROGRESS_MS = 100;

/**
 * A fault of a file is a fault of the server, unless the disk is full. Its detail contains a path, which callers must
 * not receive.
 */
function refusalOf(code: ErrorCode, detail: string): Error {
  const refusal = new LabError(code, detail);
  const fullDisk = fullDiskOf(refusal);
  if (fullDisk !== null) return fullDisk;
  return code.startsWith('file.') ? new Error(detail) : refusal;
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function outOfMemory(): LabError {
  return new LabError('job.memory', `it needed more than ${MEMORY_MB_MAX} MiB of memory`);
}
