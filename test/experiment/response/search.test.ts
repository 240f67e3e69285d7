/**
 * @module
 * The search for the best response: equal numbers of runs, ties, refusals, and the order of candidates.
 */

import { describe, expect, it } from 'vitest';
import type { PilotRange } from '../../../src/experiment/response/search.ts';
import { findBest } from '../../../src/experiment/response/search.ts';

/** Pilots whose candidates win a fixed number of each four runs. They record how many runs each one had. */
function stagedPilot(winsOfFour: Readonly<Record<string, number | null>>, messages = 10) {
  const runs: Record<string, number> = {};
  const pilot = (candidate: string, { count }: PilotRange) => {
    runs[candidate] = (runs[candidate] ?? 0) + count;
    const wins = winsOfFour[candidate] ?? null;
    return wins === null ? null : { wins: (wins * count) / 4, messages: messages * count };
  };
  return { runs, pilot };
}

describe('a search with equal effort', () => {
  it('gives each response the same number of runs', () => {
    const { runs, pilot } = stagedPilot({ naive: 1, a: 2, b: 0, c: 1 });

    const found = findBest(['naive', 'a', 'b', 'c'], pilot, 'equal');

    expect(new Set(Object.values(runs))).toEqual(new Set([found.runs]));
    expect(found).toMatchObject({ best: 'a', rivals: [], wins: found.runs / 2 });
  });

  it('ends when a response is far better than the naive one, and names ties', () => {
    const { runs, pilot } = stagedPilot({ naive: 0, a: 4, b: 4, c: 1 });

    const found = findBest(['naive', 'a', 'b', 'c'], pilot, 'equal');

    expect(found).toMatchObject({ best: 'a', runs: 4, wins: 4, naiveWins: 0, rivals: ['b'] });
    expect(runs.c).toBe(4);
  });

  it('makes at least eight runs of expensive responses that are not far apart', () => {
    const { pilot } = stagedPilot({ naive: 1, a: 2, b: 1 }, 1e6);

    expect(findBest(['naive', 'a', 'b'], pilot, 'equal')).toMatchObject({ runs: 8, best: 'a' });
  });

  it('keeps the naive response if none is clearly better, and names those that are as good', () => {
    const { pilot } = stagedPilot({ naive: 2, a: 2, b: 1 });

    const found = findBest(['naive', 'a', 'b'], pilot, 'equal');

    expect(found).toMatchObject({ best: 'naive', runs: 32, rivals: ['a'] });
  });

  it('leaves out refused responses, and compares nothing if the naive one is refused', () => {
    const some = stagedPilot({ naive: 1, a: null, b: 4 });
    const naive = stagedPilot({ naive: null, a: 4 });

    expect(findBest(['naive', 'a', 'b'], some.pilot, 'equal')).toMatchObject({
      best: 'b',
      refused: ['a'],
    });
    expect(findBest(['naive', 'a'], naive.pilot, 'equal')).toMatchObject({
      best: 'naive',
      refused: ['naive'],
      rivals: [],
    });
  });
});

describe('a search by halving', () => {
  it('gives further runs to the better half and to the naive response', () => {
    const { runs, pilot } = stagedPilot({ naive: 1, a: 2, b: 0, c: 1, d: 1 });

    const found = findBest(['naive', 'a', 'b', 'c', 'd'], pilot);

    expect(found).toMatchObject({ best: 'a', runs: 32 });
    expect(runs).toMatchObject({ naive: 32, a: 32, b: 4 });
  });
});
