/**
 * @module
 * The thread that checks the logs of a cluster against the model.
 */

import { readFile } from 'node:fs/promises';
import type { Disturbance } from '../../src/live/check/disturbances.ts';
import { checkLogs } from '../../src/live/check/log-check.ts';
import { parsePeers } from '../../src/live/peers.ts';
import { answerJob } from '../jobs/worker-job.ts';

/** The files of a cluster. */
export interface CheckOrder {
  readonly peers: string;
  readonly logs: readonly string[];
  /** The ranks of the nodes, the first of node 1. */
  readonly ranks: readonly string[];
  readonly disturbances: readonly Disturbance<string>[];
  readonly startedMs: number;
}

/** The result of the check. Nodes have their numbers in the cluster. */
export interface CheckResult {
  readonly steps: number;
  readonly defect: {
    readonly node: number;
    readonly record: number;
    readonly reason: string;
  } | null;
  /** Why the steps after these could not be repeated; null if all were. */
  readonly unchecked: string | null;
  readonly clash: { readonly epoch: number; readonly leaders: readonly number[] } | null;
  readonly forged: number;
}

await answerJob<CheckOrder, null, CheckResult>(async ({ peers, logs, ranks, ...known }) => {
  const numberOf = (rank: string) => ranks.indexOf(rank) + 1 || undefined;
  const founders = parsePeers(await readFile(peers, 'utf8'));
  const notes = { ...known, numberOf, adversaries: [] };
  const { replayed, clash, numbers } = checkLogs(founders, logs, notes);
  const { records, defect, unchecked, forged } = replayed;
  const numberAt = (position: number) => numbers[position - 1] ?? 0;
  return {
    steps: records.length,
    defect: defect && {
      node: numberAt(defect.position),
      record: defect.record,
      reason: defect.reason,
    },
    unchecked,
    clash: clash && { epoch: clash.epoch, leaders: clash.leaders.map(numberAt) },
    forged,
  };
});
