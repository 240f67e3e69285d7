/**
 * @module
 * Mined runs: real identities, real elections, the law of the closed form and a ledger that repeats.
 * `MINED_RUNS` makes the law hold in more of them.
 */

import { describe, expect, it } from 'vitest';
import { minedPopulation } from '../../../src/experiment/runs/mined-population.ts';
import { executeRuns } from '../../../src/experiment/runs/run.ts';
import type { Services } from '../../../src/experiment/runs/runner.ts';
import { EMPTY_TALLY, mergeTallies } from '../../../src/experiment/runs/tally.ts';
import { topProbability } from '../../../src/experiment/theory/closed-forms.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { deriveSeed, parseSeed } from '../../../src/random.ts';
import { electionsOf, executeRun, isWon, noAdversary, STILL, topId } from '../models.ts';

const RUNS = Number(process.env.MINED_RUNS ?? 60);
const seed = parseSeed('21');
const small = (...settings: readonly string[]) =>
  topId(
    'network.honest=3',
    'network.identity.c1=2',
    'adversaries.main.budget.attempts=12',
    ...settings,
  );

describe('mined runs', () => {
  it(`agree with E[K/(n+K)] in ${RUNS} runs at n = 3, c1 = 2, 12 attempts`, () => {
    const tally = executeRuns(small(), seed, { from: 0, count: RUNS }, STILL);

    const [low, high] = exactInterval({ wins: tally.wins[0] ?? 0, runs: RUNS, confidence: 0.9999 });
    const theory = topProbability({ honest: 3, attempts: 12, difficultyBits: 2 });
    expect(low).toBeLessThan(theory);
    expect(high).toBeGreaterThan(theory);
    expect(tally.elections.held).toBe(2 * RUNS);
    expect(tally.wins).toEqual([tally.forges.main?.joined, tally.forges.main?.joined]);
  });

  it('repeat in any split, ledger and all', () => {
    const ranges = [
      { from: 3, count: 3 },
      { from: 0, count: 1 },
      { from: 1, count: 2 },
    ];

    const parts = ranges.map((range) => executeRuns(small(), seed, range, STILL));

    const whole = executeRuns(small(), seed, { from: 0, count: 6 }, STILL);
    expect(parts.reduce(mergeTallies)).toEqual(whole);
    expect(whole.honestLedger?.attempts).toBeGreaterThanOrEqual(18);
  });

  it('are won exactly if the adversary joins above the honest nodes and leads', () => {
    const outcomes = Array.from({ length: 20 }, (_, run) =>
      executeRun(small(), { seed, run }, STILL),
    );

    for (const outcome of outcomes) {
      const { forges } = outcome;
      const won = isWon(outcome);
      expect(forges.map((forge) => forge.joined)).toEqual([won]);
      const winner = won ? 'adversary' : 'honest';
      expect(electionsOf(outcome).map((election) => election.winner)).toEqual([winner, winner]);
      const attempts = forges[0]?.ledger.attempts ?? 0;
      expect(won ? attempts <= 12 : attempts === 12).toBe(true);
    }
    expect(new Set(outcomes.map(isWon)).size).toBe(2);
  });

  it('count hashes and group operations by the cost of an attempt', () => {
    const model = small('adversaries.main.strategy=fresh');

    const { honestLedger, forges } = executeRun(model, { seed, run: 0 }, STILL);

    const forged = forges[0]?.ledger;
    expect(honestLedger?.hashes).toBe(2 * (honestLedger?.attempts ?? 0));
    // The puzzle of an ID that is not above the honest ones is not evaluated.
    expect(forged?.hashes).toBeGreaterThan(forged?.attempts ?? 0);
    expect(forged?.hashes).toBeLessThanOrEqual(2 * (forged?.attempts ?? 0));
    const all = small('adversaries.main.strategy=fresh', 'adversaries.main.goal=all');
    const whole = executeRun(all, { seed, run: 0 }, STILL).forges[0]?.ledger;
    expect(whole?.hashes).toBe(2 * (whole?.attempts ?? 0));
    expect(forged?.groupOperations).toBe(65 * (forged?.attempts ?? 0));
  });

  it('evaluate the puzzle as often as the hashes pay for, and not as often on average', () => {
    // One evaluation for 100 hashes, of the first of 99 keys that is above 8 honest IDs.
    const model = topId(
      'network.identity.c1=1',
      'network.identity.puzzle={function: iterated, iterations: 100}',
      'adversaries.main.budget={hashes: 199}',
    );
    const runs = 3 * RUNS;
    const populate = minedPopulation(model, STILL);
    const played = Array.from({ length: runs }, (_, run) => populate(deriveSeed(seed, 'run', run)));

    const wins = played.filter(({ owners }) => owners.at(-1) === 'main').length;
    const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
    const theory = 0.5 * (99 / 107);
    expect(low).toBeLessThan(theory);
    expect(high).toBeGreaterThan(theory);
    const spent = played.flatMap(({ forges }) => forges.map(({ ledger }) => ledger.hashes));
    expect(Math.max(...spent)).toBeLessThanOrEqual(199);
    expect(theoryOf(model, EMPTY_TALLY, null).probability).toBeCloseTo(theory, 9);
  });

  it('give an honest network the same identities under every attack', () => {
    const attacked = small('adversaries.other={budget: {attempts: 3}, behaviours: []}');

    const ledgers = [small(), attacked].map(
      (model) => executeRun(model, { seed, run: 1 }, STILL).honestLedger,
    );

    expect(ledgers[1]).toEqual(ledgers[0]);
  });

  it('of an unbounded adversary are always won', () => {
    const model = small('adversaries.main.budget.attempts=1000000');

    expect(executeRuns(model, seed, { from: 0, count: 5 }, STILL).wins).toEqual([5, 5]);
  });

  it('solve dynamic puzzles and work for either scheme', () => {
    const model = small('network.identity.c2=3', 'network.identity.scheme=secp256k1');

    const outcome = executeRun(model, { seed, run: 0 }, STILL);

    expect(electionsOf(outcome)).toHaveLength(2);
    const { attempts = 0, hashes = 0 } = outcome.honestLedger ?? {};
    expect(hashes).toBeGreaterThan(2 * attempts);
  });

  it.each([
    ['attempts: 100', 'concat'],
    ['hashes: 600', 'concat'],
    ['hashes: 300', 'xor'],
  ])('with a dynamic puzzle register all identities that {%s} pay for (%s)', (budget, dynamic) => {
    const won = ['all', 'count:4'].map((goal) => {
      const model = small(
        // With a salt, no ID is a solution by itself, so that the order of the work does not depend on the goal.
        ...['network.identity.c2=6', `network.identity.dynamic=${dynamic}`],
        ...[
          'network.identity.salted=true',
          `adversaries.main.budget={${budget}}`,
          `adversaries.main.goal="${goal}"`,
        ],
        ...['expect={property: majority-captured, comparison: at-least, probability: 0.5}'],
      );
      return executeRuns(model, seed, { from: 0, count: 20 }, STILL).wins[0];
    });

    // Four identities are a majority against three honest nodes, and a search for more finds them first.
    expect(won[0]).toBeGreaterThan(10);
    expect(won[0]).toBe(won[1]);
  });

  it('of a count that the budget does not pay for register those found, with a dynamic puzzle too', () => {
    const model = small(
      ...['network.identity.c2=3', 'adversaries.main.goal="count:1000"'],
      ...['expect={property: majority-captured, comparison: at-least, probability: 0.5}'],
    );

    const { observations } = executeRun(model, { seed, run: 0 }, STILL);

    expect(observations.identities).toBeGreaterThan(0);
  });

  it('without an adversary end with the highest leading, everywhere', () => {
    const model = noAdversary('network.honest=5', 'network.identity.c1=1');

    const tally = executeRuns(model, seed, { from: 0, count: 10 }, STILL);

    expect(tally).toMatchObject({ runs: 10, wins: [10, 10], forges: {}, elections: { held: 20 } });
  });

  it('under CPU seconds stop when the clock says so, and repeat under the attempts spent', () => {
    const timed = small(
      'network.identity.c1=6',
      'adversaries.main.budget={cpuSeconds: 5}',
      'network.honest=2',
    );
    const outcome = executeRun(timed, { seed, run: 2 }, { ...STILL, clocks: tickingClocks() });
    const ledger = outcome.forges[0]?.ledger;

    const counted = small(
      'network.identity.c1=6',
      `adversaries.main.budget.attempts=${ledger?.attempts}`,
      'network.honest=2',
    );
    const repeated = executeRun(counted, { seed, run: 2 }, STILL);

    expect(ledger?.cpuSeconds).toBeGreaterThan(0);
    expect(isWon(repeated)).toBe(isWon(outcome));
    expect(repeated.forges[0]?.ledger.attempts).toBe(ledger?.attempts);
  });

  it('use streams of their own for each run', () => {
    const attempts = [0, 1, 2, 3].map(
      (run) => executeRun(small(), { seed, run }, STILL).honestLedger?.attempts,
    );

    expect(new Set(attempts).size).toBeGreaterThan(1);
    expect(deriveSeed(seed, 'run', 0)).not.toBe(deriveSeed(seed, 'run', 1));
  });
});

/** Clocks on which every reading takes a second. */
function tickingClocks(): Services['clocks'] {
  let now = 0;
  const tick = () => {
    now += 1;
    return now;
  };
  return { cpuSeconds: tick, wallSeconds: tick };
}
