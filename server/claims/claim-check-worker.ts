/**
 * @module
 * A thread that checks claims. It receives batches of questions and answers with their verdicts in order.
 */

import { parentPort } from 'node:worker_threads';
import { judge } from './claim-checks.ts';
import type { CheckedBatch, ClaimBatch } from './claim-threads.ts';

parentPort?.on('message', ({ number, questions }: ClaimBatch) => {
  parentPort?.postMessage({ number, verdicts: questions.map(judge) } satisfies CheckedBatch);
});
