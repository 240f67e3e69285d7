/**
 * @module
 * A thread that checks claims. It receives batches of questions and answers them in order.
 */

import { parentPort } from 'node:worker_threads';
import type { CheckedBatch, ClaimBatch } from './claim-threads.ts';
import { judge } from './verifiers.ts';

parentPort?.on('message', ({ number, questions }: ClaimBatch) => {
  parentPort?.postMessage({ number, answers: questions.map(judge) } satisfies CheckedBatch);
});
