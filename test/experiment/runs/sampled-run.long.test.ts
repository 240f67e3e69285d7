/**
 * @module
 * Sampled runs: their law against the closed form at ten points, their streams, and the elections
 * that confirm them. `SAMPLED_RUNS` makes it more runs a point.
 */

import { describe, expect, it } from 'vitest';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { electionRuns } from '../../../src/experiment/runs/sampled-run.ts';
import { mergeTallies } from '../../../src/experiment/runs/tally.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { parseSeed } from '../../../src/random.ts';
import {
  electionsOf,
  executeRun,
  isWon,
  noAdversary,
  onlyOf,
  ratesOf,
  STILL,
  topId,
} from '../models.ts';

const RUNS = Number(process.env.SAMPLED_RUNS ?? 40_000);

describe(`${RUNS} sampled runs`, () => {
  // The points and the seeds were fixed before the first run.
  it.each([
    [1, 1, 1, '1'],
    [1, 4, 100, '2'],
    [2, 0, 3, '3'],
    [3, 2, 12, '4'],
    [4, 8, 64, '5'],
    [8, 4, 64, '6'],
    [9, 8, 1024, '7'],
    [16, 8, 16384, '8'],
    [16, 20, 1_200_000, '9'],
    [32, 30, 2 ** 40, '10'],
  ])('agree with E[K/(n+K)] at n = %d, c1 = %d, %d attempts', (honest, c1, attempts, seed) => {
    const model = sampled(honest, c1, attempts);

    const {
      wins: [wins = 0],
      runs,
    } = executeRuns(model, parseSeed(seed), { from: 0, count: RUNS }, STILL);

    const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
    const theory = topProbability({ honest, attempts, difficultyBits: c1 });
    expect(low).toBeLessThanOrEqual(theory);
    expect(high).toBeGreaterThanOrEqual(theory);
  });

  it('distinguish points that differ by one bit', () => {
    const range = { from: 0, count: RUNS };

    const {
      wins: [wins = 0],
      runs,
    } = executeRuns(sampled(8, 4, 64), parseSeed('6'), range, STILL);

    const [low] = exactInterval({ wins, runs, confidence: 0.9999 });
    expect(low).toBeGreaterThan(topProbability({ honest: 8, attempts: 64, difficultyBits: 5 }));
  });
});

describe('a sampled run', () => {
  const seed = parseSeed('11');
  const model = sampled(8, 4, 64);

  it('has the same outcome alone, in any range and beside any other', () => {
    const alone = Array.from({ length: 300 }, (_, run) => executeRun(model, { seed, run }, STILL));
    const ranges = [
      { from: 137, count: 163 },
      { from: 0, count: 1 },
      { from: 1, count: 136 },
    ];

    const parts = ranges.map((range) => executeRuns(model, seed, range, STILL));

    const whole = executeRuns(model, seed, { from: 0, count: 300 }, STILL);
    expect(parts.reduce(mergeTallies)).toEqual(whole);
    expect(whole.wins).toEqual([alone.filter(isWon).length]);
  });

  it('differs with the seed and with the run', () => {
    const wins = (base: string, from: number) =>
      Array.from({ length: 64 }, (_, index) =>
        isWon(executeRun(model, { seed: parseSeed(base), run: from + index }, STILL)) ? '1' : '0',
      ).join('');

    expect(new Set([wins('1', 0), wins('2', 0), wins('1', 1)]).size).toBe(3);
  });

  it('holds its elections among the first 200 runs, and only there', () => {
    const held = [0, 199, 200, 5000].map(
      (run) => electionsOf(executeRun(model, { seed, run }, STILL)).length,
    );

    expect(held).toEqual([2, 2, 0, 0]);
    expect(executeRuns(model, seed, { from: 0, count: 1000 }, STILL).elections.held).toBe(400);
  });

  it('is won by the same draw whatever elections are listed', () => {
    const range = { from: 0, count: 400 };
    const ringOnly = topId('work=sampled', 'network.election.protocols=[cr-join]');

    const tallies = [model, ringOnly].map((each) => executeRuns(each, seed, range, STILL));

    expect(tallies[1]?.wins).toEqual(tallies[0]?.wins);
    expect(tallies[1]?.elections.held).toBe(200);
  });

  it('names in its elections who holds the top rank', () => {
    const outcomes = Array.from({ length: 50 }, (_, run) =>
      executeRun(model, { seed, run }, STILL),
    );

    for (const outcome of outcomes) {
      const won = isWon(outcome);
      const elections = electionsOf(outcome);
      const winner = won ? 'adversary' : 'honest';
      expect(elections.map((election) => election.winner)).toEqual([winner, winner]);
      expect(elections.every((election) => election.highestLeads)).toBe(true);
    }
    expect(new Set(outcomes.map(isWon)).size).toBe(2);
  });

  it.each([
    [8, 200],
    [441, 200],
    [442, 199],
    [4121, 2],
    [4122, 0],
    [1_000_000, 0],
  ])(
    'among %d honest nodes holds its elections %d times, as Bully sends n² + n messages, at most 17 million',
    (n, runs) => {
      expect(electionRuns(sampled(n, 4, 64), null)).toBe(runs);
    },
  );

  it('holds more elections where only a ring is listed', () => {
    const ring = topId(
      'work=sampled',
      'network.honest=9999',
      'network.election.protocols=[cr-join]',
    );

    expect(electionRuns(ring, null)).toBe(200);
  });

  it('without an adversary is never won by one', () => {
    const unattacked = topId('work=sampled', 'adversaries.main=null');

    const { wins } = executeRuns(unattacked, seed, { from: 0, count: 1000 }, STILL);

    expect(wins).toEqual([0]);
  });

  it('without attempts is never won', () => {
    const { wins } = executeRuns(sampled(1, 0, 0), seed, { from: 0, count: 1000 }, STILL);

    expect(wins).toEqual([0]);
  });

  it('holds every election where the highest has to lead', () => {
    const honestOnly = noAdversary('work=sampled');

    const tally = executeRuns(honestOnly, seed, { from: 0, count: 300 }, STILL);

    expect(tally).toMatchObject({ runs: 300, wins: [300, 300], elections: { held: 600 } });
  });
});

describe('a sampled budget', () => {
  const seed = parseSeed('12');
  const range = { from: 0, count: 2000 };
  // All identities count, so that no puzzle can be left out.
  const whole = ['work=sampled', 'adversaries.main.goal=all'];
  const winsOf = (...settings: readonly string[]) =>
    onlyOf(executeRuns(topId(...whole, ...settings), seed, range, STILL).wins);
  const winsOfAttempts = (attempts: number) =>
    winsOf(`adversaries.main.budget.attempts=${attempts}`);
  const timed = ['adversaries.main.budget.attempts=null', 'adversaries.main.rate=30'];

  it('in hashes is worth half as many attempts, as one costs two', () => {
    const settings = ['attempts=null', 'hashes=129'];

    const wins = winsOf(...settings.map((setting) => `adversaries.main.budget.${setting}`));

    expect(wins).toBe(winsOfAttempts(64));
  });

  it('in seconds is worth whole attempts at the stated rate', () => {
    expect(winsOf(...timed, 'adversaries.main.budget.cpuSeconds=2.16')).toBe(winsOfAttempts(64));
    expect(winsOf(...timed, 'adversaries.main.budget.wallSeconds=2.16')).toBe(winsOfAttempts(64));
  });

  it('ends with the bound that comes first', () => {
    const both = ['cpuSeconds=1', 'wallSeconds=100', 'attempts=9000'].map(
      (setting) => `adversaries.main.budget.${setting}`,
    );

    expect(winsOf('adversaries.main.rate=30', ...both)).toBe(winsOfAttempts(30));
  });

  it('takes a measured rate from the services and refuses to do without', () => {
    const model = topId(
      ...whole,
      ...timed,
      'adversaries.main.rate=measured',
      'adversaries.main.budget.cpuSeconds=2',
    );

    const { wins } = executeRuns(model, seed, range, {
      ...STILL,
      rateMeasured: ratesOf(model, { perSecond: 32 }),
    });

    expect(onlyOf(wins)).toBe(winsOfAttempts(64));
    expect(() => executeRuns(model, seed, range, STILL)).toThrow(TypeError);
  });

  it('of several adversaries adds up', () => {
    const two = topId(
      'work=sampled',
      'adversaries.main.budget.attempts=40',
      'adversaries.other={budget: {attempts: 24}, behaviours: []}',
    );

    const {
      wins: [wins = 0],
      runs,
    } = executeRuns(two, seed, { from: 0, count: 20_000 }, STILL);

    const theory = topProbability({ honest: 8, attempts: 64, difficultyBits: 4 });
    const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
    expect(low).toBeLessThan(theory);
    expect(high).toBeGreaterThan(theory);
  });

  it('ignores a difficulty whose check is off', () => {
    const off = winsOf('network.identity.checks.static=false', 'network.identity.c1=200');

    expect(off).toBe(winsOf('network.identity.c1=0'));
  });
});

function sampled(honest: number, c1: number, attempts: number) {
  return topId(
    'work=sampled',
    `network.honest=${honest}`,
    `network.identity.c1=${c1}`,
    `adversaries.main.budget.attempts=${attempts}`,
  );
}
