/**
 * @module
 * Floods of bad claims against policies with slow puzzles: the caller's slow work stays within its quota, and the claims
 * of others are answered meanwhile.
 */

import { performance } from 'node:perf_hooks';
import { afterAll, describe, expect, it } from 'vitest';

import { CallerBudgets, NO_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { ClaimChecks } from '../../../server/claims/claim-checks.ts';
import { ClaimThreads } from '../../../server/claims/claim-threads.ts';
import type { Checked, ClaimQuestion, Verifiers } from '../../../server/claims/verifiers.ts';
import { judge } from '../../../server/claims/verifiers.ts';
import { concatBytes, u64be } from '../../../src/bytes.ts';
import { admit, admitCheaply } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { createClaim } from '../../../src/identity/claim.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { parsePolicy, STRICT_POLICY } from '../../../src/identity/policy.ts';
import { evaluationCost, isSlow } from '../../../src/identity/puzzles/puzzle-function.ts';
import type { MiningTask } from '../../../src/mining/search.ts';
import { mine } from '../../../src/mining/search.ts';
import { parseSeed } from '../../../src/random.ts';
import { IS_WHOLE } from '../../sample.ts';
import { VERIFIER_HERE } from './verifier-here.ts';

/** Slow IDs are checked in another order: see test/identity/ids/slow.test.ts. */
const SLOW_POLICIES = Object.entries(NAMED_POLICIES).filter(
  ([, { policy }]) => isSlow(policy.puzzle) && policy.idRule !== 'slow',
);
const FLOOD = IS_WHOLE ? 1000 : 400;
/** A hundredth of a thread. The burst is that of ten seconds. */
const QUOTA = { msPerSecond: 10, burstMs: 100 };
const STOPPED = { cpuSeconds: () => 0, wallSeconds: () => 0 };

const threads = new ClaimThreads(1);
const slowThreads = new ClaimThreads(1, 1);

afterAll(async () => {
  await Promise.all([threads.close(), slowThreads.close()]);
});

it('there are three such policies whose IDs are fast', () => {
  expect(SLOW_POLICIES.map(([name]) => name)).toEqual(['iterated', 'scrypt', 'argon2id']);
});

describe.each(SLOW_POLICIES)('%s', (_name, { policy: named }) => {
  const policy: Policy = { ...named, c2: 20 };

  it(`${FLOOD} bad claims stay within the quota, and others are answered meanwhile`, async () => {
    const own: Policy = { ...named, c1: 1 };
    const honest = [5, 6, 7].map((seed) => honestClaim(own, seed));
    const strict = [1, 2, 3].map((seed) => honestClaim(STRICT_POLICY, seed));
    const flood = Array.from({ length: FLOOD }, (_, index) => badClaim(policy, index));
    const { checks, slowMs } = checksWithQuota();
    const start = performance.now();

    const answers = flood.map((claim) => settled(checks.admit(claim, policy, { caller: 'much' })));
    const others = await Promise.all([
      ...honest.map((claim) => checks.admit(claim, own, { caller: 'little' })),
      ...strict.map((claim) => checks.admit(claim, STRICT_POLICY, { caller: 'little' })),
    ]);
    const outcomes = await Promise.all(answers);
    // Those that found the queue full are sent again, one after the other, as a flooder would.
    for (const [index, claim] of flood.entries()) {
      if (outcomes[index] !== 'limit.queue') continue;
      outcomes[index] = await settled(checks.admit(claim, policy, { caller: 'much' }));
    }

    const ownMs = honest.length * 2 * evaluationCost(policy.puzzle).ms;
    const quotaMs = QUOTA.burstMs + ((performance.now() - start) * QUOTA.msPerSecond) / 1000;
    expect(others.map(({ admitted }) => admitted)).toEqual(others.map(() => true));
    // One question may overdraw it, and clocks of threads tick in milliseconds.
    expect(slowMs()).toBeLessThan(quotaMs + ownMs + 50);
    expect(outcomes.filter((each) => each === 'signature.invalid')).toHaveLength(FLOOD / 2);
    expect(new Set(outcomes)).not.toContain('admitted');
    expect(outcomes).toContain('pow.insufficient');
  });

  it('asks for the signature before the puzzle, and for the form of a solution before both', () => {
    const signed = badClaim(policy, 1);
    const forged = badClaim(policy, 0);
    const short = { ...signed, solution: new Uint8Array(7) };

    expect(admitCheaply(forged, policy)?.refusal).toBe('signature.invalid');
    expect(admitCheaply(signed, policy)).toBeNull();
    expect(admit(signed, policy).checks.map(({ check }) => check)).toEqual([
      ...['nodeId', 'encoding', 'smallOrder', 'torsion', 'signature', 'dynamic'],
    ]);
    expect(admitCheaply(resigned(short, policy), policy)?.refusal).toBe('pow.insufficient');
    expect(admitCheaply({ ...signed, solution: null }, policy)?.refusal).toBe('signature.invalid');
  });

  it('evaluates no puzzle that requires no bits', () => {
    const free = { ...policy, c1: 0, c2: 0 };
    const claim = badClaim(free, 1);

    expect(admitCheaply(claim, free)).toEqual(admit(claim, free));
    expect(admit(claim, free).checks.map(({ check }) => check)).toEqual([
      ...['nodeId', 'encoding', 'smallOrder', 'torsion', 'signature'],
    ]);
  });

  it('decides as the whole check wherever it decides', () => {
    for (let index = 0; index < 8; index += 1) {
      const claim = badClaim(policy, index);
      const cheap = admitCheaply(claim, policy);

      expect(cheap ?? admit(claim, policy)).toEqual(admit(claim, policy));
      expect(cheap === null).toBe(index % 2 === 1);
    }
  });
});

describe('the quota for slow puzzles', () => {
  const policy = parsePolicy({ c1: 8, puzzle: { function: 'iterated', iterations: 200_000 } });

  it('is each caller’s own, also for a claim that two callers ask about at once', async () => {
    const { checks } = checksWithQuota();
    const first = badClaim(policy, 1);
    const shared = badClaim(policy, 3);
    await settled(checks.admit(first, policy, { caller: 'much' }));

    const [much, little] = await Promise.all([
      settled(checks.admit(shared, policy, { caller: 'much' })),
      settled(checks.admit(shared, policy, { caller: 'little' })),
    ]);

    expect(much).toBe('limit.rate');
    expect(little).toBe('pow.insufficient');
  });

  it('says when there is time again', async () => {
    const { checks } = checksWithQuota();
    await settled(checks.admit(badClaim(policy, 1), policy, { caller: 'much' }));

    await expect(
      checks.admit(badClaim(policy, 3), policy, { caller: 'much' }),
    ).rejects.toMatchObject({
      code: 'limit.rate',
      message: expect.stringContaining('10 ms a second for the slow puzzles'),
    });
  });

  it('costs nothing if a claim is refused before', async () => {
    const { checks, slowMs } = checksWithQuota(VERIFIER_HERE);

    for (let index = 0; index < 40; index += 2) {
      expect(await settled(checks.admit(badClaim(policy, index), policy, { caller: 'much' }))).toBe(
        'signature.invalid',
      );
    }

    expect(slowMs()).toBe(0);
  });
});

/** Checks with a quota, and the time that slow puzzles of a caller have taken. */
function checksWithQuota(verifiers: Verifiers = threads) {
  const limits = { ...NO_LIMITS, slowCheckMsPerSecond: QUOTA.msPerSecond };
  const budgets = new CallerBudgets(limits, () => performance.now());
  let totalMs = 0;
  const count = (answers: readonly Checked[]) => {
    for (const { cpuMs } of answers) totalMs += cpuMs;
    return answers;
  };
  const slow = verifiers === threads ? slowThreads : { ...VERIFIER_HERE, check: judgeAll };
  const slowVerifiers: Verifiers = {
    batches: 1,
    check: async (questions) => count(await slow.check(questions)),
    close: async () => undefined,
  };
  const nowMs = () => performance.now();
  const checks = new ClaimChecks({ verifiers, slowVerifiers, nowMs, budgets });
  return { checks, slowMs: () => totalMs };
}

async function judgeAll(questions: readonly ClaimQuestion[]): Promise<readonly Checked[]> {
  return questions.map(judge);
}

/** A claim under a fresh key: even numbers have a wrong signature, odd ones a right signature and a wrong solution. */
function badClaim(policy: Policy, index: number): Claim {
  const secret = { form: 'seed', bytes: concatBytes(new Uint8Array(24), u64be(index)) } as const;
  const solution = u64be(index);
  const claim = createClaim({ scheme: 'ed25519', secret, policy, solution });
  return index % 2 === 1 ? claim : { ...claim, signature: claim.signature.toReversed() };
}

function resigned({ solution }: Claim, policy: Policy): Claim {
  const secret = { form: 'seed', bytes: new Uint8Array(32) } as const;
  return createClaim({ scheme: 'ed25519', secret, policy, solution });
}

function honestClaim(policy: Policy, seed: number): Claim {
  const task: MiningTask = {
    ...{ scheme: 'ed25519', policy, goal: { type: 'any' }, strategy: 'fresh' },
    ...{ dynamicStrategy: 'dynamic', seed: parseSeed(String(seed)), budget: {} },
  };
  const { identity } = mine(task, STOPPED);
  if (identity === null) throw new TypeError('an identity was expected, got none');
  return identity.claim;
}

/** The refusal of a claim, or the code of the error. */
async function settled(verdict: ReturnType<ClaimChecks['admit']>): Promise<string> {
  try {
    return (await verdict).refusal ?? 'admitted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}
