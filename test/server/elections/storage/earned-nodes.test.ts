/**
 * @module
 * Who waits for whom where nodes are mined: by turns, a few each, and nobody for those who have left.
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

/** Nodes that are mined when the test says so. */
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
  /** Elections are told apart by how many nodes they have. */
  const ask = (caller: string, nodes: number, signal?: AbortSignal) => {
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
  return { earned, clock, started, left, ask, endNext };
}

describe('nodes that are to be mined', () => {
  it('are mined by turns of those who ask', async () => {
    const { started, ask, endNext } = earning();
    const asked = [ask('ann', 2), ask('eve', 3), ask('eve', 4), ask('bob', 5)];

    for (const _ of asked) await endNext();

    const plans = await Promise.all(asked);
    expect(started).toEqual(['of 2', 'of 3', 'of 5', 'of 4']);
    expect(plans.map(({ earned }) => earned)).toEqual([[], [], [], []]);
  });

  it('are so many at a time of one caller, and others are let in', async () => {
    const { ask, endNext } = earning();
    const own = Array.from({ length: EARNING_PER_CALLER_MAX }, () => ask('eve', 2));

    const refused = ask('eve', 2);
    const other = ask('bob', 3);

    await expect(refused).rejects.toMatchObject({ code: 'limit.concurrent', retryAfterS: 3 });
    for (const _ of [...own, other]) await endNext();
    await expect(other).resolves.toMatchObject({ earned: [] });
    const again = ask('eve', 2);
    await endNext();
    await expect(again).resolves.toMatchObject({ earned: [] });
  });

  it('cost who asked for them the time that they took', async () => {
    const { ask, clock, endNext } = earning({ cpuSecondsPerHour: 9 });
    const first = ask('eve', 2);
    clock.ms += 10_000;
    await endNext();
    await first;

    const refused = ask('eve', 2);
    const other = ask('bob', 2);

    await expect(refused).rejects.toMatchObject({ code: 'limit.cpu' });
    await endNext();
    await expect(other).resolves.toMatchObject({ earned: [] });
  });

  it('are not mined for those who have left, be it before their turn or in it', async () => {
    const { ask, started, left, endNext } = earning();
    const waiting = new AbortController();
    const served = new AbortController();
    const asked = [ask('eve', 2, served.signal), ask('eve', 3, waiting.signal), ask('bob', 4)];
    const outcomes = Promise.allSettled(asked);

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

  it('are given up when the server closes', async () => {
    const { ask, earned, left } = earning();
    const outcomes = Promise.allSettled([ask('eve', 2), ask('bob', 3)]);

    await earned.close();

    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(left).toEqual(['of 2']);
  });
});
