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

describe('an exhaustive search', () => {
  it('gives each response eight runs, and goes on with those that are not clearly worse', () => {
    const { runs, pilot } = stagedPilot({ naive: 1, a: 2, b: 0, c: 1 });

    const found = findBest(['naive', 'a', 'b', 'c'], pilot, 'exhaustive');

    expect(runs).toMatchObject({ b: 8, naive: found.runs, a: found.runs });
    expect(found).toMatchObject({ best: 'a', rivals: [], wins: found.runs / 2 });
  });

  it('ends when one response is far better than all others', () => {
    const { runs, pilot } = stagedPilot({ naive: 0, a: 4, b: 1 });

    expect(findBest(['naive', 'b', 'a'], pilot, 'exhaustive')).toMatchObject({
      best: 'a',
      runs: 8,
    });
    expect(runs.b).toBe(8);
  });

  it('compares the better ones with each other until they differ', () => {
    // The first four runs of both are alike.
    const pilot = (candidate: string, { from, count }: PilotRange) => {
      const wins = candidate === 'naive' ? 0 : candidate === 'a' && from >= 4 ? count / 2 : count;
      return { wins, messages: 10 };
    };

    expect(findBest(['naive', 'a', 'b'], pilot, 'exhaustive')).toMatchObject({
      best: 'b',
      rivals: [],
    });
  });

  it('names ties', () => {
    const { runs, pilot } = stagedPilot({ naive: 0, a: 4, b: 4, c: 1 });

    const found = findBest(['naive', 'a', 'b', 'c'], pilot, 'exhaustive');

    expect(found).toMatchObject({ best: 'a', runs: 32, wins: 32, naiveWins: 0, rivals: ['b'] });
    expect(runs.c).toBe(8);
  });

  it('makes at least eight runs of expensive responses that are not far apart', () => {
    const { pilot } = stagedPilot({ naive: 1, a: 2, b: 1 }, 1e6);

    expect(findBest(['naive', 'a', 'b'], pilot, 'exhaustive')).toMatchObject({
      runs: 8,
      best: 'a',
    });
  });

  it('keeps the naive response if none is clearly better, and names those that are as good', () => {
    const { pilot } = stagedPilot({ naive: 2, a: 2, b: 1 });

    const found = findBest(['naive', 'a', 'b'], pilot, 'exhaustive');

    expect(found).toMatchObject({ best: 'naive', runs: 32, rivals: ['a'] });
  });

  it('leaves out refused responses, and compares nothing if the naive one is refused', () => {
    const some = stagedPilot({ naive: 1, a: null, b: 4 });
    const naive = stagedPilot({ naive: null, a: 4 });

    expect(findBest(['naive', 'a', 'b'], some.pilot, 'exhaustive')).toMatchObject({
      best: 'b',
      refused: ['a'],
    });
    expect(findBest(['naive', 'a'], naive.pilot, 'exhaustive')).toMatchObject({
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
