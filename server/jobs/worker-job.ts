/**
 * @module
 * Long work in a worker thread of its own, which may have threads in turn. Cancelling asks it to come
 * to an end, so that it can tell what it had; a thread that has not ended after a moment is terminated
 * with all its threads, so that no CPU is used any more a second after a cancel.
 */

import type { MessagePort } from 'node:worker_threads';
import { Worker } from 'node:worker_threads';

import type { ErrorCode } from '../../src/errors.ts';
import { LabError } from '../../src/errors.ts';
import { threadArguments } from '../../src/runtime/load/load-definitions.ts';
import type { Execution } from './job-store.ts';

/** What a thread says. An error of ours would arrive without its class, so a refusal is data. */
type Message<Progress, Result> =
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'result'; readonly result: Result }
  | { readonly type: 'refusal'; readonly code: ErrorCode; readonly detail: string };

/** How long a cancelled thread has to tell what it had. */
const CANCEL_GRACE_MS = 500;
/** What is ordered from a thread that is to come to an end. */
const CANCEL = 'cancel';
/**
 * Of a thread's heap, its own threads not counted. Requests are bounded so that none comes near it:
 * V8 ended three of a hundred threads that did together with the process.
 */
const MEMORY_MB_MAX = 1024;

/**
 * Executes an order in a thread of this script. Resolves to its result, or to null where it was
 * terminated; rejects with LabError where it refuses or runs out of memory (`job.memory`).
 */
export async function executeInWorker<Progress, Result>(
  script: URL,
  order: object,
  { onProgress, signal }: Execution<Progress>,
): Promise<Result | null> {
  const { promise, resolve, reject } = Promise.withResolvers<Result | null>();
  const worker = new Worker(script, {
    workerData: order,
    execArgv: [...process.execArgv, ...threadArguments()],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB_MAX },
  });
  worker
    .on('message', (message: Message<Progress, Result>) => {
      switch (message.type) {
        case 'progress':
          onProgress(message.progress);
          break;
        case 'result':
          resolve(message.result);
          break;
        case 'refusal':
          reject(refusalOf(message.code, message.detail));
          break;
        default:
          message satisfies never;
      }
    })
    .on('error', (error) => reject(isOutOfMemory(error) ? outOfMemory() : error))
    .on('exit', (code) => reject(new Error(`a job's thread ended by itself with code ${code}`)));
  let grace: NodeJS.Timeout | undefined;
  const cancel = () => {
    worker.postMessage(CANCEL);
    grace = setTimeout(() => resolve(null), CANCEL_GRACE_MS);
  };
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  try {
    return await promise;
  } finally {
    signal.removeEventListener('abort', cancel);
    clearTimeout(grace);
    await worker.terminate();
  }
}

/** The other side: executes the one order of this thread and posts what comes of it. */
export async function answerJob<Progress, Result>(
  port: MessagePort,
  execute: (execution: Execution<Progress>) => Promise<Result>,
): Promise<void> {
  const abort = new AbortController();
  const say = (message: Message<Progress, Result>) => port.postMessage(message);
  port.on('message', () => abort.abort());
  try {
    const onProgress = (progress: Progress) => say({ type: 'progress', progress });
    say({ type: 'result', result: await execute({ onProgress, signal: abort.signal }) });
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    say({ type: 'refusal', code: error.code, detail: error.message });
  }
}

/** Progress at most so often; what is left out is followed by something newer. */
export function seldom<Progress>(
  onProgress: (progress: Progress) => void,
): (progress: () => Progress) => void {
  let saidMs = Number.NEGATIVE_INFINITY;
  return (progress) => {
    const nowMs = performance.now();
    if (nowMs - saidMs < PROGRESS_MS) return;
    saidMs = nowMs;
    onProgress(progress());
  };
}

const PROGRESS_MS = 100;

/** A fault of files is one of this server, and its words name them: callers are told neither. */
function refusalOf(code: ErrorCode, detail: string): Error {
  return code.startsWith('file.') ? new Error(detail) : new LabError(code, detail);
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function outOfMemory(): LabError {
  return new LabError('job.memory', `it needed more than ${MEMORY_MB_MAX} MiB of memory`);
}
