/**
 * @module
 * What a process does when a file of the user fails outside of a call: a timer that throws, a rejected
 * promise, a top-level await that never settles, or a loop without end. Each ends the process with a message.
 */

import { writeSync } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { LabError } from '../../errors.ts';
import { printable } from '../../printable.ts';
import { sealImports, userFrame } from '../../runtime/load/module-hooks.ts';
import { exitProcess } from '../../runtime/load/process-exit.ts';
import { EXIT, exitOf } from './exit.ts';
import type { UserCodeDeadline } from './user-code-deadline.ts';

/** Loading takes less than a second. The rest is for busy machines. */
const LOADING_SECONDS_MAX = 15;

let isLoading = false;
let hasEnded = false;

/**
 * Loads files of the user, and guards the process until `verbEnded`. Without files it only calls `load`. A service goes on
 * without a watch of each call.
 */
export async function loadGuarded(
  files: readonly string[],
  load: () => Promise<unknown>,
  isService: boolean,
): Promise<void> {
  if (files.length > 0) {
    process.on('uncaughtException', (error) => {
      const isPlaced = error instanceof LabError || (error instanceof Error && userFrame(error));
      const source = `usurp: error in a timer or promise, perhaps of --load ${files.join(', ')}:`;
      const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
      stop(EXIT.internal, isPlaced ? exitOf(error).lines : [source, text]);
    });
    process.on('beforeExit', () => {
      if (hasEnded) return;
      if (!isLoading) stop(EXIT.internal, ['usurp: the process ended before the verb']);
      const detail = 'a top-level await never settles, so that the file is never loaded';
      stop(EXIT.refused, [`usurp: --load ${files.join(', ')}: ${detail}`]);
    });
  }
  isLoading = true;
  const deadline = files.length > 0 ? await startDeadline(files) : null;
  let isLoaded = false;
  try {
    await load();
    isLoaded = true;
  } finally {
    // A debugger stops calls for as long as its user likes.
    const isWatched = isLoaded && !isService && inspectorUrl() === undefined;
    if (isWatched) deadline?.watchCalls();
    else await deadline?.end();
  }
  isLoading = false;
  sealImports();
  // Node reports rejected promises only between tasks, and a short verb is one task.
  if (files.length > 0) await setImmediate();
}

/** Kills the process if the files are not loaded in time, or if a call does not end while calls are watched. */
async function startDeadline(files: readonly string[]) {
  const { beginWatch, watchMemory } = await import('../../runtime/load/step-watch.ts');
  const detail = `not loaded after ${LOADING_SECONDS_MAX} s; remove loops and waits from the top level of the file`;
  const message = printable(`usurp: --load ${files.join(', ')}: ${detail}`);
  const memory = watchMemory();
  const workerData: UserCodeDeadline = {
    loadingSeconds: LOADING_SECONDS_MAX,
    message: `${message}\n`,
    memory,
  };
  const worker = new Worker(new URL('./user-code-deadline.ts', import.meta.url), {
    workerData,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  worker.unref();
  return {
    watchCalls() {
      worker.postMessage('loaded');
      beginWatch({ memory, slot: 0 });
    },
    end: () => worker.terminate(),
  };
}

/** The verb has ended, with a result or an error. */
export function verbEnded(): void {
  hasEnded = true;
}

function stop(code: number, lines: readonly string[]): never {
  // The process stops before a stream has written.
  for (const line of lines) writeSync(process.stderr.fd, `${printable(line)}\n`);
  return exitProcess(code);
}
