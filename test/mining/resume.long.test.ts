/**
 * @module
 * A search that was interrupted, written down and gone on with ends as if nothing had happened: the
 * same identities for the same attempts, hashes and group operations, wherever it was cut, however
 * often, and whatever the number of threads.
 */

import { describe, expect, it } from 'vitest';
import type { SearchState } from '../../src/mining/phases.ts';
import { SEARCH_NOT_BEGUN } from '../../src/mining/phases.ts';
import { parseSavedSearch, savedSearchToJson } from '../../src/mining/saved-search.ts';
import type { MiningResult, MiningTask } from '../../src/mining/search.ts';
import { mine } from '../../src/mining/search.ts';
import { createRandom, parseSeed } from '../../src/random.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';
import { attemptsLedger, policyWithout, STOPPED_CLOCKS, taskWith } from './tasks.ts';
import { threadCounts } from './thread-counts.ts';

const kernels = kernelSource();
/** Each at a place of its own; the slow suite makes more. */
const CUTS = Number(process.env.RESUME_CUTS ?? 2);
const TARGET = new Uint8Array(32).fill(0x77);
const EIGHTH = new Uint8Array(32).fill(0xdf);
const SIXTEENTH = Uint8Array.of(0x10, ...new Uint8Array(31));

const CASES: readonly (readonly [string, MiningTask])[] = [
  ['fresh, any', taskWith({ policy: { c1: 6, c2: 8 } })],
  ['fresh, the closest', closest(150, taskWith({ policy: { c1: 1 } }))],
  [
    'walk, a count',
    taskWith({
      ...{ strategy: 'walk', scheme: 'secp256k1', goal: { type: 'count', identities: 4 } },
      policy: { c1: 4, c2: 6 },
    }),
  ],
  [
    'walk, near, no X',
    taskWith({
      ...{ strategy: 'walk', policy: { c1: 3 } },
      goal: { type: 'near', nodeId: TARGET, closerThan: SIXTEENTH },
    }),
  ],
  [
    'walk, a count, amortised',
    taskWith({
      ...{ strategy: 'walk', goal: { type: 'count', identities: 3 } },
      ...{ dynamicStrategy: 'amortised-xor', policy: { c1: 3, c2: 9, dynamic: 'xor' } },
    }),
  ],
  [
    'batch, above, no X',
    taskWith({
      ...{ strategy: 'batch', goal: { type: 'above', nodeId: EIGHTH } },
      ...{ seed: '8', policy: { c1: 10 } },
    }),
  ],
  [
    'siblings, between over the top',
    taskWith({
      ...{ strategy: 'siblings', scheme: 'secp256k1' },
      goal: { type: 'between', low: EIGHTH, high: SIXTEENTH },
      policy: { c1: 11, c2: 9, dynamic: 'xor' },
    }),
  ],
  [
    'siblings beside torsion, a count',
    taskWith({
      ...{ strategy: 'siblings', goal: { type: 'count', identities: 5 } },
      policy: { ...policyWithout('torsion'), c1: 11, c2: 6 },
    }),
  ],
  [
    'siblings, the closest',
    closest(30_000, taskWith({ strategy: 'siblings', policy: { c1: 3, c2: 7 } })),
  ],
  [
    'siblings by noble, salted',
    taskWith({ strategy: 'siblings', policy: { c1: 8, c2: 5, salted: true } }),
  ],
  [
    'stockpile, a count',
    taskWith({
      ...{ strategy: 'stockpile', stockpile: 1500, goal: { type: 'count', identities: 3 } },
      policy: { c1: 3, c2: 7, salted: true },
    }),
  ],
];

/** One thread reports its progress in order, two do not. The cases alternate. */
const CASES_WITH_THREADS = CASES.map(
  ([name, task], index) => [name, task, threadCounts(index), 1 + (index % 2)] as const,
);

describe.each(CASES_WITH_THREADS)('%s', (name, task, counts, watched) => {
  const undisturbed = mine(task, STOPPED_CLOCKS, kernels);
  const expected = essenceOf(undisturbed);
  /** The numbers of hashes at which budgets can end the search. */
  const cuts = cutsOf(name, undisturbed);

  it('finds what it looks for', () => {
    expect(undisturbed.found).toBe(true);
  });

  it('ends the same after a cut anywhere', () => {
    for (const hashes of cuts) {
      const cut = mine({ ...task, budget: { ...task.budget, hashes } }, STOPPED_CLOCKS, kernels);

      const { resumed, begun } = reopened(task, cut.state);
      const result = mine(resumed, STOPPED_CLOCKS, kernels, begun);

      expect(essenceOf(result), `cut after ${hashes} hashes`).toEqual(expected);
    }
  });

  it('ends the same after one cut upon the other', () => {
    let state: SearchState = SEARCH_NOT_BEGUN;
    for (const hashes of cuts) {
      const { resumed, begun } = reopened(task, state);
      const poor = { ...resumed, budget: { ...task.budget, hashes } };
      ({ state } = mine(poor, STOPPED_CLOCKS, kernels, begun));
    }

    const { resumed, begun } = reopened(task, state);
    const result = mine(resumed, STOPPED_CLOCKS, kernels, begun);

    expect(essenceOf(result)).toEqual(expected);
  });

  it.each(counts)('goes on with %d threads', async (threads) => {
    const hashes = cuts[Math.floor(cuts.length / 2)] ?? 0;
    const cut = mine({ ...task, budget: { ...task.budget, hashes } }, STOPPED_CLOCKS, kernels);

    const { resumed, begun } = reopened(task, cut.state);
    const result = await mineInThreads(resumed, { threads, begun });

    expect(essenceOf(result), `cut after ${hashes} hashes`).toEqual(expected);
  });

  it('continues from every state that its progress reports, and from a cancel', async () => {
    const controller = new AbortController();
    const states: SearchState[] = [];
    const { state } = await mineInThreads(task, {
      threads: watched,
      signal: controller.signal,
      onProgress(progress) {
        states.push(progress.state());
        if (states.length === 4) controller.abort();
      },
    });

    for (const seen of [...states, state]) {
      const { resumed, begun } = reopened(task, seen);
      const result = mine(resumed, STOPPED_CLOCKS, kernels, begun);

      expect(essenceOf(result), JSON.stringify(seen)).toEqual(expected);
    }
  });
});

describe('a search that is over', () => {
  it('is repeated without another attempt', async () => {
    const task = taskWith({ policy: { c1: 4, c2: 4 } });
    const first = mine(task, STOPPED_CLOCKS);

    const { resumed, begun } = reopened(task, first.state);
    const again = await mineInThreads(resumed, { threads: 1, begun });

    expect(again.found).toBe(true);
    expect(essenceOf(again)).toEqual(essenceOf(first));
  });

  it('has had its seconds counted together', () => {
    const task = taskWith({ policy: { c1: 4 } });
    const state = { ...SEARCH_NOT_BEGUN, cpuSeconds: 7, wallSeconds: 9 };

    const { ledger } = mine(task, STOPPED_CLOCKS, undefined, state);

    expect(ledger).toMatchObject({ cpuSeconds: 7, wallSeconds: 9 });
  });
});

describe('a stock that is made again', () => {
  const task = taskWith({ strategy: 'stockpile', stockpile: 3000, policy: { c1: 4 } });

  it.each([
    ['beyond the stock', 2999],
    ['that does not win', 0],
  ])('refuses a winner %s', async (_name, winner) => {
    const keys = { tested: winner + 1, winners: [winner] };
    const { resumed, begun } = reopened(task, { ...SEARCH_NOT_BEGUN, keys });

    expect(() => mine(resumed, STOPPED_CLOCKS, kernels, begun)).toThrow(/does not win/);
    await expect(mineInThreads(resumed, { threads: 1, begun })).rejects.toThrow(/does not win/);
  });
});

/** Written, read, and with the budget of before. */
function reopened(task: MiningTask, state: SearchState) {
  const text = JSON.stringify(savedSearchToJson(task, state));
  const saved = parseSavedSearch(JSON.parse(text));
  return { resumed: { ...saved.task, budget: task.budget }, begun: saved.state };
}

/** What a cut must not change. */
function essenceOf({ identities, measured, ledger, state }: MiningResult) {
  const { keys, solutions } = state;
  return { identities, measured, ledger: attemptsLedger(ledger), keys, solutions };
}

/** Numbers of hashes, rising, that fall into the keys and into each search for X. */
function cutsOf(name: string, { ledger, state }: MiningResult): readonly number[] {
  const random = createRandom(parseSeed('1'), name);
  const solved = state.solutions.map(({ tested }) => tested);
  const borders = [ledger.hashes - solved.reduce((sum, tested) => sum + tested, 0)];
  for (const tested of solved) borders.push((borders.at(-1) ?? 0) + tested);
  const each = Math.ceil(CUTS / borders.length);
  return borders.flatMap((border, index) => {
    const low = borders[index - 1] ?? 0;
    const within = Array.from({ length: each }, () => low + random.below(border - low));
    return within.sort((a, b) => a - b);
  });
}

function closest(attempts: number, task: MiningTask): MiningTask {
  const goal = { type: 'near', nodeId: TARGET, closerThan: null } as const;
  return { ...task, goal, budget: { attempts } };
}
