/**
 * @module
 * The thread of one hunt: a module graph of its own, in which one source is replaced.
 */

import { parentPort, workerData } from 'node:worker_threads';

import type { Replacement } from '../replacing.ts';
import { replaceSource } from '../replacing.ts';
import type { Caught, Hunt } from './hunt.ts';

/** What the thread is to do. */
export interface HuntTask {
  readonly replaced: Replacement | null;
  readonly hunts: readonly Hunt[];
}

/** What the thread found. */
export interface HuntAnswer {
  /** Whether the replaced source was among what the search imports. */
  readonly loaded: boolean;
  /** One for each hunt. */
  readonly caught: readonly Caught[];
}

const { replaced, hunts } = workerData as HuntTask; // What exhaustion.test.ts puts there.
const wasLoaded = replaceSource(replaced);

// Only now, so that the hook sees everything that the search imports.
const { hunt } = await import('./hunt.ts');
const caught = hunts.map((each) => hunt(each));
parentPort?.postMessage({ loaded: wasLoaded(), caught } satisfies HuntAnswer);
