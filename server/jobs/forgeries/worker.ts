/**
 * @module
 * The thread of one forgery: it controls the mining threads, creates the claims and checks them, so that
 * the thread that answers requests does none of this.
 */

import { bytesToHex } from '../../../src/bytes.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import { ledgerOf } from '../../../src/mining/search.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { ForgeryOrder, ForgeryProgress, ForgeryResult } from './forgery.ts';

await answerJob<ForgeryOrder, ForgeryProgress, ForgeryResult>(
  async (order, { onProgress, signal }) => {
    const { task, threads } = order;
    const report = rateLimited(onProgress);
    const result = await mineInThreads(task, {
      threads,
      signal,
      onProgress: ({ state, ...progress }) =>
        report(() => ({ ...progress, ledger: ledgerOf(task, state()) })),
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
  },
);
