/**
 * @module
 * Simulated epochs: their laws in few runs, who registers when, and what moves the difficulty.
 */

import { describe, expect, it } from 'vitest';

import type { EpochPlan } from '../../../src/experiment/epochs/epochs.ts';
import { simulateEpochs } from '../../../src/experiment/epochs/epochs.ts';
import type { Member } from '../../../src/experiment/properties/property.ts';
import { holdsSuccessors, holdsTop } from '../../../src/experiment/properties/registry.ts';
import { SALTS } from '../../../src/experiment/theory/epoch-conduct.ts';
import { parseSeed } from '../../../src/random.ts';
import { describeEpochLaws } from './laws.ts';
import { epochsWon, leads, planWith, runsOf, STILL_THERE } from './samples.ts';

describeEpochLaws({ runs: 1000, stockRuns: 500 });

const SEED = parseSeed('9');

/** A plan in which everything happens: joins, expiry, retargeting, choices. */
const BUSY: EpochPlan = planWith(
  { honest: 20, forged: 0 },
  {
    epochs: 8,
    salt: 'both',
    difficultyBits: 4,
    lifetimeEpochs: 2,
    honest: { ...STILL_THERE, nodes: 20, testsPerWindow: 24 },
    adversary: { stockKeys: 500, testsPerWindow: 100, revealChoices: 2 },
    retargeting: { targetJoins: 12, stepBitsMax: 1 },
  },
);

describe('a run of epochs', () => {
  it('is the same under the same seed, and another under another', () => {
    for (const salt of SALTS) {
      const plan = { ...BUSY, salt };

      expect(simulateEpochs(plan, SEED)).toEqual(simulateEpochs(plan, SEED));
      expect(simulateEpochs(plan, SEED)).not.toEqual(simulateEpochs(plan, parseSeed('10')));
    }
  });

  it('begins as a shorter one', () => {
    for (const salt of SALTS) {
      const whole = simulateEpochs({ ...BUSY, salt }, SEED);

      const short = simulateEpochs({ ...BUSY, salt, epochs: 3 }, SEED);

      expect(short).toEqual(whole.slice(0, 3));
    }
  });

  it('ranks every claim once, and is led by the first', () => {
    for (const salt of SALTS) {
      for (const { ranking, leader } of simulateEpochs({ ...BUSY, salt }, SEED)) {
        const names = ranking.map(({ owner, number }) => `${owner} ${number}`);

        expect(new Set(names).size).toBe(names.length);
        expect(leader).toBe(ranking[0]?.owner ?? null);
      }
    }
  });

  it('has no leader if no node joins', () => {
    const [outcome] = simulateEpochs(planWith({ honest: 0, forged: 0 }), SEED);

    expect(outcome).toMatchObject({
      ranking: [],
      leader: null,
      joins: { honest: 0, adversary: 0 },
    });
  });

  it.each([
    ['epochs', { epochs: 0 }],
    ['difficultyBits', { difficultyBits: 257 }],
    ['difficultyBits', { difficultyBits: 0.5 }],
    ['nodes', { honest: { ...STILL_THERE, nodes: -1, testsPerWindow: null } }],
    ['testsPerWindow', { honest: { ...STILL_THERE, nodes: 1, testsPerWindow: -1 } }],
    ['churn', { honest: { ...BUSY.honest, churn: 1.5 } }],
    ['newcomers', { honest: { ...BUSY.honest, newcomers: -1 } }],
    ['stockKeys', { adversary: { ...BUSY.adversary, stockKeys: -1 } }],
    ['testsPerWindow', { adversary: { ...BUSY.adversary, testsPerWindow: 1.5 } }],
    ['revealChoices', { adversary: { ...BUSY.adversary, revealChoices: 17 } }],
    ['lifetimeEpochs', { lifetimeEpochs: 0 }],
    ['targetJoins', { retargeting: { targetJoins: 0, stepBitsMax: 1 } }],
    ['stepBitsMax', { retargeting: { targetJoins: 1, stepBitsMax: 0 } }],
  ])('refuses %s out of range: %o', (name, changes) => {
    expect(() => simulateEpochs({ ...BUSY, ...changes }, SEED)).toThrow(
      expect.objectContaining({
        name: 'RangeError',
        message: expect.stringContaining(`"${name}"`),
      }),
    );
  });

  it('refuses an adversary whose keys would fill the memory', () => {
    // 2^26 good keys, or a good one so deep in stock.
    for (const salt of SALTS) {
      const adversary = { stockKeys: 2 ** 40, testsPerWindow: 2 ** 40, revealChoices: 0 };
      const plan = { ...BUSY, salt, adversary, difficultyBits: 14 };

      expect(() => simulateEpochs(plan, SEED), salt).toThrow(
        expect.objectContaining({ code: 'job.size' }),
      );
    }
  });
});

describe('claims', () => {
  it('without a salt stay on top for ever, expired or not', () => {
    const plan = planWith({ honest: 9, forged: 3 }, { epochs: 6 });

    for (const outcomes of runsOf(plan, { runs: 50, seed: '91' })) {
      expect([0, 6]).toContain(epochsWon(outcomes));
    }
    const expiring = simulateEpochs({ ...plan, lifetimeEpochs: 2 }, SEED);
    const lasting = simulateEpochs(plan, SEED);
    expect(expiring.map(({ leader }) => leader)).toEqual(lasting.map(({ leader }) => leader));
  });

  it('are renewed with their old solution where the puzzle is not salted: no join', () => {
    const unsalted = planWith({ honest: 9, forged: 3 }, { epochs: 4, lifetimeEpochs: 2 });

    const joins = simulateEpochs(unsalted, SEED).map((outcome) => outcome.joins);

    expect(joins.map(({ honest }) => honest)).toEqual([9, 0, 0, 0]);
    expect(joins.map(({ adversary }) => adversary)).toEqual([3, 0, 0, 0]);
  });

  it('must be earned again at their end where it is', () => {
    const salted = planWith(
      { honest: 9, forged: 0 },
      {
        epochs: 4,
        salt: 'puzzle',
        lifetimeEpochs: 2,
        adversary: { stockKeys: 3, testsPerWindow: 3, revealChoices: 0 },
      },
    );

    const outcomes = simulateEpochs(salted, SEED);

    expect(outcomes.map(({ joins }) => joins.honest)).toEqual([9, 0, 9, 0]);
    // Without a puzzle every test succeeds; keys that count already are not tested again.
    expect(outcomes.map(({ joins }) => joins.adversary)).toEqual([3, 3, 3, 3]);
    expect(outcomes.map(({ ranking }) => ranking.length)).toEqual([12, 15, 15, 15]);
  });

  it('of an easier epoch end with it where the difficulty has risen since', () => {
    const plan = planWith(
      { honest: 4, forged: 1000 },
      { epochs: 6, lifetimeEpochs: 1, retargeting: { targetJoins: 1, stepBitsMax: 4 } },
    );

    const outcomes = simulateEpochs(plan, SEED);

    const forged = outcomes.map(
      ({ ranking }) => ranking.filter(({ owner }) => owner === 'adversary').length,
    );
    expect(outcomes.slice(0, 2).map(({ difficultyBits }) => difficultyBits)).toEqual([0, 4]);
    expect(forged[0]).toBe(1000);
    // 1000/16 of them have four zero bits by themselves.
    expect(Math.abs((forged[1] ?? 0) - 62.5)).toBeLessThan(5 * Math.sqrt(62.5));
  });

  it('of honest nodes end so as well; who has one test then joins with p again', () => {
    const plan = planWith(
      { honest: 1600, forged: 0 },
      {
        epochs: 2,
        honest: { ...STILL_THERE, nodes: 1600, testsPerWindow: 1 },
        lifetimeEpochs: 1,
        retargeting: { targetJoins: 100, stepBitsMax: 4 },
      },
    );

    const [first, second] = simulateEpochs(plan, SEED);

    expect(first?.joins.honest).toBe(1600);
    expect(second?.difficultyBits).toBe(4);
    const joins = second?.joins.honest ?? 0;
    const renewed = (second?.ranking.length ?? 0) - joins;
    // A sixteenth of all is renewed, a sixteenth of the others joins.
    expect(Math.abs(renewed - 100)).toBeLessThan(5 * Math.sqrt(100));
    expect(Math.abs(joins - 93.75)).toBeLessThan(5 * Math.sqrt(93.75));
  });

  it('that were too easy come back when the difficulty falls', () => {
    const plan = planWith(
      { honest: 1, forged: 4096 },
      {
        epochs: 3,
        difficultyBits: 8,
        lifetimeEpochs: 1,
        retargeting: { targetJoins: 1e9, stepBitsMax: 2 },
      },
    );
    const runs = 400;
    const sums = [0, 0, 0];
    for (const outcomes of runsOf(plan, { runs, seed: '92' })) {
      for (const { epoch, ranking } of outcomes)
        sums[epoch] = (sums[epoch] ?? 0) + ranking.length - 1;
    }

    for (const [epoch, sum] of sums.entries()) {
      // 16, 64, 256 of the 4096 keys that were made before the first epoch.
      const mean = 4096 / 2 ** (8 - 2 * epoch);
      expect(Math.abs(sum / runs - mean), `epoch ${epoch}`).toBeLessThan(
        4.5 * Math.sqrt(mean / runs),
      );
    }
  });
});

describe('a last revealer', () => {
  it('gains nothing where the rank is not salted', () => {
    for (const salt of ['none', 'puzzle'] as const) {
      const plan = { ...BUSY, salt };
      const without = { ...plan, adversary: { ...plan.adversary, revealChoices: 0 } };

      expect(simulateEpochs(plan, SEED)).toEqual(simulateEpochs(without, SEED));
    }
  });

  it('wins whatever it would have won without a choice', () => {
    const won = [0, 1, 2, 3].map((choices) => {
      const plan = planWith({ honest: 9, forged: 1 }, { salt: 'rank' }, choices);
      return [...runsOf(plan, { runs: 200, seed: '93' })].map(leads);
    });

    for (const [index, wins] of won.slice(1).entries()) {
      const before = won[index] ?? [];
      expect(before.every((win, run) => !win || wins[run] === true)).toBe(true);
    }
  });
});

describe('difficulty that follows joins', () => {
  const network = (testsPerWindow: number): EpochPlan =>
    planWith(
      { honest: 400, forged: 0 },
      {
        epochs: 60,
        salt: 'puzzle',
        honest: { ...STILL_THERE, nodes: 400, testsPerWindow },
        lifetimeEpochs: 1,
        retargeting: { targetJoins: 100, stepBitsMax: 1 },
      },
    );

  it('moves by no more than its step in any epoch', () => {
    for (const stepBitsMax of [1, 2, 3]) {
      const plan = { ...network(1000), retargeting: { targetJoins: 100, stepBitsMax } };

      const bits = simulateEpochs(plan, SEED).map(({ difficultyBits }) => difficultyBits);

      const steps = bits.slice(1).map((value, index) => Math.abs(value - (bits[index] ?? 0)));
      expect(Math.max(...steps)).toBeLessThanOrEqual(stepBitsMax);
    }
  });

  it('settles within a bit of the wanted joins, a bit higher for doubled tests', () => {
    const settled = [500, 1000, 2000].map((tests) => {
      const late = simulateEpochs(network(tests), SEED).slice(30);
      const joins = late.reduce((sum, outcome) => sum + outcome.joins.honest, 0) / late.length;
      expect(joins).toBeGreaterThan(100 / 2);
      expect(joins).toBeLessThan(100 * 2);
      return late.reduce((sum, { difficultyBits }) => sum + difficultyBits, 0) / late.length;
    });

    const [least = 0, middle = 0, most = 0] = settled;
    expect(middle - least).toBeCloseTo(1, 0);
    expect(most - middle).toBeCloseTo(1, 0);
  });

  it('lets masses of joins price honest nodes out, a step an epoch', () => {
    const flooded = (stepBitsMax: number): EpochPlan => ({
      ...network(1000),
      difficultyBits: 11,
      adversary: { stockKeys: 0, testsPerWindow: 20_000_000, revealChoices: 0 },
      epochs: 8,
      retargeting: { targetJoins: 100, stepBitsMax },
    });

    const slow = simulateEpochs(flooded(1), SEED);
    const fast = simulateEpochs(flooded(6), SEED);

    expect(slow.map(({ difficultyBits }) => difficultyBits)).toEqual([
      11, 12, 13, 14, 15, 16, 17, 18,
    ]);
    expect(fast[1]?.difficultyBits).toBe(17);
    expect(fast[1]?.joins.honest).toBeLessThan(20);
    expect(slow[1]?.joins.honest).toBeGreaterThan(60);
  });
});

describe('what a ranking gives away', () => {
  const ranking = members('a h0 a a h1');

  it.each([
    [1, true],
    [2, false],
  ])('the top %d: %s', (count, expected) => {
    expect(holdsTop({ members: ranking, count })).toBe(expected);
  });

  it.each([
    // The next higher one of h1 is forged, and so is the one after it; then comes h0.
    [1, 1, true],
    [1, 2, true],
    [1, 3, false],
    // Above h0 is the highest, whose successor is the lowest, h1.
    [0, 1, true],
    [0, 2, false],
    // No member has that number.
    [7, 1, false],
  ])('of victim %d the next %d: %s', (victim, successors, expected) => {
    expect(holdsSuccessors({ members: ranking, victim: () => victim, count: successors })).toBe(
      expected,
    );
  });

  it('is nothing where there are too few members', () => {
    expect(holdsTop({ members: members('a a'), count: 3 })).toBe(false);
    expect(holdsSuccessors({ members: members('a h0 a'), victim: () => 0, count: 3 })).toBe(false);
    expect(holdsSuccessors({ members: members('a h0 a'), victim: () => 0, count: 2 })).toBe(true);
  });
});

/** Members from the top down: `a` is forged, `h3` honest node 3. */
function members(text: string): readonly Member[] {
  return text
    .split(' ')
    .map((word, number) =>
      word === 'a'
        ? { owner: 'adversary', number }
        : { owner: 'honest', number: Number(word.slice(1)) },
    );
}
