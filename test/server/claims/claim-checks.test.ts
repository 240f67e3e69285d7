/**
 * @module
 * Checks of claims with verifiers that the test releases: their questions, their order, and what happens to
 * waiting questions.
 */

import { describe, expect, it } from 'vitest';
import {
  CLAIMS_PER_BATCH,
  CLAIMS_QUEUED_MAX,
  CLAIMS_QUEUED_PER_CALLER_MAX,
  ClaimChecks,
} from '../../../server/claims/claim-checks.ts';
import type { Checked, ClaimQuestion, Verifiers } from '../../../server/claims/verifiers.ts';
import type { Verdict } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';

const ADMITTED: Verdict = { admitted: true, refusal: null, checks: [] };

/** One batch at a time, which the test answers. */
function checksByHand() {
  const batches: {
    questions: readonly ClaimQuestion[];
    answer: PromiseWithResolvers<Checked[]>;
  }[] = [];
  const verifiers: Verifiers = {
    batches: 1,
    check(questions) {
      const answer = Promise.withResolvers<Checked[]>();
      batches.push({ questions, answer });
      return answer.promise;
    },
    async close() {
      for (const { answer } of batches) answer.reject(new Error('terminated'));
    },
  };
  let nowMs = 0;
  const checks = new ClaimChecks({ verifiers, nowMs: () => nowMs });
  const release = async () => {
    const batch = batches.at(-1);
    batch?.answer.resolve(batch.questions.map(() => ({ verdict: ADMITTED, cpuMs: 0 })));
    await new Promise((resolve) => setImmediate(resolve));
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { checks, batches, release, pass };
}

/** A claim of the right form only. No check reads it. */
function claimOf(number: number): Claim {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, number);
  const signature = new Uint8Array(64);
  return { scheme: 'ed25519', publicKey: bytes, nodeId: bytes, solution: null, signature };
}

const numberOf = ({ claim }: ClaimQuestion) => new DataView(claim.publicKey.buffer).getUint32(0);

describe('checks of claims', () => {
  it('checks a claim once, whether it is asked again later or at the same time', async () => {
    const { checks, batches, release } = checksByHand();
    const atOnce = [1, 2].map(() => checks.admit(claimOf(1), STRICT_POLICY));
    await release();

    const later = await checks.admit(claimOf(1), STRICT_POLICY, { caller: 'another' });

    expect([...(await Promise.all(atOnce)), later]).toEqual([ADMITTED, ADMITTED, ADMITTED]);
    expect(batches).toHaveLength(1);
  });

  it('distinguishes claims, policies and the requested checks', async () => {
    const { checks, batches, release } = checksByHand();
    const asked = [
      checks.admit(claimOf(1), STRICT_POLICY),
      checks.admit(claimOf(2), STRICT_POLICY),
      checks.admit(claimOf(1), { ...STRICT_POLICY, c1: 1 }),
      checks.admit(claimOf(1), STRICT_POLICY, { all: true }),
    ];

    await release();
    await release();
    await Promise.all(asked);

    expect(batches.flatMap(({ questions }) => questions)).toHaveLength(asked.length);
  });

  it('serves callers in turn, a few questions in a batch', async () => {
    const { checks, batches, release } = checksByHand();
    for (let number = 0; number < 20; number += 1) {
      void checks.admit(claimOf(number), STRICT_POLICY, { caller: 'much' });
    }
    void checks.admit(claimOf(100), STRICT_POLICY, { caller: 'little' });

    await release();

    expect(batches[0]?.questions.map(numberOf)).toEqual([0]);
    expect(batches[1]?.questions.map(numberOf)).toEqual([1, 100, 2, 3, 4, 5, 6, 7]);
    expect(batches[1]?.questions).toHaveLength(CLAIMS_PER_BATCH);
  });

  it('refuses a caller whose queue is full and still accepts others', async () => {
    const { checks, pass } = checksByHand();
    const ask = (number: number, caller: string) =>
      checks.admit(claimOf(number), STRICT_POLICY, { caller });
    // The first ones are being checked and no longer wait.
    for (let number = 0; number <= CLAIMS_QUEUED_PER_CALLER_MAX; number += 1) {
      void ask(number, 'much');
    }
    pass(2500);

    await expect(ask(-1, 'much')).rejects.toMatchObject({ code: 'limit.queue', retryAfterS: 3 });
    void ask(-2, 'little');

    expect(checks.waiting).toBe(CLAIMS_QUEUED_PER_CALLER_MAX + 1);
  });

  it('refuses all callers when the whole queue is full', async () => {
    const { checks } = checksByHand();
    const ask = (number: number) =>
      checks.admit(claimOf(number), STRICT_POLICY, { caller: String(number % 8) });

    for (let number = 0; number <= CLAIMS_QUEUED_MAX; number += 1) void ask(number);

    await expect(ask(-1)).rejects.toMatchObject({ code: 'limit.queue', retryAfterS: 1 });
  });

  it('reports a fault of the verifiers to the whole batch, and checks again on request', async () => {
    const { checks, batches, release } = checksByHand();
    const failed = checks.admit(claimOf(1), STRICT_POLICY);
    batches[0]?.answer.reject(new Error('out of order'));
    await expect(failed).rejects.toThrow('out of order');

    const again = checks.admit(claimOf(1), STRICT_POLICY);
    await release();

    expect(await again).toEqual(ADMITTED);
  });

  it('refuses waiting and new questions when it closes', async () => {
    const { checks } = checksByHand();
    const asked = [1, 2].map((number) => checks.admit(claimOf(number), STRICT_POLICY));
    const outcomes = Promise.allSettled(asked);

    await checks.close();
    const late = checks.admit(claimOf(3), STRICT_POLICY);

    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'limit.queue' } });
    }
    await expect(late).rejects.toMatchObject({ code: 'limit.queue' });
  });
});
