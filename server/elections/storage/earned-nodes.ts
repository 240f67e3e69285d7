/**
 * @module
 * Honest nodes that earn their IDs: mined under the election's policy in a thread of their own, one
 * election after the other, by turns of those who ask, the same for the same seed. What was found is
 * stored with the election, so that a restart mines nothing.
 */

import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { noBudgets } from '../../callers/caller-budgets.ts';
import { charged, currentAsker } from '../../callers/principal.ts';
import { JobQueue, SERVER_ITSELF } from '../../jobs/job-queue.ts';
import { executeInWorker } from '../../jobs/worker-job.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { EarnedNode, ElectionPlan } from '../live/plan.ts';
import { policyOf } from '../live/roster.ts';
import { Stage } from '../live/stage.ts';
import type { EarningOrder } from './earning-worker.ts';

/** Elections of one caller whose nodes wait or are mined. */
export const EARNING_PER_CALLER_MAX = 2;

/** What is refused beforehand takes a second or two; this ends what fools the estimate. */
export const EARNING_SECONDS_MAX = 10;
/** Of an order, before one is known: most of it is to start a thread. */
const TYPICAL_MS = 2_000;

const EARNING_WORKER = new URL('./earning-worker.ts', import.meta.url);

/** Mines the nodes of a plan. */
export type Earn = (order: EarningOrder, signal: AbortSignal) => Promise<readonly EarnedNode[]>;

interface EarningOptions {
  readonly budgets?: CallerBudgets;
  readonly earn?: Earn;
}

/** Owns what is being mined. */
export class EarnedNodes {
  readonly #earn: Earn;
  readonly #queue: JobQueue;
  readonly #nowMs: () => number;
  /** How many each caller has; nobody is here without one. */
  readonly #own = new Map<string, number>();
  /** What orders took of late. */
  #typicalMs = TYPICAL_MS;

  constructor({ budgets = noBudgets(), earn = earnInThread }: EarningOptions = {}) {
    this.#earn = earn;
    this.#queue = new JobQueue({ concurrent: 1, budgets });
    this.#nowMs = budgets.nowMs;
  }

  /**
   * The plan with the nodes that it asks to be mined, as it is where it asks for none. The signal says
   * that nobody waits for it any more. Throws OverloadError `limit.concurrent`, `limit.cpu` or
   * `limit.queue` when who asks has too many or too many wait, LabError `job.size` for what takes too
   * long and `arguments` for a plan that makes no election.
   */
  async settle(plan: ElectionPlan, signal?: AbortSignal): Promise<ElectionPlan> {
    if (plan.honest !== 'earned' || plan.earned !== undefined) return plan;
    const caller = currentAsker()?.caller ?? SERVER_ITSELF;
    const own = this.#own.get(caller) ?? 0;
    if (caller !== SERVER_ITSELF && own >= EARNING_PER_CALLER_MAX) {
      const detail = `the nodes of ${own} elections of yours wait to be mined already`;
      throw new OverloadError('limit.concurrent', detail, this.#queue.retryAfterS(caller));
    }
    // What makes no election is refused before anything is mined for it.
    charged(() => void new Stage(plan, {}));
    const { nodes, seed } = plan.options;
    this.#own.set(caller, own + 1);
    try {
      const earned = await this.#mine(
        caller,
        { policy: policyOf(plan), nodes, seed, seconds: EARNING_SECONDS_MAX },
        signal,
      );
      return { ...plan, earned };
    } finally {
      const left = (this.#own.get(caller) ?? 1) - 1;
      if (left > 0) this.#own.set(caller, left);
      else this.#own.delete(caller);
    }
  }

  /** Ends what is being mined, and what waits. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #mine(
    caller: string,
    order: EarningOrder,
    signal?: AbortSignal,
  ): Promise<readonly EarnedNode[]> {
    const abort = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<readonly EarnedNode[]>();
    let startedMs = this.#nowMs();
    const job = {
      caller,
      start: async () => {
        startedMs = this.#nowMs();
        await this.#earn(order, abort.signal).then(resolve, reject);
        this.#typicalMs = (3 * this.#typicalMs + this.#nowMs() - startedMs) / 4;
      },
      stop: () => {
        this.#queue.withdraw(job);
        abort.abort();
        reject(
          new OverloadError('server.unready', 'nobody waits for these nodes', STOPPED_RETRY_S),
        );
      },
      remainingMs: () => {
        const elapsedMs = this.#nowMs() - startedMs;
        const guessMs = Math.max(this.#typicalMs - elapsedMs, elapsedMs / 2);
        return Math.max(0, Math.min(guessMs, 1000 * EARNING_SECONDS_MAX - elapsedMs));
      },
    };
    this.#queue.enqueue(job);
    signal?.addEventListener('abort', job.stop);
    if (signal?.aborted === true) job.stop();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', job.stop);
    }
  }
}

async function earnInThread(
  order: EarningOrder,
  signal: AbortSignal,
): Promise<readonly EarnedNode[]> {
  const execution = { onProgress: () => undefined, signal };
  const earned = await executeInWorker<never, readonly EarnedNode[]>(
    EARNING_WORKER,
    order,
    execution,
  );
  if (earned === null) {
    throw new OverloadError('server.unready', 'the server is stopping', STOPPED_RETRY_S);
  }
  return earned;
}

/** Who asks again asks a server that has started anew. */
const STOPPED_RETRY_S = 10;
