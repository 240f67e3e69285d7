/**
 * @module
 * Searches for many identities and for the closest one: which attempts they end with whatever the
 * number of threads, that every claim stands for itself, and what the two ways to solve the dynamic
 * puzzle cost.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex, hexToBytes } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import type { MiningResult, MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { assertDynamicStrategy, scanSolutions } from '../../src/mining/solution.ts';
import { searcherOf, strongestDynamicStrategy } from '../../src/mining/strategies.ts';
import { parseSeed } from '../../src/random.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';
import { isPossessed, sha256, zeroBits } from './openssl-keys.ts';
import { attemptsLedger, policyWith, STOPPED_CLOCKS, taskWith } from './tasks.ts';
import { threadCounts } from './thread-counts.ts';

const kernels = kernelSource();
const MANY = Number(process.env.IDENTITIES ?? 10_000);
const SOLVED_IN = { from: 0, count: 100_000 };

describe.each([
  ['fresh', 'ed25519', 3, threadCounts(0)],
  ['walk', 'secp256k1', 3, threadCounts(1)],
  ['batch', 'ed25519', 6, threadCounts(2)],
  ['siblings', 'secp256k1', 6, threadCounts(0)],
] as const)('a count of identities by %s with %s', (strategy, scheme, c1, counts) => {
  const goal = { type: 'count', identities: 6 } as const;
  const task = taskWith({ strategy, scheme, goal, seed: '5', policy: { c1, c2: 7 } });
  const result = mine(task, STOPPED_CLOCKS, kernels);

  it('takes the lowest attempts that win, in their order', () => {
    const ids = result.identities.map(({ claim }) => bytesToHex(claim.nodeId));

    expect(result.state.keys.winners).toEqual(lowestWinners(task, 6, result));
    expect(ids).toEqual(result.state.keys.winners.map((attempt) => idOf(task, attempt)));
    expect(new Set(ids).size).toBe(6);
    expect(result.identity).toEqual(result.identities[0]);
  });

  it('gives each its own first solution; each is admitted and OpenSSL verifies it', () => {
    for (const { claim } of result.identities) {
      const { nodeId, solution } = claim;
      const [hit] = scanSolutions({ policy: task.policy, nodeId }, SOLVED_IN).hits;

      expect(admit(claim, task.policy).admitted).toBe(true);
      expect(isPossessed(claim)).toBe(true);
      expect(Number(`0x${bytesToHex(solution ?? new Uint8Array())}`)).toBe(hit?.attempt);
    }
  });

  it('costs two hashes a key, and one for every X that was tried', () => {
    const tried = result.identities.reduce(
      (sum, { claim }) => sum + Number(`0x${bytesToHex(claim.solution ?? new Uint8Array())}`) + 1,
      0,
    );

    const { attempts, hashes } = result.ledger;
    expect(attempts).toBe((result.state.keys.winners.at(-1) ?? -1) + 1);
    expect(hashes).toBe(2 * attempts + tried);
  });

  it(`is the same with ${counts.join(', ')} threads`, async () => {
    for (const threads of counts) {
      const shared = await mineInThreads(task, { threads });

      expect(shared.identities, `${threads} threads`).toEqual(result.identities);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(result.ledger));
    }
  });

  it.each([
    ['exactly its hashes finds all', 0, 6],
    ['one hash less lacks the last, spent whole', 1, 5],
  ])('within %s', (_name, less, found) => {
    const hashes = result.ledger.hashes - less;

    const bounded = mine({ ...task, budget: { hashes } }, STOPPED_CLOCKS, kernels);

    expect(bounded.identities).toEqual(result.identities.slice(0, found));
    expect(bounded.ledger.hashes).toBe(hashes);
  });

  it('keeps what was found when the budget ends before the last', () => {
    const attempts = result.state.keys.winners[4] ?? 0;
    const poor = { ...task, policy: policyWith({ c1 }), budget: { attempts } };

    const { found, ending, identities } = mine(poor, STOPPED_CLOCKS, kernels);

    expect({ found, ending }).toEqual({ found: false, ending: 'attempts' });
    expect(identities).toHaveLength(4);
  });
});

describe.each([
  ['dynamic', 'concat'],
  ['amortised-xor', 'xor'],
] as const)('a count of identities that ends early, by %s', (dynamicStrategy, dynamic) => {
  // No ID is a solution by itself if the static puzzle has a salt.
  const policy = { c1: 3, c2: 7, dynamic, salted: dynamic === 'xor' } as const;
  const taskOf = (identities: number, strategy: 'walk' | 'siblings' = 'siblings') =>
    taskWith({ strategy, dynamicStrategy, policy, goal: { type: 'count', identities } });
  const six = mine(taskOf(6), STOPPED_CLOCKS, kernels);
  /** The hashes of the first k: the keys up to the last of them, and each X that was tried. */
  const hashesOf = ({ state }: MiningResult) => {
    const { keys, solutions } = state;
    return keys.winners.map((winner, index) => {
      const solved = dynamicStrategy === 'dynamic' ? solutions.slice(0, index + 1) : solutions;
      return 2 * (winner + 1) + solved.reduce((sum, { tested }) => sum + tested, 0);
    });
  };

  it.each(['walk', 'siblings'] as const)(
    'has all identities that its hashes pay for, with any number of threads: %s',
    async (strategy) => {
      const whole = mine(taskOf(6, strategy), STOPPED_CLOCKS, kernels);
      const costs = hashesOf(whole);
      const budgets = costs.flatMap((cost, index) => [
        ...[cost - 1, cost],
        Math.floor((cost + (costs[index + 1] ?? cost)) / 2),
      ]);
      for (const [index, hashes] of budgets.entries()) {
        const task = { ...taskOf(1000, strategy), budget: { hashes } };
        const alone = mine(task, STOPPED_CLOCKS, kernels);

        const paid = costs.filter((cost) => cost <= hashes).length;
        expect(alone.identities, `${hashes} hashes`).toEqual(whole.identities.slice(0, paid));
        expect(alone.ledger.hashes).toBeLessThanOrEqual(hashes);
        expect(alone.ledger.hashes).toBeGreaterThanOrEqual(hashes - 1);
        if (index % 5 !== 0) continue;
        const shared = await mineInThreads(task, { threads: 1 + (index % 3) });
        expect(shared.identities, `${hashes} hashes`).toEqual(alone.identities);
        expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
      }
    },
  );

  it('has all identities that its attempts pay for', async () => {
    const task = { ...taskOf(1000), budget: { attempts: six.ledger.attempts } };

    const alone = mine(task, STOPPED_CLOCKS, kernels);
    const shared = await mineInThreads(task, { threads: 2 });

    for (const result of [alone, shared]) {
      expect(result.identities).toEqual(six.identities);
      expect(result).toMatchObject({ found: false, ending: 'attempts' });
    }
  });
});

describe('a count of identities that is interrupted', () => {
  it('has what it found before an interrupt, and goes on to the same end', async () => {
    const task = taskWith({
      ...{ strategy: 'siblings', goal: { type: 'count', identities: 200 } },
      policy: { c1: 3, c2: 7 },
    });
    const whole = mine(task, STOPPED_CLOCKS, kernels);
    const controller = new AbortController();

    const cut = await mineInThreads(task, {
      threads: 2,
      signal: controller.signal,
      onProgress({ state }) {
        if (state().keys.winners.length === 20) controller.abort();
      },
    });
    const resumed = await mineInThreads(task, { threads: 2, begun: cut.state });

    expect(cut).toMatchObject({ found: false, ending: 'cancelled' });
    expect(cut.identities.length).toBeGreaterThanOrEqual(19);
    expect(cut.identities).toEqual(whole.identities.slice(0, cut.identities.length));
    expect(resumed.identities).toEqual(whole.identities);
    expect(attemptsLedger(resumed.ledger)).toEqual(attemptsLedger(whole.ledger));
  });
});

describe('the closest', () => {
  const target = hexToBytes('5a'.repeat(32));
  const goal = { type: 'near', nodeId: target, closerThan: null } as const;
  const cases = (['fresh', 'walk', 'batch', 'siblings'] as const).flatMap((strategy) =>
    SCHEME_NAMES.map((scheme) => ({ strategy, scheme })),
  );

  it.each(cases)('of a budget by $strategy with $scheme is that of all its attempts', (kind) => {
    const task = taskWith({ ...kind, goal, policy: { c1: 2 }, budget: { attempts: 300 } });

    const { found, ending, identity, ledger } = mine(task, STOPPED_CLOCKS, kernels);

    const searcher = searcherOf(task);
    const ids = Array.from({ length: 300 }, (_, attempt) => searcher.candidate(attempt).nodeId);
    const winners = ids.filter((id) => zeroBits(sha256(id)) >= 2).map(distanceTo(target));
    const [closest] = winners.toSorted();
    expect({ found, ending }).toEqual({ found: true, ending: 'found' });
    expect(identity && distanceTo(target)(identity.claim.nodeId)).toBe(closest);
    expect(ledger.attempts).toBe(300);
  });

  it.each([
    ['fresh', 'secp256k1', 300, threadCounts(1)],
    ['siblings', 'ed25519', MANY, threadCounts(0)],
    ['siblings', 'secp256k1', MANY, threadCounts(2)],
  ] as const)('by %s with %s, of %d, is the same with %j threads', async (...row) => {
    const [strategy, scheme, attempts, counts] = row;
    const task = taskWith({ strategy, scheme, goal, policy: { c1: 3, c2: 5 } });
    const bounded = { ...task, budget: { attempts } };
    const alone = mine(bounded, STOPPED_CLOCKS, kernels);

    expect(alone.found).toBe(true);
    for (const threads of counts) {
      const shared = await mineInThreads(bounded, { threads });

      expect(shared.identity, `${threads} threads`).toEqual(alone.identity);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
    }
  });

  it('is one alone, and none where none has the bits', () => {
    const task = taskWith({ goal, policy: { c1: 200 }, budget: { attempts: 50 } });

    const result = mine(task, STOPPED_CLOCKS);

    expect(result).toMatchObject({ found: false, ending: 'attempts', identities: [] });
  });

  it('of a larger budget is solved for anew where it is another key', () => {
    const task = taskWith({ goal, policy: { c2: 6 } });
    const small = { ...task, budget: { attempts: 20 } };
    const large = { ...task, budget: { attempts: 400 } };
    const before = mine(small, STOPPED_CLOCKS);
    const undisturbed = mine(large, STOPPED_CLOCKS);

    const after = mine(large, STOPPED_CLOCKS, undefined, before.state);

    expect(before.found).toBe(true);
    expect(before.identity).not.toEqual(undisturbed.identity);
    expect(after.identity).toEqual(undisturbed.identity);
    expect(attemptsLedger(after.ledger)).toEqual(attemptsLedger(undisturbed.ledger));
  });
});

describe('the amortised XOR puzzle', () => {
  const SEEDS = 100;
  const goal = { type: 'count', identities: 5 } as const;
  const policy = { c1: 3, c2: 9, dynamic: 'xor' } as const;
  const task = taskWith({ strategy: 'walk', goal, policy, dynamicStrategy: 'amortised-xor' });

  it('is solved once for all: one Y, whose every X is admitted', () => {
    const { identities, state } = mine(task, STOPPED_CLOCKS);

    const solved = identities.map(({ claim }) =>
      bytesToHex(claim.nodeId.map((byte, index) => byte ^ (claim.solution?.[index] ?? 0))),
    );
    expect(state.solutions).toHaveLength(1);
    expect(new Set(solved).size).toBe(1);
    expect(zeroBits(sha256(hexToBytes(solved[0] ?? '')))).toBeGreaterThanOrEqual(9);
    expect(identities).toHaveLength(5);
    for (const { claim } of identities) {
      expect(admit(claim, task.policy).admitted).toBe(true);
      expect(isPossessed(claim)).toBe(true);
    }
  });

  it('costs the keys and one search for Y', () => {
    const { ledger, identities } = mine(task, STOPPED_CLOCKS);

    const [first] = identities;
    const y = first?.claim.nodeId.map((byte, i) => byte ^ (first.claim.solution?.[i] ?? 0));
    const start = sha256(Buffer.from(`usurp/amortised-xor/v1\0${task.seed}`));
    const above = (y ?? new Uint8Array()).map((byte, i) => byte ^ (start[i] ?? 0));
    const number = Number(`0x${bytesToHex(above)}`);
    expect(ledger.hashes).toBe(2 * ledger.attempts + number + 1);
  });

  it('costs the first success of the draws of a seed, 2^c2 on average', () => {
    const costs = Array.from({ length: SEEDS }, (_, seed) => {
      const one = { ...task, seed: parseSeed(String(seed)), goal: { type: 'any' } } as const;
      const { state } = mine(one, STOPPED_CLOCKS, kernels);
      return state.solutions[0]?.tested ?? 0;
    });

    const mean = costs.reduce((sum, cost) => sum + cost, 0) / SEEDS;
    expect(new Set(costs).size).toBeGreaterThan(SEEDS / 2);
    expect(Math.abs(mean - 2 ** policy.c2)).toBeLessThan((4 * 2 ** policy.c2) / Math.sqrt(SEEDS));
  });

  it('costs less than solving for every ID', () => {
    const costs = { honest: 0, amortised: 0 };
    for (let seed = 0; seed < 20; seed += 1) {
      const one = { ...task, seed: parseSeed(String(seed)) };
      const honest = mine({ ...one, dynamicStrategy: 'dynamic' }, STOPPED_CLOCKS, kernels);
      const amortised = mine(one, STOPPED_CLOCKS, kernels);

      expect(honest.state.solutions).toHaveLength(5);
      expect(honest.state.keys).toEqual(amortised.state.keys);
      costs.honest += honest.ledger.hashes;
      costs.amortised += amortised.ledger.hashes;
    }
    // Five solutions against one, beside the keys. The mean of 20 costs deviates by a quarter.
    expect(costs.amortised).toBeLessThan(costs.honest / 2);
  });

  it('is the same with 2 threads', async () => {
    const alone = mine(task, STOPPED_CLOCKS);

    const shared = await mineInThreads(task, { threads: 2 });

    expect(shared.identities).toEqual(alone.identities);
    expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
  });

  it('is refused where the puzzle is not of that form', () => {
    for (const dynamic of ['concat', 'unhashed'] as const) {
      const refuse = () => assertDynamicStrategy('amortised-xor', policyWith({ dynamic }));

      expect(refuse).toThrow(`breaks the xor form of the dynamic puzzle, not ${dynamic}`);
    }
    expect(() => assertDynamicStrategy('amortised-xor', policyWith(policy))).not.toThrow();
    expect(() => assertDynamicStrategy('dynamic', policyWith({}))).not.toThrow();
  });

  it('is what the strongest forger uses against that form alone', () => {
    const names = (['concat', 'xor', 'unhashed'] as const).map((dynamic) =>
      strongestDynamicStrategy(policyWith({ dynamic })),
    );

    expect(names).toEqual(['dynamic', 'amortised-xor', 'dynamic']);
  });
});

describe('the XOR puzzle that is not harder than the static one', () => {
  it.each([6, 4])('is solved by X = 0 for every node, with c2 = %d of c1 = 6', (c2) => {
    const policy = { c1: 6, c2, dynamic: 'xor' } as const;
    const dynamicStrategy = strongestDynamicStrategy(policyWith(policy));
    const goal = { type: 'count', identities: 3 } as const;

    const { identities, ledger } = mine(
      taskWith({ policy, dynamicStrategy, goal }),
      STOPPED_CLOCKS,
    );

    expect(identities.map(({ claim }) => claim.solution)).toEqual(
      new Array(3).fill(new Uint8Array(32)),
    );
    expect(identities.every(({ claim }) => admit(claim, policyWith(policy)).admitted)).toBe(true);
    expect(ledger.hashes).toBe(2 * ledger.attempts + 3);
  });

  it('is amortised if the static puzzle is salted', () => {
    const policy = policyWith({ c1: 6, c2: 6, dynamic: 'xor', salted: true });

    expect(strongestDynamicStrategy(policy)).toBe('amortised-xor');
  });
});

describe('the un-hashed puzzle', () => {
  it('is solved by the first X, for no hash at all', () => {
    const policy = { c1: 3, c2: 200, dynamic: 'unhashed' } as const;
    const goal = { type: 'count', identities: 2 } as const;

    const { identities, ledger } = mine(taskWith({ goal, policy }), STOPPED_CLOCKS);

    expect(identities.map(({ claim }) => claim.solution)).toEqual(
      identities.map(({ claim }) => claim.nodeId),
    );
    expect(ledger.hashes).toBe(2 * ledger.attempts);
  });
});

/** By testing the candidates one by one up to the last winner. */
function lowestWinners(task: MiningTask, wanted: number, { ledger }: MiningResult) {
  const searcher = searcherOf(task);
  const bits = task.policy.c1;
  const winners: number[] = [];
  for (let attempt = 0; attempt < ledger.attempts && winners.length < wanted; attempt += 1) {
    if (zeroBits(sha256(searcher.candidate(attempt).nodeId)) >= bits) winners.push(attempt);
  }
  return winners;
}

function idOf(task: MiningTask, attempt: number): string {
  return bytesToHex(searcherOf(task).candidate(attempt).nodeId);
}

function distanceTo(target: Uint8Array) {
  return (id: Uint8Array) => bytesToHex(id.map((byte, index) => byte ^ (target[index] ?? 0)));
}
