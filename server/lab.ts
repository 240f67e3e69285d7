/**
 * @module
 * The whole lab on one socket: the catalogue, the elections, and runs executed by worker threads, one
 * experiment at a time and one core left free, so that answering never waits for mining.
 */

import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import { LabError } from '../src/errors.ts';
import { report } from '../src/experiment/report.ts';
import type { Policy } from '../src/identity/policy.ts';
import { readCatalogue } from '../src/runtime/catalogue.ts';
import { runExperiment } from '../src/runtime/experiment-pool.ts';
import { createApp } from './app.ts';
import { EPHEMERAL_LOG, openElectionLog } from './election-log.ts';
import { ElectionStore } from './election-store.ts';
import { servedHosts } from './hosts.ts';
import type { Address } from './listen.ts';
import { listen } from './listen.ts';
import type { ExecuteExperiment } from './run-queue.ts';
import { RunQueue } from './run-queue.ts';
import type { OnFault } from './server-fault.ts';

export interface LabOptions extends Address {
  readonly version: string;
  /** What claims are asked for when a question names no policy. */
  readonly policy: Policy;
  /** The file that elections are kept in; null keeps them in memory alone. */
  readonly data: string | null;
}

export interface Lab {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** How many elections came back from the file. */
  readonly restored: number;
  /** Cancels runs, lets requests finish, ends. */
  close(): Promise<void>;
}

/** Starts the lab; `onFault` learns of faults that callers are told nothing of. */
export async function startLab(options: LabOptions, onFault: OnFault): Promise<Lab> {
  const threadsEach = Math.max(1, availableParallelism() - 1);
  const nowMs = () => performance.now();
  const execute = executeInThreads(threadsEach);
  const runs = new RunQueue({ concurrent: 1 }, { execute, onFault, nowMs });
  const log = options.data === null ? EPHEMERAL_LOG : openElectionLog(options.data);
  const elections = new ElectionStore(log);
  const restored = await elections.restore();
  const app = createApp({
    version: options.version,
    policy: options.policy,
    threatModels: await readCatalogue(),
    elections,
    runs,
    servesHost: servedHosts(options.host),
    onFault,
  });
  const listening = await listen(options, app, onFault);
  return {
    url: listening.url,
    restored,
    close: async () => {
      await Promise.all([listening.close(), runs.close()]);
      elections.close();
    },
  };
}

function executeInThreads(threads: number): ExecuteExperiment {
  return async ({ id, model, settings, runs, seed }, { onProgress, signal }) => {
    const experiment = { model, seed, runs };
    const { tally, isComplete, rateMeasured } = await runExperiment(experiment, {
      threads,
      signal,
      onProgress: ({ done }) => onProgress(done),
    });
    const done = isComplete ? runs : tally.runs;
    if (tally.runs === 0) throw new LabError('job.failed', 'cancelled before a run was finished');
    return report(model, tally, { id, seed, runs: done, settings, rateMeasured });
  };
}
