/**
 * @module
 * Placements of forged identities among honest ones: the gaps against all IDs of 16 bits, the costs against closed forms.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import {
  adversaryRanksOf,
  costOfAny,
  gapGoals,
  honestNetwork,
  isWithin,
  placementText,
  pricedPlacements,
} from '../../../src/experiment/checks/placements.ts';
import { byRank, rankRuleOf } from '../../../src/identity/ids/rank-key.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { parsePolicy, STRICT_POLICY } from '../../../src/identity/policy.ts';
import { meetsGoal } from '../../../src/mining/goal.ts';
import { winProbability } from '../../../src/mining/odds.ts';

/** Quarters and eighths of the ID space: gaps of 1/4, 1/8, 1/2 and 1/8, from the lowest. */
const QUARTERS = ['4000', '6000', 'e000'].map(idOfHead);

function idOfHead(head: string): Uint8Array {
  return hexToBytes(head.padEnd(64, '0'));
}

function policyWith(members: Partial<Policy>): Policy {
  return parsePolicy({ ...STRICT_POLICY, ...members });
}

describe('the gaps between honest nodes', () => {
  const short = policyWith({ idBits: 16 });
  const smallest = Object.values(NAMED_POLICIES)
    .map(({ policy }) => policy)
    .find((policy) => rankRuleOf(policy).type === 'smallest');
  it.each([
    ['the highest leads', short, 2],
    ['the smallest leads', smallest ?? short, 32],
  ] as const)('exclude each other and are where the ranks say: %s', (_, policy, bytes) => {
    const ids = ['0001', '3000', '3001', '9abc', 'fffe'].map((head) =>
      hexToBytes(head.padEnd(2 * bytes, '0')),
    );
    const network = honestNetwork(ids, policy);
    const goals = gapGoals(network);
    const honest = new Set(ids.map(bytesToHex));

    for (let value = 0; value < 65_536; value += bytes === 2 ? 1 : 97) {
      const nodeId = hexToBytes(
        value
          .toString(16)
          .padStart(4, '0')
          .padEnd(2 * bytes, '0'),
      );
      if (honest.has(bytesToHex(nodeId))) continue;
      const members = [...network.nodeIds, nodeId].map((each) => ({ nodeId: each }));
      const rank = byRank(members, rankRuleOf(policy)).findIndex((each) => each.nodeId === nodeId);

      const met = goals.flatMap((goal, gap) => (meetsGoal(goal, nodeId) ? [gap] : []));

      expect(met, bytesToHex(nodeId)).toEqual([rank]);
    }
  });

  it('have the probabilities of their IDs', () => {
    const network = honestNetwork(QUARTERS, policyWith({ c1: 3 }));

    const probabilities = gapGoals(network).map((goal) => winProbability(network.policy, goal));

    const shares = [1 / 4, 1 / 8, 1 / 2, 1 / 8];
    for (const [gap, share] of shares.entries()) {
      expect(probabilities[gap]).toBeCloseTo(share / 8, 12);
    }
  });

  it('refuse equal IDs, and IDs of another length', () => {
    const [one = new Uint8Array(32)] = QUARTERS;

    expect(() => honestNetwork([one, one], STRICT_POLICY)).toThrow('two honest nodes');
    expect(() => honestNetwork([one], short)).toThrow('have 32 bytes');
  });
});

describe('the cost of placements', () => {
  const c1 = 3;
  // The hash of the ID, and that of the puzzle.
  const network = honestNetwork(QUARTERS, policyWith({ c1 }));

  it('orders those of one identity by the size of their gaps', () => {
    const priced = pricedPlacements(network, 1);

    const rows = priced.map((each) => [placementText(each, 3), each.attempts, each.hashes]);
    // The puzzle of an ID outside the gap is not evaluated: 16 (1 + 1/2), 32 (1 + 1/4), 64 (1 + 1/8) hashes.
    expect(rows).toEqual([
      ['none', 0, 0],
      ['between honest 2 and 3', 16, 24],
      ['below all honest', 32, 40],
      ['above all honest', 64, 72],
      ['between honest 1 and 2', 64, 72],
    ]);
  });

  it('is that of all identities together: they are collected', () => {
    const [both] = pricedPlacements(network, 2).filter(({ below }) => below.join() === '0,3');

    // 1/p + 1/q − 1/(p+q)
    expect(both?.attempts).toBeCloseTo(32 + 64 - 1 / (1 / 32 + 1 / 64), 9);
  });

  it('of any of several is that of their sum, and any place costs 2^c1 attempts', () => {
    const any = [0, 1, 2, 3].map((gap) => ({ below: [gap] }));

    const cost = costOfAny(network, any);

    expect(cost.attempts).toBeCloseTo(8, 9);
    expect(cost.hashes).toBeCloseTo(16, 9);
    expect(costOfAny(network, any.slice(0, 2)).attempts).toBeCloseTo(8 / (3 / 8), 9);
  });

  it.each([
    ['concat', 16 * 2],
    // One Y serves all identities, and half of all admitted IDs are such a Y.
    ['xor', 16 / 4],
  ] as const)('adds the dynamic puzzles of the identities: %s', (dynamic, solving) => {
    const policy = policyWith({ c1, c2: 4, dynamic });
    const plain = costOfAny(network, [{ below: [2, 2] }]);

    const cost = costOfAny({ ...network, policy }, [{ below: [2, 2] }]);

    // With c2 above c1 the solution X = 0 is not enough.
    expect(cost.hashes - plain.hashes).toBeCloseTo(solving, 9);
  });

  it('lists each multiset of gaps once', () => {
    const priced = pricedPlacements(network, 3);

    // 1 + 4 + 10 + 20
    expect(priced).toHaveLength(35);
    expect(new Set(priced.map(({ below }) => below.join())).size).toBe(35);
  });
});

describe('a placement', () => {
  it('has the ranks among the honest ones', () => {
    const placement = { below: [0, 2, 2, 3] };

    expect(adversaryRanksOf(placement)).toEqual([1, 4, 5, 7]);
    expect(placementText(placement, 3)).toBe(
      'below all honest, 2 between honest 2 and 3, above all honest',
    );
  });

  it('is within another with the same identities and more', () => {
    expect(isWithin({ below: [2] }, { below: [0, 2] })).toBe(true);
    expect(isWithin({ below: [2, 2] }, { below: [0, 2] })).toBe(false);
    expect(isWithin({ below: [] }, { below: [0] })).toBe(true);
  });
});

describe('the cost of IDs that follow from no key', () => {
  const nodeIds = [1, 2, 3].map((head) => idOfHead(`${head}000`));
  const checks = { ...STRICT_POLICY.checks, nodeId: false };
  const costIn = (members: Partial<Policy>, ...below: readonly number[]) => {
    const { attempts, hashes } = costOfAny(
      honestNetwork(nodeIds, policyWith({ c1: 8, checks, ...members })),
      [{ below }],
    );
    return [attempts, hashes];
  };

  it('is that of their puzzles, wherever they are', () => {
    expect(costIn({}, 3)).toEqual([256, 256]);
    expect(costIn({}, 1)).toEqual([256, 256]);
    expect(costIn({}, 0, 3, 3)).toEqual([768, 768]);
    expect(costIn({ puzzle: { function: 'iterated', iterations: 50 } }, 3)).toEqual([256, 12_800]);
    expect(costIn({ c2: 4 }, 3, 3)).toEqual([512, 512 + 2 * 16]);
    expect(costIn({ checks: { ...checks, static: false } }, 3)).toEqual([1, 0]);
    // The ID is the puzzle.
    expect(costIn({ idRule: 'storj', c1: 36 }, 3)).toEqual([1, 0]);
  });
});
