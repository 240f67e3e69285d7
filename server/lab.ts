/**
 * @module
 * The whole lab on one socket: the catalogue, the elections, and jobs executed by worker threads, one
 * at a time and one core left free, so that answering never waits for mining.
 */

import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';
import type { Policy } from '../src/identity/policy.ts';
import { readCatalogue } from '../src/runtime/files/catalogue.ts';
import { createApp } from './app.ts';
import type { CallerLimits } from './callers/caller-budgets.ts';
import { CallerBudgets, NO_LIMITS, SHARED_LIMITS } from './callers/caller-budgets.ts';
import type { TokenSet } from './callers/tokens.ts';
import { ClaimChecks } from './claims/claim-checks.ts';
import { ClaimThreads } from './claims/claim-threads.ts';
import { ElectionStore } from './elections/storage/store.ts';
import { AnswerStore } from './idempotency/answer-store.ts';
import { createJobs, executeInThreads } from './jobs/jobs.ts';
import { SweepFolders } from './jobs/sweeps/folders.ts';
import type { LabLogs } from './lab-logs.ts';
import { openLogs } from './lab-logs.ts';
import { Lifecycle } from './request/lifecycle.ts';
import type { OnFault } from './request/server-fault.ts';
import type { Services } from './services.ts';
import { Connections } from './socket/connection-limit.ts';
import { servedHosts } from './socket/hosts.ts';
import type { Address, Listening } from './socket/listen.ts';
import { listen } from './socket/listen.ts';
import { processMetrics } from './socket/metrics.ts';
import type { OnRequest } from './socket/request-observer.ts';
import { warmUp } from './warm-up.ts';

export interface LabOptions extends Address {
  readonly version: string;
  /** What claims are asked for when a question names no policy. */
  readonly policy: Policy;
  /** The file of all that lasts; null keeps it in memory alone. */
  readonly data: string | null;
  /** Ends starting; the lab that then comes of it is to be closed. */
  readonly signal?: AbortSignal;
  /** Who may ask; null or left out answers everybody. */
  readonly tokens?: TokenSet | null;
  /** What a caller may take, where that is not the default: bounded where tokens tell callers apart. */
  readonly limits?: Partial<CallerLimits>;
}

export interface Lab extends Pick<LabLogs, 'notes' | 'backup'> {
  /** `http://host:port`, without a slash at the end. */
  readonly url: string;
  /** How many elections there are in the file; each is back when it is first asked for. */
  readonly restored: number;
  /** Refuses what comes from now on, interrupts jobs, lets requests finish, ends. */
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
  const budgets = budgetsOf(options, nowMs);
  const logs = openLogs(options.data, onFault);
  const folders = new SweepFolders(options.data);
  const executions = executeInThreads(threadsEach, folders);
  const jobs = createJobs(
    { concurrent: 1, threads: threadsEach, budgets },
    { executions, folders, onFault, nowMs, logOf: logs.jobsOf },
  );
  const elections = new ElectionStore(logs.elections, budgets, onFault);
  const answers = new AnswerStore(nowMs, logs.answers);
  const admission = new ClaimChecks({ verifiers: new ClaimThreads(threadsEach), nowMs });
  const lifecycle = new Lifecycle();
  const connections = new Connections();
  // Lag is measured from now on, not from the first scrape.
  processMetrics();
  const services: Services = {
    version: options.version,
    policy: options.policy,
    admission,
    threatModels: await readCatalogue(),
    elections,
    jobs,
    answers,
    servesHost: servedHosts(options.host),
    lifecycle,
    tokens: options.tokens ?? null,
    budgets,
    connections,
    onFault,
    onRequest,
  };
  let listening: Listening | null = null;
  const close = async () => {
    lifecycle.drain();
    await Promise.all([listening?.close(), jobs.close()]);
    // Last: requests that are let finish may wait for a verdict.
    await admission.close();
    elections.close();
  };
  try {
    listening = await listen(options, createApp(services), onFault, { connections });
    const { url } = listening;
    answers.restore(Date.now());
    await jobs.restore();
    const restored = elections.restore();
    if (options.signal?.aborted !== true) {
      await warmUp(services);
      lifecycle.restored();
      // From now on everything is there for whoever asks for it; the rest follows.
      void elections.awakenAll();
    }
    return { url, restored, notes: logs.notes, backup: logs.backup, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Without tokens every program here is the same person's, and the limits of the server suffice. */
function budgetsOf({ tokens = null, limits }: LabOptions, nowMs: () => number): CallerBudgets {
  const own = { ...(tokens === null ? NO_LIMITS : SHARED_LIMITS), ...limits };
  return new CallerBudgets(own, nowMs, tokens?.makers);
}
