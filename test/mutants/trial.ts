/**
 * @module
 * Tries checks on the source as it is, or on a mutant of it, each time in a fresh thread that ends with
 * the trial: no module, no registry and no compiled code of one mutant reaches another.
 */

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

import type { CheckName } from './checks/checks.ts';
import type { Mutant } from './mutation.ts';
import { mutate } from './mutation.ts';
import type { Replacement } from './replacing.ts';

/** What the thread is to do. */
export interface Task {
  readonly replaced: Replacement | null;
  readonly checks: readonly CheckName[];
}

/** What the thread found. */
export interface Answer {
  /** Whether the replaced source was among what the checks import. */
  readonly loaded: boolean;
  /** What each check has to complain of; null for nothing. */
  readonly complaints: readonly (readonly [CheckName, string | null])[];
}

const ROOT = new URL('../../', import.meta.url);
/** A trial takes a second at most; a mutant that loops for ever is a bad mutant, not a killed one. */
const DEADLINE_MS = 40_000;

function readSource(file: string): string {
  return readFileSync(new URL(file, ROOT), 'utf8');
}

/** Runs the checks on a mutant, or on the source as it is. Rejects when the thread throws or hangs. */
export function tryChecks(checks: readonly CheckName[], mutant: Mutant | null): Promise<Answer> {
  return answerOf(new URL('./mutant-worker.ts', import.meta.url), { checks }, mutant);
}

/** What a thread answers to its task with a mutant, or with the source as it is. */
export function answerOf<Found>(thread: URL, task: object, mutant: Mutant | null): Promise<Found> {
  const replaced = mutant === null ? null : replacementOf(mutant);
  const workerData = { replaced, ...task };
  const worker = new Worker(thread, { workerData });
  const name = mutant?.name ?? 'the source as it is';
  return new Promise<Found>((resolve, reject) => {
    const deadline = setTimeout(() => {
      reject(new Error(`${name}: no answer in ${DEADLINE_MS} ms`));
    }, DEADLINE_MS);
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      clearTimeout(deadline);
      reject(new Error(`${name}: its thread ended without an answer, exit code ${code}`));
    });
  }).finally(() => worker.terminate());
}

function replacementOf(mutant: Mutant): Replacement {
  const url = new URL(mutant.file, ROOT).href;
  return { url, source: mutate(readSource(mutant.file), mutant) };
}
