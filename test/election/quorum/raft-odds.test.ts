/**
 * @module
 * Split votes in closed form against published-style tables: uniform time-outs, and whole ticks.
 */

import { describe, expect, it } from 'vitest';

import { meanElections, splitVoteChoices, splitVoteProbability } from './raft-odds.ts';

const DELTAS = [0.01, 0.05, 0.1, 0.2, 0.5];

describe('split votes with time-outs uniform in a range', () => {
  it.each([
    [3, [0.0199, 0.0975, 0.19, 0.36, 0.75]],
    [5, [0.000592, 0.014019, 0.0523, 0.1808, 0.6875]],
    [7, [0.00002, 0.00223, 0.01585, 0.09888, 0.65625]],
    [9, [0.000001, 0.000372, 0.005024, 0.056282, 0.636719]],
  ])('are as likely among %i members, one dead, as tabled to six digits', (members, table) => {
    const chances = DELTAS.map((delta) => splitVoteProbability({ members, delta }));

    for (const [index, chance] of chances.entries())
      expect(chance).toBeCloseTo(table[index] ?? 0, 6);
  });

  it.each(DELTAS)('have the polynomials of three and five members at δ = %d', (delta) => {
    const three = splitVoteProbability({ members: 3, delta });
    const five = splitVoteProbability({ members: 5, delta });

    expect(three).toBeCloseTo(1 - (1 - delta) ** 2, 12);
    expect(five).toBeCloseTo(6 * delta ** 2 - 8 * delta ** 3 + 3 * delta ** 4, 12);
  });

  it('never happen without latency and always where no request is in time', () => {
    expect(splitVoteProbability({ members: 5, delta: 0 })).toBe(0);
    expect(splitVoteProbability({ members: 5, delta: 1 })).toBe(1);
  });

  it('take 1/(1−P) elections on average', () => {
    expect(meanElections(0.75)).toBe(4);
    expect(meanElections(0)).toBe(1);
  });

  it.each([
    [{ members: 2, delta: 0.1 }, '"members" expected 3.., got 2'],
    [{ members: 3, delta: 1.1 }, '"delta" expected 0..1, got 1.1'],
    [{ members: 3, delta: Number.NaN }, '"delta" expected 0..1, got NaN'],
  ])('are not defined for %o', (timeouts, fault) => {
    expect(() => splitVoteProbability(timeouts)).toThrow(new RangeError(fault));
  });
});

describe('split votes with time-outs of whole ticks', () => {
  it.each([
    [3, 2, 1, 1 / 2],
    [3, 5, 1, 1 / 5],
    [3, 10, 1, 1 / 10],
    [3, 20, 1, 1 / 20],
    [5, 2, 1, 3 / 8],
    [5, 5, 1, 9 / 125],
    [5, 10, 1, 19 / 1000],
    [5, 20, 1, 39 / 8000],
    [3, 10, 2, 7 / 25],
    [5, 10, 2, 143 / 1250],
  ])(
    'of %i members with ET + rand[0, %i), rivals within %i ticks, have probability %d',
    (...row) => {
      const [members, spreadTicks, openTicks, expected] = row;

      const { split, all } = splitVoteChoices({ members, spreadTicks, openTicks });

      expect(split / all).toBe(expected);
    },
  );

  it('come close to the uniform ones as ticks get finer', () => {
    const fine = splitVoteChoices({ members: 5, spreadTicks: 5000, openTicks: 500 });

    expect(fine.split / fine.all).toBeCloseTo(splitVoteProbability({ members: 5, delta: 0.1 }), 3);
  });

  it('are not counted beyond exact numbers', () => {
    const many = { members: 5, spreadTicks: 10_000, openTicks: 1 };

    expect(() => splitVoteChoices(many)).toThrow(
      new RangeError('"spreadTicks" expected 1.. and few, got 10000'),
    );
  });
});
