/**
 * @module
 * Split votes of Raft, exactly, against tables and against every choice of time-outs.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { splitVoteChoices, splitVoteProbability } from '../../election/quorum/raft-odds.ts';
import type { Fraction } from './exact/fraction.ts';
import { fraction, ONE, plus, toNumber, ZERO } from './exact/fraction.ts';
import type { RaftTicks } from './exact/raft-odds.ts';
import {
  firstTimeoutMean,
  meanElectionsExactly,
  RAFT_MEMBERS_MAX,
  rivalsExactly,
  splitVoteExactly,
  tickRivalsExactly,
  tickSplitExactly,
} from './exact/raft-odds.ts';

const DELTAS = [fraction(1, 100), fraction(1, 20), fraction(1, 10), fraction(1, 5), fraction(1, 2)];

describe('split votes with time-outs uniform in a range', () => {
  it.each([
    [3, ['0.019900', '0.097500', '0.190000', '0.360000', '0.750000']],
    [5, ['0.000592', '0.014019', '0.052300', '0.180800', '0.687500']],
    [7, ['0.000020', '0.002230', '0.015850', '0.098880', '0.656250']],
    [9, ['0.000001', '0.000372', '0.005024', '0.056282', '0.636719']],
  ])('%d members at δ = .01, .05, .1, .2, .5', (members, expected) => {
    const odds = DELTAS.map((delta) => toNumber(splitVoteExactly({ members, delta })).toFixed(6));

    expect(odds).toEqual(expected);
  });

  it('have the polynomials of three and five members, and the doubles of the election room', () => {
    for (const delta of DELTAS) {
      const d = toNumber(delta);

      const [three, five] = [3, 5].map((members) => toNumber(splitVoteExactly({ members, delta })));

      expect(three).toBeCloseTo(1 - (1 - d) ** 2, 14);
      expect(five).toBeCloseTo(6 * d ** 2 - 8 * d ** 3 + 3 * d ** 4, 14);
      expect(five).toBeCloseTo(splitVoteProbability({ members: 5, delta: d }), 14);
    }
  });

  it('have a law of rivals that adds up to one, and 1/(1−P) elections', () => {
    for (const members of [3, 4, 5, 8, 9]) {
      const timeouts = { members, delta: fraction(2, 7) };
      const law = Array.from({ length: members - 1 }, (_, m) => rivalsExactly(timeouts, m));

      expect(law.reduce(plus, ZERO)).toEqual(ONE);
      expect(rivalsExactly(timeouts, members - 1)).toEqual(ZERO);
    }
    expect(meanElectionsExactly(fraction(3, 4))).toEqual(fraction(4, 1));
    expect(meanElectionsExactly(ZERO)).toEqual(ONE);
  });

  it('leave the first candidate alone with probability (1−δ)^f', () => {
    const alone = rivalsExactly({ members: 5, delta: fraction(1, 10) }, 0);

    expect(alone).toEqual(fraction(9n ** 4n, 10n ** 4n));
  });

  it('are what whole ticks come to as they get finer', () => {
    const gaps = [4, 40, 400].map((fine) => {
      const ticks = { members: 5, spreadTicks: 10 * fine, latencyTicks: fine };
      return tickLaw(ticks).map((odds, rivals) =>
        Math.abs(
          toNumber(odds) - toNumber(rivalsExactly({ members: 5, delta: fraction(1, 10) }, rivals)),
        ),
      );
    });

    expect(Math.max(...(gaps[0] ?? []))).toBeGreaterThan(1e-3);
    expect(Math.max(...(gaps[2] ?? []))).toBeLessThan(1e-3);
  });

  it.each([2, 2.5, RAFT_MEMBERS_MAX + 1])('are not defined for %d members', (members) => {
    expect(() => splitVoteExactly({ members, delta: ONE })).toThrow(RangeError);
  });
});

describe('split votes with time-outs of whole ticks', () => {
  it.each([
    [3, 2, 0, fraction(1, 2)],
    [3, 5, 0, fraction(1, 5)],
    [3, 10, 0, fraction(1, 10)],
    [3, 20, 0, fraction(1, 20)],
    [5, 2, 0, fraction(3, 8)],
    [5, 5, 0, fraction(9, 125)],
    [5, 10, 0, fraction(19, 1000)],
    [5, 20, 0, fraction(39, 8000)],
    [3, 10, 1, fraction(7, 25)],
    [5, 10, 1, fraction(143, 1250)],
  ])('%d members, %d ticks, latency %d', (members, spreadTicks, latencyTicks, expected) => {
    expect(tickSplitExactly({ members, spreadTicks, latencyTicks })).toEqual(expected);
  });

  it('are those of every choice of ticks', () => {
    const small = fc.record({
      members: fc.integer({ min: 3, max: 6 }),
      spreadTicks: fc.integer({ min: 1, max: 5 }),
      latencyTicks: fc.integer({ min: 0, max: 6 }),
    });

    fc.assert(
      fc.property(small, (ticks) => {
        const { members, spreadTicks } = ticks;
        const openTicks = ticks.latencyTicks + 1;

        expect(tickLaw(ticks)).toEqual(enumeratedLaw(ticks));
        const { split, all } = splitVoteChoices({ members, spreadTicks, openTicks });
        expect(tickSplitExactly(ticks)).toEqual(fraction(split, all));
      }),
      { seed: 8, numRuns: 60 },
    );
  });
});

describe('the first time-out', () => {
  it('comes at T + R/n on average', () => {
    expect(firstTimeoutMean({ members: 5, least: 150, range: 150 })).toBe(180);
    const fine = 2000;
    let sum = 0;
    for (let first = 0; first < fine; first += 1) sum += (1 - (first + 0.5) / fine) ** 4 / fine;
    expect(firstTimeoutMean({ members: 5, least: 0, range: 1 })).toBeCloseTo(sum, 6);
  });
});

function tickLaw(ticks: RaftTicks): readonly Fraction[] {
  return Array.from({ length: ticks.members - 1 }, (_, rivals) => tickRivalsExactly(ticks, rivals));
}

/** How often each number of rivals comes among all choices of ticks. */
function enumeratedLaw({ members, spreadTicks, latencyTicks }: RaftTicks): readonly Fraction[] {
  const followers = members - 1;
  const counts = Array.from({ length: followers }, () => 0);
  for (let choice = 0; choice < spreadTicks ** followers; choice += 1) {
    const ticks = Array.from(
      { length: followers },
      (_, digit) => Math.floor(choice / spreadTicks ** digit) % spreadTicks,
    );
    const first = Math.min(...ticks);
    const rivals = ticks.filter((tick) => tick <= first + latencyTicks).length - 1;
    counts[rivals] = (counts[rivals] ?? 0) + 1;
  }
  return counts.map((count) => fraction(count, spreadTicks ** followers));
}
