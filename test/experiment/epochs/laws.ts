/**
 * @module
 * What simulated epochs must reproduce, as a suite of runs: capture of ranks and of ring
 * successors, the three forms of the epoch's salt, wins over several epochs, the last revealer, and
 * claims that expire.
 */

import { describe, expect, it } from 'vitest';

import type { EpochPlan } from '../../../src/experiment/epochs/epochs.ts';
import { holdsSuccessors, holdsTop } from '../../../src/experiment/properties/registry.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import type { Salt } from '../../../src/experiment/theory/epoch-conduct.ts';
import { epochTopProbability } from '../../../src/experiment/theory/epoch-odds.ts';
import { successorsCaptured, topRanks } from '../theory/exact/capture-odds.ts';
import { epochWins, epochWinsVariance, lastRevealerTop } from '../theory/exact/epoch-odds.ts';
import { toNumber } from '../theory/exact/fraction.ts';
import { countRuns, epochsWon, expectAgreement, leads, planWith, runsOf } from './samples.ts';

/** The suite; `stockRuns` where each run tests thousands of keys. */
export function describeEpochLaws({ runs, stockRuns }: { runs: number; stockRuns: number }): void {
  describe(`capture in ${runs} epochs`, () => describeCapture(runs));
  describe(`the salt of ${stockRuns} epochs, n = 16, c = 8`, () => describeSalts(stockRuns));
  describe(`several epochs, ${runs} times`, () => describeSeries(runs));
  describe(`the last revealer in ${runs} epochs`, () => describeLastRevealer(runs));
  describe(`claims that expire, ${runs} times`, () => describeExpiry(runs));
}

function describeCapture(runs: number): void {
  it.each([
    [3, 'none', '31'],
    [9, 'none', '32'],
    [27, 'none', '33'],
    [9, 'rank', '34'],
  ] as const)('of the top 1, 2, 3 ranks above 9 nodes by %d IDs, salt %s', (forged, salt, seed) => {
    const captured = [0, 0, 0];
    for (const [outcome] of runsOf(planWith({ honest: 9, forged }, { salt }), { runs, seed })) {
      for (const index of captured.keys()) {
        if (holdsTop({ members: outcome?.ranking ?? [], count: index + 1 }))
          captured[index] = 1 + (captured[index] ?? 0);
      }
    }

    for (const [index, wins] of captured.entries()) {
      const odds = toNumber(topRanks({ honest: 9, forged }, index + 1));
      expectAgreement({ wins, runs }, odds, `top ${index + 1}`);
    }
  });

  it.each([
    [3, 'none', '35'],
    [10, 'none', '36'],
    [30, 'none', '37'],
    [10, 'rank', '38'],
  ] as const)("of a victim's 1, 2, 3 successors by %d IDs, salt %s", (forged, salt, seed) => {
    const captured = [0, 0, 0];
    for (const [outcome] of runsOf(planWith({ honest: 10, forged }, { salt }), { runs, seed })) {
      for (const index of captured.keys()) {
        const members = outcome?.ranking ?? [];
        if (holdsSuccessors({ members, victim: () => 4, count: index + 1 })) {
          captured[index] = 1 + (captured[index] ?? 0);
        }
      }
    }

    for (const [index, wins] of captured.entries()) {
      const odds = toNumber(successorsCaptured({ honest: 10, forged }, index + 1));
      expectAgreement({ wins, runs }, odds, `${index + 1} successors`);
    }
  });

  it('of both neighbours of a victim, as of two successors', () => {
    const plan = planWith({ honest: 10, forged: 10 });

    const wins = countRuns(plan, { runs, seed: '39' }, ([outcome]) => {
      const ring = outcome?.ranking ?? [];
      const index = ring.findIndex(({ owner, number }) => owner === 'honest' && number === 4);
      const neighbours = [ring.at(index - 1), ring.at((index + 1) % ring.length)];
      return neighbours.every((member) => member?.owner === 'adversary');
    });

    expectAgreement({ wins, runs }, 0.263158);
  });

  it.each([
    [4, 4, 64, '40'],
    [9, 8, 1024, '41'],
    [16, 20, 1_200_000, '42'],
  ])(
    'of the top by as many IDs as are found: n = %d, c = %d, %d attempts',
    (honest, c, n, seed) => {
      const plan = planWith({ honest, forged: n }, { difficultyBits: c });

      const wins = countRuns(plan, { runs, seed }, leads);

      const odds = topProbability({ honest, attempts: n, difficultyBits: c });
      expectAgreement({ wins, runs }, odds);
    },
  );
}

function describeSalts(runs: number): void {
  const row = (salt: Salt, stockKeys: number, testsPerWindow: number): EpochPlan =>
    planWith(
      { honest: 16, forged: 0 },
      { salt, difficultyBits: 8, adversary: { stockKeys, testsPerWindow, revealChoices: 0 } },
    );
  const odds = ({ salt, adversary }: EpochPlan) =>
    epochTopProbability({
      honest: 16,
      difficultyBits: 8,
      stockKeys: adversary.stockKeys,
      windowTests: adversary.testsPerWindow,
      salt,
    });

  it.each([
    ['nowhere: 2^14 keys count', row('none', 2 ** 14, 0), 0.797972, '51'],
    [
      'in the puzzle alone: they are tested from the top',
      row('puzzle', 2 ** 14, 2048),
      0.7978,
      '52',
    ],
    ['in the rank alone: they count', row('rank', 2 ** 14, 0), 0.797972, '53'],
    ['in both: the window counts', row('both', 2 ** 14, 2048), 0.3241, '54'],
    ['in the puzzle, without stock', row('puzzle', 0, 2048), 0.3241, '55'],
    ['in both, without stock', row('both', 0, 2048), 0.3241, '56'],
    [
      'in the puzzle, with tests for half of what is needed',
      row('puzzle', 2 ** 14, 128),
      null,
      '57',
    ],
  ])('is %s', (_name, plan, about, seed) => {
    const wins = countRuns(plan, { runs, seed }, leads);

    expectAgreement({ wins, runs }, odds(plan));
    if (about !== null) expect(odds(plan)).toBeCloseTo(about, 3);
  });

  it('in the puzzle alone protects the top rank in none of several epochs', () => {
    const plan = { ...row('puzzle', 2 ** 14, 2048), epochs: 3, lifetimeEpochs: 1 };
    const won = [0, 0, 0];
    for (const outcomes of runsOf(plan, { runs, seed: '58' })) {
      for (const { epoch, leader } of outcomes) {
        if (leader === 'adversary') won[epoch] = 1 + (won[epoch] ?? 0);
      }
    }

    for (const [epoch, wins] of won.entries()) {
      expectAgreement({ wins, runs }, odds(plan), `epoch ${epoch}`);
    }
  });
}

function describeSeries(runs: number): void {
  const share = topRanks({ honest: 9, forged: 1 }, 1);

  it.each([
    ['none', false, '61'],
    ['rank', true, '62'],
  ] as const)(
    'by one ID among 9 nodes, salt %s: no win, all wins, mean, variance',
    (salt, rankSalted, seed) => {
      const series = { share, epochs: 10, rankSalted };
      let [none, all, sum, squares] = [0, 0, 0, 0];
      for (const outcomes of runsOf(planWith({ honest: 9, forged: 1 }, { salt, epochs: 10 }), {
        runs,
        seed,
      })) {
        const wins = epochsWon(outcomes);
        if (wins === 0) none += 1;
        if (wins === 10) all += 1;
        sum += wins;
        squares += wins ** 2;
      }

      expectAgreement({ wins: none, runs }, toNumber(epochWins(series, 0)), 'no win');
      expectAgreement({ wins: all, runs }, toNumber(epochWins(series, 10)), 'all wins');
      const variance = toNumber(epochWinsVariance(series));
      expect(Math.abs(sum / runs - 1)).toBeLessThan(4.5 * Math.sqrt(variance / runs));
      // Of no wins or ten the variance is known as well as their share, of Bin(10, q) better.
      const measured = squares / runs - (sum / runs) ** 2;
      expect(Math.abs(measured / variance - 1)).toBeLessThan(15 / Math.sqrt(runs));
    },
  );

  it('win any number of epochs as often as Bin(5, q) says where the rank is salted', () => {
    const plan = planWith({ honest: 4, forged: 2 }, { salt: 'rank', epochs: 5 });
    const series = { share: topRanks({ honest: 4, forged: 2 }, 1), epochs: 5, rankSalted: true };
    const counts = Array.from({ length: 6 }, () => 0);
    for (const outcomes of runsOf(plan, { runs, seed: '63' })) {
      const wins = epochsWon(outcomes);
      counts[wins] = 1 + (counts[wins] ?? 0);
    }

    for (const [epochs, wins] of counts.entries()) {
      expectAgreement({ wins, runs }, toNumber(epochWins(series, epochs)), `${epochs} epochs`);
    }
  });
}

function describeLastRevealer(runs: number): void {
  it.each([0, 1, 2, 3, 4])('with %d choices, at shares of 1/10 and 1/5', (choices) => {
    for (const honest of [9, 4]) {
      const plan = planWith({ honest, forged: 1 }, { salt: 'rank' }, choices);

      const wins = countRuns(plan, { runs, seed: `7${choices}` }, leads);

      const odds = lastRevealerTop(topRanks({ honest, forged: 1 }, 1), choices);
      expectAgreement({ wins, runs }, toNumber(odds), `n = ${honest}`);
    }
  });
}

function describeExpiry(runs: number): void {
  it('after four epochs give the adversary the tests of four windows', () => {
    const plan = planWith(
      { honest: 8, forged: 0 },
      {
        epochs: 6,
        salt: 'both',
        difficultyBits: 6,
        lifetimeEpochs: 4,
        adversary: { stockKeys: 0, testsPerWindow: 128, revealChoices: 0 },
      },
    );
    const won = Array.from({ length: 6 }, () => 0);
    for (const outcomes of runsOf(plan, { runs, seed: '81' })) {
      for (const { epoch, leader } of outcomes) {
        if (leader === 'adversary') won[epoch] = 1 + (won[epoch] ?? 0);
      }
    }

    for (const [epoch, wins] of won.entries()) {
      const attempts = 128 * Math.min(4, epoch + 1);
      const odds = topProbability({ honest: 8, attempts, difficultyBits: 6 });
      expectAgreement({ wins, runs }, odds, `epoch ${epoch}`);
    }
  });

  it('draw the honest IDs anew where the puzzle is salted, under a key that stays', () => {
    const plan = planWith(
      { honest: 3, forged: 0 },
      {
        epochs: 5,
        salt: 'puzzle',
        lifetimeEpochs: 1,
        adversary: { stockKeys: 1, testsPerWindow: 1, revealChoices: 0 },
      },
    );

    const wins = countRuns(plan, { runs, seed: '83' }, (outcomes) => epochsWon(outcomes) === 5);

    // The key is the highest of 16 IDs: it beats three new ones in each of five epochs.
    expectAgreement({ wins, runs }, 1 / 16);
  });

  it('hold tests for ever where nothing is salted', () => {
    const plan = planWith(
      { honest: 8, forged: 0 },
      {
        epochs: 5,
        difficultyBits: 6,
        lifetimeEpochs: 1,
        adversary: { stockKeys: 0, testsPerWindow: 128, revealChoices: 0 },
      },
    );

    const wins = countRuns(plan, { runs, seed: '82' }, leads);

    const odds = topProbability({ honest: 8, attempts: 5 * 128, difficultyBits: 6 });
    expectAgreement({ wins, runs }, odds);
  });
}
