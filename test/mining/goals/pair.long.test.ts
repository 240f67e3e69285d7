/**
 * @module
 * Searches for two keys with one node ID: the pair is that of the candidates one by one, with any number of threads and
 * after an interruption, and its attempts follow the birthday bound among admitted keys.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { staticBits } from '../../../src/identity/ids/node-id.ts';
import type { MiningTask } from '../../../src/mining/phases.ts';
import { pairAttempts, policyCost } from '../../../src/mining/policy-cost.ts';
import { parseSavedSearch, savedSearchToJson } from '../../../src/mining/saved-search.ts';
import { mine } from '../../../src/mining/search.ts';
import { searcherOf } from '../../../src/mining/strategies.ts';
import { parseSeed } from '../../../src/random.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../../src/runtime/threads/mining-pool.ts';
import { IS_WHOLE } from '../../sample.ts';
import { attemptsLedger, STOPPED_CLOCKS, taskWith } from '../tasks.ts';

const kernels = kernelSource();
const goal = { type: 'pair' } as const;
const SEEDS = IS_WHOLE ? 100 : 30;

describe.each([
  ['fresh', { idBits: 16, c1: 2 }],
  ['walk', { idBits: 16, c1: 3 }],
  ['batch', { idBits: 16, c1: 4 }],
  ['siblings', { idBits: 16, c1: 4, c2: 3 }],
  ['siblings', { idBits: 24, c1: 3 }],
  ['siblings', { idBits: 16, c1: 4, hash: 'sha1' }],
] as const)('a pair by %s under %j', (strategy, policy) => {
  const task = taskWith({ strategy, goal, seed: '3', policy });
  const result = mine(task, STOPPED_CLOCKS, kernels);

  it('is the first ID that comes again among admitted candidates', () => {
    const { winners, tested } = result.state.keys;

    expect(result.found).toBe(true);
    expect(winners).toEqual(firstPair(task));
    expect(tested).toBe((winners[1] ?? 0) + 1);
  });

  it('has one node ID and two keys, and both claims are admitted', () => {
    const claims = result.identities.map(({ claim }) => claim);

    expect(claims).toHaveLength(2);
    expect(claims[0]?.nodeId).toEqual(claims[1]?.nodeId);
    expect(claims[0]?.publicKey).not.toEqual(claims[1]?.publicKey);
    for (const claim of claims) expect(admit(claim, task.policy).admitted).toBe(true);
  });

  it('is the same with 1, 2 and 3 threads', async () => {
    for (const threads of [1, 2, 3]) {
      const shared = await mineInThreads(task, { threads });

      expect(shared.identities, `${threads} threads`).toEqual(result.identities);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(result.ledger));
    }
  });

  it('is not found with one attempt less, which leaves no identity, and found by the continued search', () => {
    const attempts = result.ledger.attempts - 1;
    const before = mine({ ...task, budget: { attempts } }, STOPPED_CLOCKS, kernels);

    const saved: unknown = JSON.parse(JSON.stringify(savedSearchToJson(task, before.state)));
    const after = mine(task, STOPPED_CLOCKS, kernels, parseSavedSearch(saved).state);

    expect(before).toMatchObject({ found: false, ending: 'attempts', identities: [] });
    expect(after.identities).toEqual(result.identities);
    expect(attemptsLedger(after.ledger)).toEqual(attemptsLedger(result.ledger));
  });
});

describe('the attempts of a pair', () => {
  // The deviation of the attempts is √(4/π − 1) = 0.52 of their mean.
  it.each([
    [16, 2],
    [16, 4],
    [16, 0],
  ])('of %d bits with c1 %d are √(π/2 · 2^(bits + c1)) on average', (idBits, c1) => {
    const task = taskWith({ strategy: 'siblings', goal, policy: { idBits, c1 } });
    const expected = pairAttempts(task.policy);

    const attempts = Array.from({ length: SEEDS }, (_, seed) => {
      const result = mine({ ...task, seed: parseSeed(`${seed}`) }, STOPPED_CLOCKS, kernels);
      return result.ledger.attempts;
    });

    const mean = attempts.reduce((sum, each) => sum + each, 0) / SEEDS;
    expect(expected).toBeCloseTo(Math.sqrt((Math.PI / 2) * 2 ** (idBits + c1)), 6);
    expect(Math.abs(mean / expected - 1)).toBeLessThan((4 * 0.53) / Math.sqrt(SEEDS));
  });

  it('are between 2^19.5 and 2^21 for IDs of 32 bits with c1 8', () => {
    const { collisionBits } = policyCost(taskWith({ policy: { idBits: 32, c1: 8 } }).policy);

    expect(collisionBits?.any).toBeGreaterThan(19.5);
    expect(collisionBits?.any).toBeLessThan(21);
  });
});

/** The attempts of the first two admitted candidates with one ID, by noble. */
function firstPair(task: MiningTask): readonly number[] {
  const searcher = searcherOf(task);
  const seen = new Map<string, number>();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const { nodeId } = searcher.candidate(attempt);
    if (staticBits(nodeId, task.policy) < task.policy.c1) continue;
    const id = bytesToHex(nodeId);
    const first = seen.get(id);
    if (first !== undefined) return [first, attempt];
    seen.set(id, attempt);
  }
  return [];
}

const ATTEMPTS_MAX = 100_000;
