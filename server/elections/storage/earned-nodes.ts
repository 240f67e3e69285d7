/**
 * @module
 * Mines the IDs of honest nodes under the policy of their election: in a thread, one election after the other,
 * in turns of their callers. The same seed gives the same IDs. They are stored with the election.
 */

import type { EarningOrder } from '../../../src/mining/honest-nodes.ts';
import type { CallerBudgets } from '../../callers/caller-budgets.ts';
import { noBudgets } from '../../callers/caller-budgets.ts';
import { Tallies } from '../../callers/tallies.ts';
import { JobQueue } from '../../jobs/job-queue.ts';
import { executeInWorker } from '../../jobs/worker-job.ts';
import type { Principal } from '../../request/principal.ts';
import { charged, SERVER_ITSELF } from '../../request/principal.ts';
import { OverloadError } from '../../request/refusals.ts';
import type { EarnedNode, ElectionPlan } from '../live/plan.ts';
import { policyOf } from '../live/roster.ts';
import { Stage } from '../live/stage.ts';

/** Elections of one caller whose nodes wait or are mined. */
export const EARNING_PER_CALLER_MAX = 2;

/** Longest mining. Accepted policies take a second or two; this limit is for wrong estimates. */
export const EARNING_SECONDS_MAX = 10;
/** Estimated duration of the first order. Most of it is the start of a thread. */
const TYPICAL_MS = 2_000;

const EARNING_WORKER = new URL('./earning-worker.ts', import.meta.url);

type Earned = readonly EarnedNode[];

/** Mines the nodes of an order. */
export type Earn = (order: EarningOrder, signal: AbortSignal) => Promise<Earned>;

interface EarningOptions {
  readonly budgets?: CallerBudgets;
  readonly earn?: Earn;
}

/** Owns the mining. */
export class EarnedNodes {
  readonly #earn: Earn;
  readonly #queue: JobQueue;
  readonly #nowMs: () => number;
  /** Orders of each caller. */
  readonly #orders = new Tallies();
  /** Recent duration of an order. */
  #typicalMs = TYPICAL_MS;

  constructor({ budgets = noBudgets(), earn = earnInThread }: EarningOptions = {}) {
    this.#earn = earn;
    this.#queue = new JobQueue({ concurrent: 1, budgets });
    this.#nowMs = budgets.nowMs;
  }

  /**
   * The plan with its mined nodes; the same plan if it has none. The signal says that the caller has
   * disconnected. Throws OverloadError `limit.concurrent`, `limit.cpu` or `limit.queue` if too many orders
   * wait, LabError `job.size` for an order that takes too long and `arguments` for an impossible plan.
   */
  async settle(
    plan: ElectionPlan,
    principal: Principal,
    signal?: AbortSignal,
  ): Promise<ElectionPlan> {
    if (plan.honest !== 'earned' || plan.earned !== undefined) return plan;
    const { caller } = principal;
    const own = this.#orders.of(caller);
    if (caller !== SERVER_ITSELF && own >= EARNING_PER_CALLER_MAX) {
      const detail = `the nodes of ${own} elections of yours wait to be mined already`;
      throw new OverloadError('limit.concurrent', detail, this.#queue.retryAfterS(caller));
    }
    // An impossible plan is refused before anything is mined for it.
    charged(principal, () => new Stage(plan, {}));
    const { nodes, seed } = plan.options;
    const order = { policy: policyOf(plan), nodes, seed, seconds: EARNING_SECONDS_MAX };
    const close = this.#orders.open(caller);
    try {
      return { ...plan, earned: await this.#mine(caller, order, signal) };
    } finally {
      close();
    }
  }

  /** Stops the mining, and refuses the orders that wait. */
  async close(): Promise<void> {
    await this.#queue.close();
  }

  async #mine(caller: string, order: EarningOrder, signal?: AbortSignal): Promise<Earned> {
    const abort = new AbortController();
    const { promise, resolve, reject } = Promise.withResolvers<Earned>();
    let startedMs = this.#nowMs();
    const job = {
      caller,
      canPause: false,
      pause: () => undefined,
      goOn: () => undefined,
      giveUp: () => undefined,
      start: async () => {
        startedMs = this.#nowMs();
        await this.#earn(order, abort.signal).then(resolve, reject);
        this.#typicalMs = (3 * this.#typicalMs + this.#nowMs() - startedMs) / 4;
        return true;
      },
      stop: () => {
        this.#queue.withdraw(job);
        abort.abort();
        reject(stopped('the request for these nodes has ended'));
      },
      remainingMs: () => {
        const elapsedMs = this.#nowMs() - startedMs;
        const estimateMs = Math.max(this.#typicalMs - elapsedMs, elapsedMs / 2);
        return Math.max(0, Math.min(estimateMs, 1000 * EARNING_SECONDS_MAX - elapsedMs));
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

const earnInThread: Earn = async (order, signal) => {
  const execution = { onProgress: () => undefined, signal };
  const earned = await executeInWorker<never, Earned>(EARNING_WORKER, order, execution);
  if (earned === null) throw stopped('the server is stopping');
  return earned;
};

function stopped(detail: string): OverloadError {
  return new OverloadError('server.unready', detail, STOPPED_RETRY_S);
}

/** The next server at this address has started by then. */
const STOPPED_RETRY_S = 10;
