/**
 * @module
 * Split votes of the real machine, with the leader just dead and all election time-outs restarted
 * together: every choice of whole ticks, and samples of a fine range, against the closed forms.
 * `CHANCE_RUNS` from 2000 adds the largest table, which is otherwise made but for who made which choice.
 */

import { describe, expect, it } from 'vitest';

import { splitVoteChoices, splitVoteProbability } from '../../election/quorum/raft-odds.ts';
import { isFirstElectionSplit } from './raft-runs.ts';

interface WholeTicks {
  readonly nodes: number;
  readonly spreadTicks: number;
  /** Deliveries precede the timers of their tick: after 1, a request is there before the next. */
  readonly latencyTicks: number;
}

const SAMPLES = 1000;
const SPREAD_TICKS = 10_000;
const LARGEST: readonly [WholeTicks, number, number][] =
  Number(process.env.CHANCE_RUNS ?? 600) < 2000
    ? []
    : [[{ nodes: 5, spreadTicks: 10, latencyTicks: 1 }, 19, 1000]];

describe('split votes of the machine', () => {
  it.each<[WholeTicks, number, number]>([
    [{ nodes: 3, spreadTicks: 2, latencyTicks: 1 }, 1, 2],
    [{ nodes: 3, spreadTicks: 5, latencyTicks: 1 }, 1, 5],
    [{ nodes: 3, spreadTicks: 10, latencyTicks: 1 }, 1, 10],
    [{ nodes: 3, spreadTicks: 20, latencyTicks: 1 }, 1, 20],
    [{ nodes: 3, spreadTicks: 10, latencyTicks: 2 }, 7, 25],
    [{ nodes: 5, spreadTicks: 2, latencyTicks: 1 }, 3, 8],
    [{ nodes: 5, spreadTicks: 5, latencyTicks: 1 }, 9, 125],
    ...LARGEST,
  ])('are in all choices of %o as many as %i of %i', (ticks, numerator, denominator) => {
    const followers = ticks.nodes - 1;
    let split = 0;
    for (let number = 0; number < ticks.spreadTicks ** followers; number += 1) {
      if (isFirstElectionSplit(ticks, digits(number, ticks.spreadTicks, followers))) split += 1;
    }

    expect(split * denominator).toBe(numerator * ticks.spreadTicks ** followers);
    expect(split).toBe(
      splitVoteChoices({ ...ticks, members: ticks.nodes, openTicks: ticks.latencyTicks }).split,
    );
  });

  it.each<[WholeTicks, number, number]>([
    [{ nodes: 5, spreadTicks: 10, latencyTicks: 1 }, 19, 1000],
    [{ nodes: 5, spreadTicks: 20, latencyTicks: 1 }, 39, 8000],
    [{ nodes: 5, spreadTicks: 10, latencyTicks: 2 }, 143, 1250],
  ])(
    'are in all choices of %o, but for who made which, %i of %i',
    (ticks, numerator, denominator) => {
      let split = 0;
      let all = 0;
      for (const { choices, orderings } of ascendingFours(ticks.spreadTicks)) {
        all += orderings;
        if (isFirstElectionSplit(ticks, choices)) split += orderings;
      }

      expect(all).toBe(ticks.spreadTicks ** 4);
      expect(split * denominator).toBe(numerator * all);
    },
  );

  it.each([3, 5].flatMap((nodes) => [0.05, 0.1, 0.2, 0.5].map((delta) => [nodes, delta] as const)))(
    'are among %i members at δ = %d within 4.5 standard errors of the closed form',
    (nodes, delta) => {
      const election = { nodes, latencyTicks: delta * SPREAD_TICKS, spreadTicks: SPREAD_TICKS };
      let split = 0;
      for (let seed = 1; seed <= SAMPLES; seed += 1) {
        if (isFirstElectionSplit(election, seed)) split += 1;
      }

      const chance = splitVoteProbability({ members: nodes, delta });
      const error = Math.sqrt((chance * (1 - chance)) / SAMPLES);
      expect(Math.abs(split / SAMPLES - chance)).toBeLessThan(4.5 * error);
    },
  );
});

function digits(number: number, base: number, count: number): number[] {
  return Array.from(
    { length: count },
    (_, position) => Math.floor(number / base ** position) % base,
  );
}

/** Every ascending choice of four values below `below`, and how many orders it has. */
function* ascendingFours(below: number): Generator<{ choices: number[]; orderings: number }> {
  for (let a = 0; a < below; a += 1) {
    for (let b = a; b < below; b += 1) {
      for (let c = b; c < below; c += 1) {
        for (let d = c; d < below; d += 1)
          yield { choices: [a, b, c, d], orderings: orders([a, b, c, d]) };
      }
    }
  }
}

/** 4! divided by the factorials of how often each value occurs. */
function orders(ascending: readonly number[]): number {
  let orderings = 24;
  let run = 0;
  for (const [index, value] of ascending.entries()) {
    run = index > 0 && ascending[index - 1] === value ? run + 1 : 1;
    orderings /= run;
  }
  return orderings;
}
