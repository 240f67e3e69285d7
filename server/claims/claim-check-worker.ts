/**
 * @module
 * A thread that checks claims. It receives batches of questions and answers with their verdicts in order.
 */

import { parentPort } from 'node:worker_threads';
import { judge } from './claim-judge.ts';
import type { CheckedBatch, ClaimBatch } from './claim-threads.ts';

if (parentPort === null) throw new TypeError('claim-check-worker.ts runs as a worker thread only');
const port = parentPort;

port.on('message', ({ number, questions }: ClaimBatch) => {
  port.postMessage({ number, verdicts: questions.map(judge) } satisfies CheckedBatch);
});
