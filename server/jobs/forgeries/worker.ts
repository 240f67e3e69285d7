/**
 * @module
 * The thread of one forgery: it commands the threads that mine, makes the claims and has them checked,
 * all of it away from the thread that answers requests.
 */

import { parentPort, workerData } from 'node:worker_threads';

import { bytesToHex } from '../../../src/bytes.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import { ledgerOf } from '../../../src/mining/search.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { answerJob, seldom } from '../worker-job.ts';
import type { ForgeryOrder, ForgeryProgress, ForgeryResult } from './execution.ts';

if (parentPort === null) throw new TypeError('forgery-worker.ts runs as a worker thread only');
// Who made this thread is the only sender of its data.
const { task, threads } = workerData as ForgeryOrder;

await answerJob<ForgeryProgress, ForgeryResult>(parentPort, async ({ onProgress, signal }) => {
  const say = seldom(onProgress);
  const result = await mineInThreads(task, {
    threads,
    signal,
    onProgress: ({ state, ...progress }) =>
      say(() => ({ ...progress, ledger: ledgerOf(task, state()) })),
  });
  const { found, ending, identities, measured, ledger } = result;
  return {
    ...{ found, ending, measured, ledger },
    claims: identities.map(({ claim }) => claimToJson(claim)),
    secrets: identities.map(({ secret }) => ({
      form: secret.form,
      hex: bytesToHex(secret.bytes),
    })),
  };
});
