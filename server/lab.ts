/**
 * @module
 * The whole lab on one socket: the catalogue, the elections, and jobs executed by worker threads, one
 * at a time and one core left free, so that answering never waits for mining.
 */

import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Policy } from '../src/identity/policy.ts';
import { readCatalogue } from '../src/runtime/catalogue.ts';
import { createApp } from './app.ts';
import { EPHEMERAL_LOG, openElectionLog } from './election-log.ts';
import { ElectionStore } from './election-store.ts';
import { servedHosts } from './hosts.ts';
import { createJobs, executeInThreads } from './jobs.ts';
import { Lifecycle } from './lifecycle.ts';
import type { Address } from './listen.ts';
import { listen } from './listen.ts';
import { processMetrics } from './metrics.ts';
import type { OnRequest } from './request-observer.ts';
import type { OnFault } from './server-fault.ts';
import { SweepFolders } from './sweep-jobs.ts';
import type { TokenSet } from './tokens.ts';

export interface LabOptions extends Address {
  readonly version: string;
  /** What claims are asked for when a question names no policy. */
  readonly policy: Policy;
  /** The file that elections are kept in; null keeps them in memory alone. */
  readonly data: string | null;
  /** Who may ask; null or left out answers everybody. */
  readonly tokens?: TokenSet | null;
}

export interface Lab {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** How many elections came back from the file. */
  readonly restored: number;
  /** Refuses what comes from now on, cancels jobs, lets requests finish, ends. */
  close(): Promise<void>;
}

/**
 * Starts the lab and resolves when it is ready: it listens before it brings elections back, so that
 * who waits for it can ask. `onFault` learns of faults that callers are told nothing of, `onRequest`
 * of every request when it is over.
 */
export async function startLab(
  options: LabOptions,
  onFault: OnFault,
  onRequest: OnRequest = () => undefined,
): Promise<Lab> {
  const threadsEach = Math.max(1, availableParallelism() - 1);
  const nowMs = () => performance.now();
  const folders = new SweepFolders();
  const executions = executeInThreads(threadsEach, folders);
  const jobs = createJobs({ concurrent: 1 }, { executions, folders, onFault, nowMs });
  const log = options.data === null ? EPHEMERAL_LOG : openElectionLog(options.data);
  const elections = new ElectionStore(log);
  const lifecycle = new Lifecycle();
  // Lag is measured from now on, not from the first scrape.
  processMetrics();
  const app = createApp({
    version: options.version,
    policy: options.policy,
    threatModels: await readCatalogue(),
    elections,
    jobs,
    servesHost: servedHosts(options.host),
    lifecycle,
    tokens: options.tokens ?? null,
    onFault,
    onRequest,
  });
  const listening = await listen(options, app, onFault);
  const close = async () => {
    lifecycle.drain();
    await Promise.all([listening.close(), jobs.close()]);
    elections.close();
  };
  try {
    const restored = await elections.restore();
    lifecycle.restored();
    return { url: listening.url, restored, close };
  } catch (error) {
    await close();
    throw error;
  }
}
