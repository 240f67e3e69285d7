/**
 * @module
 * The store of forgeries, their progress and results, and their execution in a thread of their own.
 */

import type { ClaimJson } from '../../../src/identity/claim.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import { identitiesWanted, isClosestGoal } from '../../../src/mining/goal.ts';
import type { Ledger } from '../../../src/mining/ledger.ts';
import {
  attemptOdds,
  foundProbability,
  timeOdds,
  winProbability,
} from '../../../src/mining/odds.ts';
import type { MiningTask } from '../../../src/mining/phases.ts';
import { requiredBits } from '../../../src/mining/policy-cost.ts';
import type { MiningResult } from '../../../src/mining/search.ts';
import type { MiningProgress } from '../../../src/runtime/threads/mining-pool.ts';
import type { Execute, JobDependencies } from '../job-store.ts';
import { JobStore } from '../job-store.ts';
import { executeInWorker } from '../worker-job.ts';
import type { ForgeryRequest } from './request.ts';

/** Forgeries that are over and kept. */
export const FORGERIES_KEPT_MAX = 200;

export interface ForgeryProgress extends Omit<MiningProgress, 'state'> {
  /** The ledger if the search ended now. */
  readonly ledger: Ledger;
}

export interface ForgeryResult
  extends Pick<MiningResult, 'found' | 'ending' | 'measured' | 'ledger'> {
  readonly claims: readonly ClaimJson[];
  /** The private keys of the claims, in their order. */
  readonly secrets: readonly { readonly form: Secret['form']; readonly hex: string }[];
}

/** What the thread of a forgery receives. */
export interface ForgeryOrder {
  readonly task: MiningTask;
  readonly threads: number;
}

export type ExecuteForgery = Execute<ForgeryRequest, ForgeryProgress | null, ForgeryResult>;

export type ForgeryStore = JobStore<ForgeryRequest, ForgeryProgress | null, ForgeryResult>;

/** The store of forgeries that are executed by this function. */
export function forgeryStore(execute: ExecuteForgery, dependencies: JobDependencies): ForgeryStore {
  return new JobStore(
    {
      ...{ letter: 'f', noun: 'forgery', path: '/v1/forgeries', keptMax: FORGERIES_KEPT_MAX },
      ...{ begun: null, execute },
      remainingMs({ request, progress }, elapsedMs) {
        const { wallSeconds = Number.POSITIVE_INFINITY } = request.task.budget;
        const odds = progress && forgeryOdds(request.task, progress);
        const likelySeconds = odds?.p95Seconds ?? Number.POSITIVE_INFINITY;
        return Math.min(1000 * wallSeconds - elapsedMs, 1000 * likelySeconds);
      },
    },
    dependencies,
  );
}

/** Executes each forgery with this number of mining threads. */
export function forgeInThreads(threads: number): ExecuteForgery {
  return async ({ task }, { onProgress, signal }) => {
    let last: ForgeryProgress | null = null;
    const order: ForgeryOrder = { task, threads };
    const result = await executeInWorker<ForgeryProgress, ForgeryResult>(FORGERY_WORKER, order, {
      onProgress: (progress) => {
        last = progress;
        onProgress(progress);
      },
      signal,
    });
    return result ?? terminated(last);
  };
}

const FORGERY_WORKER = new URL('./worker.ts', import.meta.url);

/** The result of a search that was terminated: the ledger of its last progress. */
function terminated(last: ForgeryProgress | null): ForgeryResult {
  return {
    ...{ found: false, ending: 'cancelled', measured: null, claims: [], secrets: [] },
    ledger: last?.ledger ?? NOTHING_SPENT,
  };
}

const NOTHING_SPENT: Ledger = {
  ...{ attempts: 0, hashes: 0, groupOperations: 0, cpuSeconds: 0, wallSeconds: 0, overshoot: 0 },
};

/** The odds of a search. It has no memory, so there is no remaining time. */
export interface ForgeryOdds {
  /** Identities sought. The other members are about one of them. */
  readonly wanted: number;
  /** P(found by now) = 1 − (1−p)^tested; null if several are sought. */
  readonly foundProbability: number | null;
  /** From any moment: the mean time, and the times within which 50 % and 95 % end. */
  readonly expectedSeconds: number;
  readonly p50Seconds: number;
  readonly p95Seconds: number;
}

/** The odds of the present phase; null if only the budget ends it, or before the first candidate. */
export function forgeryOdds(task: MiningTask, progress: ForgeryProgress): ForgeryOdds | null {
  const { phase, tested, wallSeconds } = progress;
  const isForKeys = phase === 'keys';
  if (phase === 'stock' || tested === 0 || (isForKeys && isClosestGoal(task.goal))) return null;
  const chance = isForKeys ? keyChance(task) : 2 ** -requiredBits(task.policy).c2;
  const wanted = isForKeys ? identitiesWanted(task.goal) : 1;
  const times = timeOdds(attemptOdds(chance), tested / wallSeconds);
  return {
    wanted,
    foundProbability: wanted === 1 ? foundProbability(chance, tested) : null,
    expectedSeconds: times.expected,
    p50Seconds: times.p50,
    p95Seconds: times.p95,
  };
}

/** The probability that one attempt wins. Every key in stock meets the goal already. */
function keyChance({ policy, goal, strategy }: MiningTask): number {
  return winProbability(policy, strategy === 'stockpile' ? { type: 'any' } : goal);
}
