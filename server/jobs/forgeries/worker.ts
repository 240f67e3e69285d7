/**
 * @module
 * The thread of one forgery: it controls the mining threads, creates the claims and checks them, so that
 * the thread that answers requests does none of this.
 */

import { bytesToHex } from '../../../src/bytes.ts';
import { claimToJson } from '../../../src/identity/claim.ts';
import type { RankRule } from '../../../src/identity/ids/rank-key.ts';
import { byRank, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import { ledgerOf } from '../../../src/mining/search.ts';
import type { Hit } from '../../../src/mining/strategy.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { answerJob, rateLimited } from '../worker-job.ts';
import type { ForgeryOrder, ForgeryProgress, ForgeryResult } from './forgery.ts';

await answerJob<ForgeryOrder, ForgeryProgress, ForgeryResult>(
  async (order, { onProgress, signal }) => {
    const { task, threads } = order;
    const report = rateLimited(onProgress);
    let keys: readonly Hit[] = [];
    const result = await mineInThreads(task, {
      threads,
      signal,
      onProgress: ({ state, hits, ...progress }) =>
        report(() => {
          // The first keys of a pair may be millions, and none of them is found for itself.
          if (progress.phase === 'keys' && task.goal.type !== 'pair') keys = hits();
          const found = { keys: keys.length, highest: highestOf(keys, rankRuleOf(task.policy)) };
          return { ...progress, ...found, ledger: ledgerOf(task, state()) };
        }),
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

function highestOf(keys: readonly Hit[], rule: RankRule): ForgeryProgress['highest'] {
  const highest = byRank(keys, rule).at(-1);
  return highest === undefined
    ? null
    : { attempt: highest.attempt, nodeId: bytesToHex(highest.nodeId) };
}
