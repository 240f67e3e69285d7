/**
 * @module
 * Grades submitted files in threads, each with a limit of time. What is not finished by then is not graded, so that no
 * point depends on the speed of the machine.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import type { Exercise } from '../../exercise/document.ts';
import type { Grade } from '../../exercise/grading.ts';
import { inScratchFolder } from '../files/scratch-folder.ts';
import { assertSandbox } from './bubblewrap.ts';
import type { JudgeMessage, JudgeOrder } from './judge-thread.ts';

/** The memory of a judge. */
const MEMORY_MB_MAX = 1024;

const THREAD = new URL('./judge-thread.ts', import.meta.url);

/** A file of these students, and all files that it may read, by path. */
export interface SubmittedFile {
  readonly exercise: Exercise;
  readonly secret: Uint8Array;
  readonly students: readonly string[];
  readonly file: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export type FileOutcome =
  | { readonly outcome: 'graded'; readonly grade: Grade }
  | { readonly outcome: 'not-graded'; readonly reason: string };

/** Threads that judge. An idle one is used again, because a start takes as long as a short judgement. */
export class Judges {
  readonly #idle: Worker[] = [];
  readonly #seconds: number;
  readonly #signal: AbortSignal;

  /**
   * `seconds` limits the judgement of a file for one student. The signal stops all. Throws LabError `arguments` where no sandbox can be
   * started, because a file never runs without one.
   */
  constructor({ seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal }) {
    assertSandbox();
    this.#seconds = seconds;
    this.#signal = signal;
  }

  /** The grade of a file for each of its students, who share its process. What cannot be written is not graded. */
  grade({ files, ...submitted }: SubmittedFile): Promise<readonly FileOutcome[]> {
    return inScratchFolder('usurp-grade-', async (folder) => {
      const [submission, pipes] = [join(folder, 'submission'), join(folder, 'pipes')];
      mkdirSync(pipes);
      const reason = writeFault(submission, files);
      if (reason === null) return this.#judge({ ...submitted, submission, pipes });
      return submitted.students.map(() => ({ outcome: 'not-graded', reason }));
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.splice(0).map((worker) => worker.terminate()));
  }

  async #judge(order: JudgeOrder): Promise<readonly FileOutcome[]> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB_MAX };
    const worker = this.#idle.pop() ?? new Worker(THREAD, { resourceLimits });
    const started: number[] = [];
    let isOver = false;
    const outcomes: FileOutcome[] = [];
    const interrupt = () => resolve('interrupted');
    const late = () => resolve(`not finished after ${this.#seconds} s`);
    const timer = setTimeout(late, this.#seconds * 1e3);
    const receive = (message: JudgeMessage) => {
      if (typeof message === 'number') {
        if (isOver) kill(message);
        else started.push(message);
        return;
      }
      if (isOver) return;
      outcomes.push({ outcome: 'graded', grade: message });
      timer.refresh();
      if (outcomes.length === order.students.length) resolve(null);
    };
    const fail = (error: unknown) =>
      resolve(error instanceof Error ? error.message : String(error));
    const end = () => resolve('the judge has ended');
    worker.on('message', receive).on('error', fail).on('exit', end);
    this.#signal.addEventListener('abort', interrupt);
    if (this.#signal.aborted) interrupt();
    worker.postMessage(order);
    const reason = await promise;
    clearTimeout(timer);
    this.#signal.removeEventListener('abort', interrupt);
    isOver = true;
    if (reason !== null) {
      // The judge cannot end while it waits for an answer of a process, so that each of its processes is killed. The judge
      // is told to end first. Otherwise it could start another process.
      const ended = worker.terminate();
      for (const pid of started) kill(pid);
      await ended;
    }
    worker.off('message', receive).off('error', fail).off('exit', end);
    if (reason === null) {
      this.#idle.push(worker);
      return outcomes;
    }
    return order.students.map((_, index) => outcomes[index] ?? { outcome: 'not-graded', reason });
  }
}

/** Writes the files of a submission. Returns what fails, without the folder, whose name is random; null if nothing does. */
function writeFault(folder: string, files: SubmittedFile['files']): string | null {
  for (const [path, bytes] of files) {
    const target = join(folder, path);
    try {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, bytes);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return `the file ${path} cannot be written for its judgement: ${error.code}`;
    }
  }
  return null;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
