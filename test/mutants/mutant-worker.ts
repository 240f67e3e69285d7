/**
 * @module
 * The thread of one trial: a module graph of its own, in which one source is replaced while it is
 * loaded, and the checks run over what came of it. Node strips the types, as it does for the product.
 */

import { parentPort, workerData } from 'node:worker_threads';

import { replaceSource } from './replacing.ts';
import type { Answer, Task } from './trial.ts';

const { replaced, checks } = workerData as Task; // What trial.ts puts there.
const wasLoaded = replaceSource(replaced);

// Only now, so that the hook sees everything that the checks import.
const { CHECKS } = await import('./checks/checks.ts');
const complaints = checks.map((name) => [name, CHECKS[name]()] as const);
parentPort?.postMessage({ loaded: wasLoaded(), complaints } satisfies Answer);
