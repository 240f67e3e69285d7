/**
 * @module
 * The thread that checks the logs of a cluster against the model.
 */

import { readFile } from 'node:fs/promises';
import { checkLogs } from '../../src/runtime/live/log-check.ts';
import { parsePeers } from '../../src/runtime/live/peers.ts';
import { answerJob } from '../jobs/worker-job.ts';

/** The files of a cluster. */
export interface CheckOrder {
  readonly peers: string;
  readonly logs: readonly string[];
}

/** The result of the check. Nodes are named by their ranks. */
export interface CheckResult {
  readonly steps: number;
  readonly defect: {
    readonly rank: string;
    readonly record: number;
    readonly reason: string;
  } | null;
  readonly clash: { readonly epoch: number; readonly ranks: readonly string[] } | null;
}

await answerJob<CheckOrder, null, CheckResult>(async ({ peers, logs }) => {
  const { network, replayed, clash } = checkLogs(parsePeers(await readFile(peers, 'utf8')), logs);
  const { records, defect } = replayed;
  const rankAt = (position: number) => String(network.peers[position - 1]?.rank ?? position);
  return {
    steps: records.length,
    defect: defect && { ...defect, rank: rankAt(defect.position) },
    clash: clash && { epoch: clash.epoch, ranks: clash.leaders.map(rankAt) },
  };
});
