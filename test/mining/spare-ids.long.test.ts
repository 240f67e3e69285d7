/**
 * @module
 * The XOR form of the dynamic puzzle, if it is harder than the static one: an admitted ID may be a solution for all. What
 * identities then cost follows from their own hashes, which OpenSSL computes.
 */

import { describe, expect, it } from 'vitest';
import { mineBest } from '../../src/adversary/best-identity.ts';
import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import type { MiningResult, MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { searcherOf } from '../../src/mining/strategies.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';
import { IS_WHOLE } from '../sample.ts';
import { sha256, zeroBits } from './openssl-keys.ts';
import { attemptsLedger, STOPPED_CLOCKS, taskWith } from './tasks.ts';

const kernels = kernelSource();

function taskOf(c1: number, c2: number, identities: number, seed: number): MiningTask {
  return taskWith({
    ...{ strategy: 'siblings', dynamicStrategy: 'amortised-xor', seed: String(seed) },
    policy: { c1, c2, dynamic: 'xor' },
    goal: { type: 'count', identities },
  });
}

/** What identities, of which one may be a solution for all, cost a program that hashes on its own. */
function costOf(task: MiningTask, { state }: MiningResult): number {
  const { winners } = state.keys;
  const searcher = searcherOf(task);
  const ids = winners.map((attempt) => searcher.candidate(attempt).nodeId);
  const isSpared = ids.some((id) => zeroBits(sha256(id)) >= task.policy.c2);
  const tried = state.solutions.reduce((sum, { tested }) => sum + tested, 0);
  expect(tried === 0).toBe(isSpared);
  return 2 * ((winners.at(-1) ?? 0) + 1) + tried;
}

/** Two hashes for each key, and 2^c2 for a solution unless an ID is one: 2·2^8 + 2^9/2, and 16·2·2^8 + (15/16)^16·2^12. */
describe.each([
  [8, 9, 1, 768, IS_WHOLE ? 120 : 60],
  [8, 12, 16, 9650, IS_WHOLE ? 30 : 12],
] as const)('c1 %d, c2 %d, identities %d', (c1, c2, identities, mean, seeds) => {
  it(`cost ${mean} hashes on average, and each claim is admitted`, () => {
    let [sum, squares] = [0, 0];
    for (let seed = 0; seed < seeds; seed += 1) {
      const task = taskOf(c1, c2, identities, seed);
      const result = mine(task, STOPPED_CLOCKS, kernels);
      const { hashes } = result.ledger;
      expect(hashes).toBe(costOf(task, result));
      expect(result.identities).toHaveLength(identities);
      for (const { claim } of result.identities) {
        expect(admit(claim, task.policy).admitted).toBe(true);
        const y = claim.nodeId.map((byte, at) => byte ^ (claim.solution?.[at] ?? 0));
        expect(zeroBits(sha256(hexToBytes(bytesToHex(y))))).toBeGreaterThanOrEqual(c2);
      }
      sum += hashes;
      squares += hashes ** 2;
    }
    const error = Math.sqrt((squares / seeds - (sum / seeds) ** 2) / seeds);
    expect(Math.abs(sum / seeds - mean)).toBeLessThan(4 * error);
  });
});

describe('a budget of hashes', () => {
  it('is never exceeded, is the same in threads, and gives more identities than one solution before all keys', async () => {
    let [found, before] = [0, 0];
    for (let seed = 0; seed < (IS_WHOLE ? 60 : 15); seed += 1) {
      const task = { ...taskOf(4, 8, 1000, seed), budget: { hashes: 1024 } };
      const result = mine(task, STOPPED_CLOCKS, kernels);
      const salted = { ...task, policy: { ...task.policy, salted: true } };
      expect(result.ledger.hashes).toBeLessThanOrEqual(1024);
      expect(result.found).toBe(false);
      found += result.identities.length;
      before += mine(salted, STOPPED_CLOCKS, kernels).identities.length;
      if (seed > 2) continue;
      const shared = await mineInThreads(task, { threads: 2 });
      expect(shared.identities).toEqual(result.identities);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(result.ledger));
    }
    // About (1024 − 256)/32 keys on average before, and up to 1024/32 now.
    expect(found).toBeGreaterThan(1.1 * before);
  });

  it('of attempts ends with a solution for all keys', () => {
    const task = { ...taskOf(3, 12, 1000, 1), budget: { attempts: 100 } };
    const { identities, state } = mine(task, STOPPED_CLOCKS, kernels);
    expect(identities).toHaveLength(state.keys.winners.length);
    expect(identities.every(({ claim }) => admit(claim, task.policy).admitted)).toBe(true);
  });

  it('of an adversary that registers its best identity uses the ID of another one', () => {
    const rivalry = { rivals: 4, shareAbove: (id: Uint8Array) => 1 - (id[0] ?? 0) / 256 };
    let spared = 0;
    for (let seed = 0; seed < 20; seed += 1) {
      const task = { ...taskOf(4, 7, 1, seed), budget: { hashes: 1200 } };
      const { identities, state, ledger } = mineBest(task, rivalry, STOPPED_CLOCKS, kernels);
      expect(ledger.hashes).toBeLessThanOrEqual(1200);
      for (const { claim } of identities) expect(admit(claim, task.policy).admitted).toBe(true);
      if (identities.length === 1 && state.solutions.every(({ tested }) => tested === 0))
        spared += 1;
    }
    expect(spared).toBeGreaterThan(10);
  });
});
