/**
 * @module
 * The order in which nodes are mined: in turns of the callers, a few each, and not for callers that have left.
 */

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { CallerLimits } from '../../../../server/callers/caller-budgets.ts';
import { CallerBudgets, NO_LIMITS } from '../../../../server/callers/caller-budgets.ts';
import type { ElectionPlan } from '../../../../server/elections/live/plan.ts';
import type { Earn } from '../../../../server/elections/storage/earned-nodes.ts';
import {
  EARNING_PER_CALLER_MAX,
  EarnedNodes,
} from '../../../../server/elections/storage/earned-nodes.ts';
import { STRICT_POLICY } from '../../../../src/identity/policy.ts';
import { parseSeed } from '../../../../src/random.ts';
import { principalOf } from '../../principals.ts';

/** Nodes that are mined when the test ends their mining. */
function earning(limits: Partial<CallerLimits> = {}) {
  const clock = { ms: 0 };
  const started: string[] = [];
  const left: string[] = [];
  const ends: (() => void)[] = [];
  const earn: Earn = ({ nodes }, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly []>();
    const name = `of ${nodes}`;
    started.push(name);
    ends.push(() => resolve([]));
    signal.addEventListener('abort', () => {
      left.push(name);
      reject(new Error('left'));
    });
    return promise;
  };
  const budgets = new CallerBudgets({ ...NO_LIMITS, ...limits }, () => clock.ms);
  const earned = new EarnedNodes({ budgets, earn });
  /** The number of nodes distinguishes the elections. */
  const settle = (caller: string, nodes: number, signal?: AbortSignal) => {
    const plan: ElectionPlan = {
      options: { protocol: 'bully-oneshot', nodes, seed: parseSeed('1') },
      ...{ initiators: undefined, runs: false, honest: 'earned', policy: STRICT_POLICY },
    };
    return earned.settle(plan, principalOf(caller), signal);
  };
  const endNext = async () => {
    ends.shift()?.();
    await setImmediate();
  };
  return { earned, clock, started, left, settle, endNext };
}

describe('nodes that are to be mined', () => {
  it('are mined in turns of the callers', async () => {
    const { started, settle, endNext } = earning();
    const requested = [settle('ann', 2), settle('eve', 3), settle('eve', 4), settle('bob', 5)];

    for (const _ of requested) await endNext();

    const plans = await Promise.all(requested);
    expect(started).toEqual(['of 2', 'of 3', 'of 5', 'of 4']);
    expect(plans.map(({ earned }) => earned)).toEqual([[], [], [], []]);
  });

  it('are limited for one caller, and other callers are served', async () => {
    const { settle, endNext } = earning();
    const own = Array.from({ length: EARNING_PER_CALLER_MAX }, () => settle('eve', 2));

    const refused = settle('eve', 2);
    const other = settle('bob', 3);

    await expect(refused).rejects.toMatchObject({ code: 'limit.concurrent', retryAfterS: 3 });
    for (const _ of [...own, other]) await endNext();
    await expect(other).resolves.toMatchObject({ earned: [] });
    const again = settle('eve', 2);
    await endNext();
    await expect(again).resolves.toMatchObject({ earned: [] });
  });

  it('are charged to their caller', async () => {
    const { settle, clock, endNext } = earning({ cpuSecondsPerHour: 9 });
    const first = settle('eve', 2);
    clock.ms += 10_000;
    await endNext();
    await first;

    const refused = settle('eve', 2);
    const other = settle('bob', 2);

    await expect(refused).rejects.toMatchObject({ code: 'limit.cpu' });
    await endNext();
    await expect(other).resolves.toMatchObject({ earned: [] });
  });

  it('are not mined for callers that left before their turn or in it', async () => {
    const { settle, started, left, endNext } = earning();
    const waiting = new AbortController();
    const served = new AbortController();
    const requested = [
      settle('eve', 2, served.signal),
      settle('eve', 3, waiting.signal),
      settle('bob', 4),
    ];
    const outcomes = Promise.allSettled(requested);

    waiting.abort();
    served.abort();
    await setImmediate();
    await endNext();
    await endNext();

    const states = (await outcomes).map(({ status }) => status);
    expect(states).toEqual(['rejected', 'rejected', 'fulfilled']);
    expect(started).toEqual(['of 2', 'of 4']);
    expect(left).toEqual(['of 2']);
  });

  it('are given up when the server stops', async () => {
    const { settle, earned, left } = earning();
    const outcomes = Promise.allSettled([settle('eve', 2), settle('bob', 3)]);

    await earned.close();

    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(left).toEqual(['of 2']);
  });
});
