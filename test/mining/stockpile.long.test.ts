/**
 * @module
 * Keys that are made before the epoch opens: which are kept, in which order they are tested, that the
 * search ends with the highest one that solves the puzzle, and what it is charged for.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../src/bytes.ts';
import { LabError } from '../../src/errors.ts';
import { admit } from '../../src/identity/admit.ts';
import { SCHEME_NAMES, schemeOf } from '../../src/identity/keys/scheme.ts';
import { challengeOf } from '../../src/identity/puzzles/puzzle.ts';
import type { Walk } from '../../src/mining/kernel/numbering.ts';
import { batchKeys } from '../../src/mining/kernel/twin.ts';
import { startScalarOf } from '../../src/mining/kernel-strategies.ts';
import type { MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { hitAt, packHits, releaseOrder } from '../../src/mining/stock.ts';
import { STOCK_MAX, stockSearch, stockSize, withStock } from '../../src/mining/stockpile.ts';
import { STRATEGIES } from '../../src/mining/strategies.ts';
import type { Hit } from '../../src/mining/strategy.ts';
import { NO_KERNELS } from '../../src/mining/strategy.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';
import { isPossessed, sha256, zeroBits } from './openssl-keys.ts';
import { attemptsLedger, policyWith, STOPPED_CLOCKS, specOf, taskWith } from './tasks.ts';
import { threadCounts } from './thread-counts.ts';

const kernels = kernelSource();
const KEYS = 8000;
const COUNTS = threadCounts(2);
const C1 = 4;
/** Twenty tests for each success expected, of the highest IDs. */
const KEPT = 20 * 2 ** C1;
const CASES = SCHEME_NAMES.flatMap((scheme) => [0, 7].map((epoch) => ({ scheme, epoch })));

describe.each(CASES)('a stock of $scheme in epoch $epoch', ({ scheme, epoch }) => {
  const policy = { c1: C1, salted: true, epoch };
  const task = taskWith({ strategy: 'stockpile', stockpile: KEYS, scheme, policy });
  const { released, winner } = bruteForce(task);
  const result = mine(task, STOPPED_CLOCKS, kernels);

  it('ends with the highest ID that solves the puzzle of the epoch', () => {
    expect(result.found).toBe(true);
    expect(bytesToHex(result.identity?.claim.nodeId ?? new Uint8Array())).toBe(released[winner]);
  });

  it('charges the tests up to it, one hash each and no point', () => {
    expect(attemptsLedger(result.ledger)).toEqual({
      attempts: winner + 1,
      hashes: winner + 1,
      groupOperations: 0,
    });
  });

  it('makes a claim that is admitted, and that OpenSSL verifies', () => {
    const { claim } = result.identity ?? {};

    expect(claim && admit(claim, task.policy).admitted).toBe(true);
    expect(claim && isPossessed(claim, epoch)).toBe(true);
  });

  it.each([
    ['attempts', winner + 1, true],
    ['attempts', winner, false],
    ['hashes', winner + 1, true],
    ['hashes', winner, false],
  ] as const)('with a budget of tests in %s: %d', (unit, tests, found) => {
    const ended = mine({ ...task, budget: { [unit]: tests } }, STOPPED_CLOCKS, kernels);

    expect(ended.found).toBe(found);
    expect(ended.ledger).toMatchObject({ attempts: tests, hashes: tests });
  });
});

describe('a stock', () => {
  it(`is the same with ${COUNTS.join(', ')} threads`, async () => {
    const policy = { c1: C1, salted: true };
    const task = taskWith({ strategy: 'stockpile', stockpile: KEYS, policy });
    const alone = mine(task, STOPPED_CLOCKS, kernels);
    for (const threads of COUNTS) {
      const shared = await mineInThreads(task, { threads });

      expect(shared.identity, `${threads} threads`).toEqual(alone.identity);
      expect(attemptsLedger(shared.ledger)).toEqual(attemptsLedger(alone.ledger));
    }
  });

  it('that holds no winner is tested whole', async () => {
    const task = taskWith({ strategy: 'stockpile', stockpile: 700, policy: { c1: 100 } });

    const result = mine(task, STOPPED_CLOCKS, kernels);
    const shared = await mineInThreads(task, { threads: 1 });

    expect(result).toMatchObject({ found: false, ending: 'attempts', ledger: { attempts: 700 } });
    expect(shared).toMatchObject({ found: false, ending: 'attempts', ledger: { attempts: 700 } });
  });

  it('gives a count of identities from the top down', () => {
    const goal = { type: 'count', identities: 4 } as const;
    const task = taskWith({ strategy: 'stockpile', stockpile: KEYS, goal, policy: { c1: C1 } });

    const { identities } = mine(task, STOPPED_CLOCKS, kernels);

    const { released, winners } = bruteForce(task);
    expect(identities.map(({ claim }) => bytesToHex(claim.nodeId))).toEqual(
      winners.slice(0, 4).map((index) => released[index]),
    );
  });

  it('of IDs that are cut short is made as well', () => {
    const policy = { c1: C1, idBits: 64 };
    const task = taskWith({ strategy: 'stockpile', stockpile: KEYS, policy });

    const { identity } = mine(task, STOPPED_CLOCKS, kernels);

    expect(identity?.claim.nodeId).toHaveLength(8);
    expect(identity?.claim.nodeId[0]).toBeGreaterThan(0xf0);
  });

  it('knows the secret of every key', () => {
    const task = stocked(taskWith({ strategy: 'stockpile', stockpile: KEYS, policy: { c1: C1 } }));
    const searcher = STRATEGIES.stockpile.searcher(specOf(task), NO_KERNELS);
    for (const attempt of [0, 1, 2, 100, KEPT - 1]) {
      const { secret, publicKey, nodeId } = searcher.candidate(attempt);

      expect(schemeOf('ed25519').publicKeyOf(secret)).toEqual(publicKey);
      expect(nodeId).toEqual(task.stock && hitAt(task.stock, attempt).nodeId);
    }
  });

  it('has no more keys than it has', () => {
    const task = stocked(taskWith({ strategy: 'stockpile', stockpile: KEYS, policy: { c1: C1 } }));
    const searcher = STRATEGIES.stockpile.searcher(specOf(task), NO_KERNELS);

    expect(task.stock?.length).toBe(KEPT);
    expect(() => searcher.candidate(KEPT)).toThrow(
      new RangeError(`"attempt" expected one in stock, got ${KEPT}`),
    );
  });

  it('holds as many winners as chance has it', () => {
    const wide = stocked(taskWith({ strategy: 'stockpile', stockpile: 4098, policy: { c1: 8 } }));
    const searcher = STRATEGIES.stockpile.searcher(specOf(wide), NO_KERNELS);

    const { hits } = searcher.scan({ from: 0, count: 4098, wanted: 4098 });

    const mean = 4098 / 256;
    expect(Math.abs(hits.length - mean)).toBeLessThan(4 * Math.sqrt(mean * (255 / 256)));
  });

  it('is asked for with a number of keys', () => {
    const task = taskWith({ strategy: 'stockpile' });

    expect(() => mine(task, STOPPED_CLOCKS, kernels)).toThrow(
      new TypeError('"stockpile" expected a number of keys, got none'),
    );
  });
});

describe('the keys worth keeping', () => {
  it.each([
    ['few keys: all', 10, 8, 10],
    ['one less than can be of use', 5119, 8, 5119],
    ['more keys than can be of use', 2 ** 30, 8, 5120],
    ['a puzzle of 13 bits: not cut', 10_000_000, 13, 20 * 2 ** 13],
    ['as many as fit in memory', 2 ** 23, 20, 2 ** 23],
    ['no puzzle: as many as hardly fail', 2 ** 30, 0, 20],
  ])('%s', (_name, keys, c1, size) => {
    expect(stockSize(keys, { policy: policyWith({ c1 }), goal: { type: 'any' } })).toBe(size);
  });

  it('are refused if they do not fit in memory', () => {
    const spec = { policy: policyWith({ c1: 20 }), goal: { type: 'any' } } as const;

    expect(() => stockSize(2 ** 30, spec)).toThrow(
      new LabError(
        'arguments',
        '20971520 of these keys are worth keeping, and at most 8388608 fit in memory (1.3 GB): ask for a stockpile of 8388608 keys, or for a smaller c1',
      ),
    );
    expect(STOCK_MAX).toBe(8_388_608);
  });

  it('are looked for without a puzzle, above the ID that leaves a few more than those', () => {
    const spec = specOf(taskWith({ strategy: 'stockpile', policy: { c1: 8, c2: 9 } }));

    const { goal, policy, strategy } = stockSearch(spec, 51_200);

    expect({ c1: policy.c1, c2: policy.c2, strategy }).toEqual({
      ...{ c1: 0, c2: 0, strategy: 'siblings' },
    });
    // An eighth of all: 6 400 of 51 200, of which 5 120 are kept.
    expect(goal).toEqual({ type: 'above', nodeId: Uint8Array.of(0xe0, ...new Uint8Array(31)) });
  });

  it('are any where about all are kept', () => {
    const spec = specOf(taskWith({ strategy: 'stockpile', policy: { c1: 8 } }));

    expect(stockSearch(spec, 6399).goal).toEqual({ type: 'any' });
    expect(stockSearch(spec, 6401).goal.type).toBe('above');
  });
});

describe('the order of release', () => {
  const hits: readonly Hit[] = [3, 200, 7, 201, 0].map((id, attempt) => {
    return { attempt, nodeId: Uint8Array.of(id, 255 - id) };
  });

  const released = (size: number, mask?: Uint8Array) => [
    ...releaseOrder(packHits(hits), size, mask).attempts,
  ];

  it('has the first key of each ID alone', () => {
    const [lowest] = hits;
    const again = [...hits, { attempt: 9, nodeId: lowest?.nodeId ?? new Uint8Array() }];

    expect([...releaseOrder(packHits(again.toReversed()), 9).attempts]).toEqual([3, 1, 2, 0, 4]);
  });

  it('is that of the node IDs, the highest first', () => {
    expect(released(5)).toEqual([3, 1, 2, 0, 4]);
  });

  it('keeps the first ones', () => {
    expect(released(2)).toEqual([3, 1]);
    expect(released(0)).toEqual([]);
  });

  it('is that of another rank key where the network has one', () => {
    const lowestFirst = Uint8Array.of(0xff, 0xff);

    expect(released(5, lowestFirst)).toEqual([4, 0, 2, 1, 3]);
  });
});

/** The task with its stock, made on this thread. */
function stocked(task: MiningTask): MiningTask {
  const keys = task.stockpile ?? 0;
  const search = stockSearch(specOf(task), keys);
  const { hits } = STRATEGIES.siblings
    .searcher(search, kernels)
    .scan({ from: 0, count: keys, wanted: keys });
  return withStock(task, packHits(hits));
}

/** All keys of the walk by noble, their hashes sorted, each tested with node:crypto. */
function bruteForce(task: MiningTask) {
  const { scheme, policy } = task;
  const walk: Walk = { scheme, siblings: true, startScalar: startScalarOf(task) };
  const ids: string[] = [];
  for (let batch = 0n; ids.length < KEYS; batch += 1n) {
    for (const key of batchKeys(walk, batch))
      if (key !== null) ids.push(sha256(key).toString('hex'));
  }
  const released = ids.slice(0, KEYS).sort().reverse().slice(0, KEPT);
  const salt = policy.salted ? challengeOf(policy) : new Uint8Array();
  const winners = [...released.keys()].filter((index) => {
    const nodeId = Buffer.from(released[index] ?? '', 'hex');
    return zeroBits(sha256(salt, nodeId)) >= C1;
  });
  return { released, winners, winner: winners[0] ?? -1 };
}
