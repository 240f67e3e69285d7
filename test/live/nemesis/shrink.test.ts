/**
 * @module
 * Delta debugging of faults, with clusters that are replaced by a rule that says which faults make them fail.
 */

import { expect, it } from 'vitest';
import type { LiveFault, LiveRound } from '../../../src/live/nemesis.ts';
import { shrinkRounds } from '../../../src/live/shrink-rounds.ts';

const fault = (node: number, from: number, to = from + 64): LiveFault => ({
  ...{ kind: 'pause', from, to, begin: `pause ${node}`, end: `resume ${node}` },
  slot: String(node),
});
const ROUNDS: readonly LiveRound[] = [
  [fault(1, 10), fault(2, 20)],
  [fault(3, 10), fault(4, 20)],
  [5, 6, 7, 8, 9].map((node) => fault(node, node)),
];
const has = (rounds: readonly LiveRound[], node: number, ms: number) =>
  rounds.flat().some(({ slot, from, to }) => slot === String(node) && to - from >= ms);
const never = new AbortController().signal;

it('finds the only faults that matter, and their shortest times', async () => {
  const fails = async (rounds: readonly LiveRound[]) => has(rounds, 6, 10) && has(rounds, 8, 30);

  const shrunk = await shrinkRounds(ROUNDS, { trialsMax: 1000, signal: never, fails });

  expect(shrunk.rounds).toEqual([[fault(6, 6, 6 + 16), fault(8, 8, 8 + 32)]]);
  expect(shrunk.isMinimal).toBe(true);
});

it('goes back to earlier rounds if the last ones do not fail again', async () => {
  const fails = async (rounds: readonly LiveRound[]) => has(rounds, 1, 1) && has(rounds, 9, 1);

  const { rounds } = await shrinkRounds(ROUNDS, { trialsMax: 1000, signal: never, fails });

  expect(rounds?.map((round) => round.map(({ slot }) => slot))).toEqual([['1'], ['9']]);
});

it('finds a failure that every third trial shows', async () => {
  let trial = 0;
  const fails = async (rounds: readonly LiveRound[]) => {
    trial += 1;
    return trial % 3 === 0 && has(rounds, 7, 1);
  };

  const { rounds } = await shrinkRounds(ROUNDS, { trialsMax: 1000, signal: never, fails });

  expect(has(rounds ?? [], 7, 1)).toBe(true);
});

it.each([0, 1, 3, 10])(
  'makes no more than %i trials, and says that the search is not over',
  async (trialsMax) => {
    let trials = 0;
    const fails = async (rounds: readonly LiveRound[]) => {
      trials += 1;
      return has(rounds, 6, 1);
    };

    const shrunk = await shrinkRounds(ROUNDS, { trialsMax, signal: never, fails });

    expect([shrunk.trials, trials, shrunk.isMinimal]).toEqual([trialsMax, trialsMax, false]);
    expect(shrunk.rounds === null).toBe(trialsMax === 0);
  },
);

it('has no rounds if none fails again', async () => {
  const fails = async () => false;

  const shrunk = await shrinkRounds(ROUNDS, { trialsMax: 1000, signal: never, fails });

  expect([shrunk.rounds, shrunk.isMinimal]).toEqual([null, false]);
});

it('keeps the shortest that it has found when the user ends it', async () => {
  const user = new AbortController();
  let failed = 0;
  const fails = async (rounds: readonly LiveRound[]) => {
    if (!has(rounds, 6, 1)) return false;
    failed += 1;
    // What a trial shows that was cut short does not count.
    if (failed === 3) user.abort();
    return true;
  };

  const shrunk = await shrinkRounds(ROUNDS, { trialsMax: 1000, signal: user.signal, fails });

  expect(has(shrunk.rounds ?? [], 6, 1)).toBe(true);
  expect(shrunk.rounds?.flat().length).toBeLessThan(5);
  expect(shrunk.isMinimal).toBe(false);
});
