/**
 * @module
 * Honest nodes that earn their IDs: mined under the election's policy in a thread of their own, one
 * election after the other, the same for the same seed. What was found is stored with the election, so
 * that a restart mines nothing.
 */

import { chargedCpu } from '../callers/asker.ts';
import { OverloadError } from '../contract/problem.ts';
import { executeInWorker } from '../jobs/worker-job.ts';
import type { EarningOrder } from './earning-worker.ts';
import type { EarnedNode, ElectionPlan } from './election-plan.ts';
import { policyOf } from './election-roster.ts';
import { Stage } from './election-stage.ts';

/** Elections whose nodes wait to be mined. */
export const EARNING_MAX = 8;

const EARNING_WORKER = new URL('./earning-worker.ts', import.meta.url);
const RETRY_AFTER_S = 2;

/** Mines the nodes of a plan. */
export type Earn = (order: EarningOrder, signal: AbortSignal) => Promise<readonly EarnedNode[]>;

/** Owns what is being mined. */
export class EarnedNodes {
  readonly #earn: Earn;
  readonly #closing = new AbortController();
  #waiting = 0;
  #tail: Promise<unknown> = Promise.resolve();

  constructor(earn: Earn = earnInThread) {
    this.#earn = earn;
  }

  /**
   * The plan with the nodes that it asks to be mined, as it is where it asks for none. Throws
   * OverloadError `limit.queue` when too many wait, LabError `job.size` for what takes too long and
   * `arguments` for a plan that makes no election.
   */
  async settle(plan: ElectionPlan): Promise<ElectionPlan> {
    if (plan.honest !== 'earned' || plan.earned !== undefined) return plan;
    // What makes no election is refused before anything is mined for it.
    void new Stage(plan, {});
    if (this.#waiting >= EARNING_MAX) {
      const detail = `the nodes of ${EARNING_MAX} elections wait to be mined already`;
      throw new OverloadError('limit.queue', detail, RETRY_AFTER_S);
    }
    const { nodes, seed } = plan.options;
    this.#waiting += 1;
    const order = { policy: policyOf(plan), nodes, seed };
    const done = this.#tail.then(() => chargedCpu(() => this.#earn(order, this.#closing.signal)));
    this.#tail = done.catch(() => undefined);
    try {
      return { ...plan, earned: await done };
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Ends what is being mined. */
  close(): void {
    this.#closing.abort();
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
  if (earned === null) throw new OverloadError('server.unready', 'the server is stopping', 10);
  return earned;
}
