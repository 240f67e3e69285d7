/**
 * @module
 * What a report says of a tally: the verdict in one sentence, the closed form beside the measured
 * frequency, and the command that replays it. Tallies are made by hand, no run is executed.
 */

import { execFileSync } from 'node:child_process';

import { describe, expect, it } from 'vitest';
import type { ForgeTally, Tally } from '../../../src/experiment/runs/tally.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import type { ReportRequest } from '../../../src/experiment/verdict/report.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { parseSeed } from '../../../src/random.ts';
import { firstOf, noAdversary, ratesOf, topId } from '../models.ts';
import { filteredOracle } from '../oracles/filtered.ts';

const REQUEST: ReportRequest = {
  id: 'top-id',
  seed: parseSeed('1'),
  runs: 100,
  settings: [],
  rateMeasured: null,
};
const NOTHING = {
  attempts: 0,
  hashes: 0,
  groupOperations: 0,
  cpuSeconds: 0,
  wallSeconds: 0,
  overshoot: 0,
};

const tallyOf = (wins: number, runs = 100): Tally => ({
  ...EMPTY_TALLY,
  wins: [wins, wins],
  runs,
});

describe('the verdict', () => {
  it('is true where the whole interval is within what is allowed', () => {
    const { verdict } = report(topId(), tallyOf(31), REQUEST);

    expect(verdict).toEqual({
      value: 'true',
      sentence:
        'True: the expectation holds with each of the 2 protocols, as the adversary with 64 attempts led in 31 of 100 runs (31.0 %, 95 % interval 22.1–41.0 %) and at most 50 % is allowed.',
      reason: 'the whole interval 22.1–41.0 % is below the bound 50 %',
      confidence: 0.95,
      protocols: ['bully-oneshot', 'cr-join'],
    });
  });

  it('is false where the whole interval is above what is allowed', () => {
    const { verdict } = report(topId(), tallyOf(71), REQUEST);

    expect(verdict).toEqual({
      value: 'false',
      sentence:
        'False: the expectation does not hold with any of the 2 protocols, as the adversary with 64 attempts led in 71 of 100 runs (71.0 %, 97.5 % interval 59.7–80.7 %) and at most 50 % is allowed. The level is that of one of 2 protocols, which together have 95 %.',
      reason: 'the whole interval 59.7–80.7 % is above the bound 50 %',
      confidence: 0.975,
      protocols: ['bully-oneshot', 'cr-join'],
    });
  });

  it('is unknown where the interval contains the bound', () => {
    const { verdict } = report(topId(), tallyOf(45), REQUEST);

    expect(verdict).toEqual({
      value: 'unknown',
      sentence:
        'Unknown: the runs do not decide with any of the 2 protocols, as the adversary with 64 attempts led in 45 of 100 runs (45.0 %, 95 % interval 35.0–55.3 %) and the interval contains the bound of 50 %.',
      reason:
        'the bound 50 % is within the interval 35.0–55.3 %; more runs make the interval narrower',
      confidence: 0.95,
      protocols: ['bully-oneshot', 'cr-join'],
    });
  });

  it.each([
    // The interval for 0 of 100 at 95 % ends at 1 − 0.025^0.01 = 3.621…%.
    [0, 'expect.probability=0.0363', 'true'],
    [0, 'expect.probability=0.0362', 'unknown'],
    [0, 'expect.probability=0', 'unknown'],
    [1, 'expect.probability=0', 'false'],
    [100, 'expect.probability=1', 'true'],
    // And for 100 of 100 it begins at 96.378…%.
    [100, 'expect.probability=0.9637', 'false'],
    [100, 'expect.probability=0.9638', 'unknown'],
  ])('of %d wins under at most, %s is %s', (wins, setting, value) => {
    const model = topId('expect.protocols=together', setting);

    expect(report(model, tallyOf(wins), REQUEST).verdict.value).toBe(value);
  });

  it.each([
    [100, 'expect.probability=0.9637', 'true'],
    [100, 'expect.probability=0.9638', 'unknown'],
    [100, 'expect.probability=1', 'unknown'],
    [99, 'expect.probability=1', 'false'],
    [0, 'expect.probability=0', 'true'],
    [0, 'expect.probability=0.0363', 'false'],
    [0, 'expect.probability=0.0362', 'unknown'],
  ])('of %d wins under at least, %s is %s', (wins, setting, value) => {
    const model = topId('expect.protocols=together', 'expect.comparison=at-least', setting);

    expect(report(model, tallyOf(wins), REQUEST).verdict.value).toBe(value);
  });

  it('widens with the confidence', () => {
    const values = [0.9, 0.99, 0.9999].map(
      (confidence) =>
        report(topId(`expect.confidence=${confidence}`), tallyOf(40), REQUEST).verdict.value,
    );

    expect(values).toEqual(['true', 'unknown', 'unknown']);
  });

  it('shows enough digits to distinguish the interval from the bound', () => {
    const { verdict } = report(topId('work=sampled'), tallyOf(499_000, 1_000_000), REQUEST);

    expect(verdict.value).toBe('true');
    expect(verdict.sentence).toContain('(49.900 %, 95 % interval 49.802–49.998 %)');
  });

  it.each([
    [
      ['adversaries.main.budget={hashes: 128, cpuSeconds: 2}'],
      'the adversary with 128 hashes or 2 CPU seconds led',
    ],
    [
      ['work=sampled', 'adversaries.main={budget: {cpuSeconds: 2}, rate: 3000, behaviours: []}'],
      'the adversary with 2 CPU seconds at 3000 candidates/s led',
    ],
    [
      [
        'work=sampled',
        'adversaries.main={budget: {wallSeconds: 2}, rate: measured, behaviours: []}',
      ],
      'the adversary with 2 seconds at a measured 2877 candidates/s led',
    ],
    [
      [
        'work=sampled',
        'adversaries.main={budget: {wallSeconds: 2}, rate: measured on gpu, behaviours: []}',
      ],
      'the adversary with 2 seconds at a measured 2877 candidates/s (CPU, a software device: no graphics card)',
    ],
    [['adversaries.main.budget={attempts: 1}'], 'the adversary with 1 attempt led'],
    [
      ['adversaries.main={budget: {attempts: 0}, identities: 1, behaviours: [swallow]}'],
      'the adversary with 1 ordinary identity and the behaviour swallow led',
    ],
    [['adversaries.b={budget: {attempts: 1}, behaviours: []}'], 'the 2 adversaries together led'],
    [
      ['adversaries.b={budget: {attempts: 1}, behaviours: []}', 'expect.by=any'],
      'one of the 2 adversaries by itself led',
    ],
    [
      ['adversaries.b={budget: {attempts: 1}, behaviours: []}', 'expect.by=b'],
      'the adversary b led',
    ],
    [['adversaries.main=null'], 'an adversary, of which the model has none, led in 31 of'],
    [['expect.property=highest-leads'], 'the highest ID led'],
  ])('names the subject under %o', (settings, subject) => {
    const model = topId('network.election.latency=uniform:1:5', ...settings);
    const isOnDevice = model.adversaries.main?.rate === 'measured on gpu';
    const device = isOnDevice ? { name: 'CPU', isSoftware: true } : undefined;
    const request = { ...REQUEST, rateMeasured: ratesOf(model, { perSecond: 2877.4, device }) };

    const { verdict } = report(model, tallyOf(31), request);

    expect(verdict.sentence).toContain(`, as ${subject}`);
  });

  it.each([
    [
      72,
      'True: the expectation holds with each of the 2 protocols, as the highest ID led in 72 of 72 runs',
      'and at least 95 % is required.',
    ],
    [
      71,
      'Unknown: the runs do not decide with any of the 2 protocols, as the highest ID led in 71 of 71 runs',
      'contains the bound of 95 %.',
    ],
  ])('of an honest network after %d runs', (runs, start, end) => {
    const { sentence } = report(noAdversary(), tallyOf(runs, runs), REQUEST).verdict;

    expect(sentence.startsWith(start)).toBe(true);
    expect(sentence.endsWith(end)).toBe(true);
  });

  it('is the worst of the protocols, and names the one that decides', () => {
    const verdictOf = (wins: readonly number[], ...settings: readonly string[]) =>
      report(topId(...settings), { ...EMPTY_TALLY, runs: 100, wins }, REQUEST).verdict;
    const atLeast = 'expect.comparison=at-least';

    expect(verdictOf([1, 90])).toMatchObject({ value: 'false', protocols: ['cr-join'] });
    expect(verdictOf([90, 1]).sentence).toMatch(/^False: .* with bully-oneshot, as .* 90 of 100/);
    expect(verdictOf([50, 1])).toMatchObject({ value: 'unknown', protocols: ['bully-oneshot'] });
    expect(verdictOf([50, 90])).toMatchObject({ value: 'false', protocols: ['cr-join'] });
    expect(verdictOf([1, 2]).sentence).toMatch(
      /^True: the expectation holds with each of the 2 protocols, least clearly with cr-join, as /,
    );
    expect(verdictOf([1, 90], atLeast)).toMatchObject({
      value: 'false',
      protocols: ['bully-oneshot'],
    });
    expect(verdictOf([95, 90], atLeast)).toMatchObject({ value: 'true', protocols: ['cr-join'] });
  });

  it('is one on all protocols together if the document requests it', () => {
    const { verdict, results } = report(topId('expect.protocols=together'), tallyOf(90), REQUEST);

    expect(results).toHaveLength(1);
    expect(verdict.sentence).toContain('False: the expectation does not hold, as ');
    expect(verdict.protocols).toEqual(['bully-oneshot', 'cr-join']);
  });

  it('is refused to an empty tally', () => {
    expect(() => report(topId(), EMPTY_TALLY, REQUEST)).toThrow(RangeError);
  });
});

describe('the closed form', () => {
  it.each([
    [[], 0.31596123, 'E[K/(n+K)], K ~ Bin(64, 2^-4), n = 8'],
    [['network.identity.c1=0'], 64 / 72, 'E[K/(n+K)], K ~ Bin(64, 1), n = 8'],
    [['adversaries.main=null'], 0, 'no adversary'],
    [
      ['adversaries.b={budget: {attempts: 36}, behaviours: []}'],
      0.42203,
      'E[K/(n+K)], K ~ Bin(100, 2^-4), n = 8',
    ],
    // The hash of each ID, and that of the puzzle of the IDs above all honest ones.
    [
      ['adversaries.main.budget={hashes: 129}'],
      filteredOracle({ honest: 8, count: 1, c1: 4, budgets: [129], perKey: 1, sides: [[0]] }),
      'sum over k of p(1-p)^(k-1)*P(Bin(m, q) >= k), m = 129-k, q ~ Beta(1, 8), p = 2^-4',
    ],
    // If many puzzles are evaluated, their mean number is enough to know.
    [
      ['adversaries.main.budget={hashes: 2100}', 'network.identity.c1=9'],
      filteredOracle({ honest: 8, count: 1, c1: 9, budgets: [2100], perKey: 1, sides: [[0]] }),
      'E[1-(1-p*q)^N], q the share of IDs above all n = 8, p = 2^-9, N from 1050 (q = 1) to 2100 (q = 0): a puzzle is evaluated only above them',
    ],
    [['expect.property=highest-leads'], 1, '1, as no fault keeps the highest ID from leading'],
  ])('under %o is %d', (settings, probability, formula) => {
    const model = topId('network.election.latency=uniform:1:5', ...settings);
    const { results } = report(model, tallyOf(31), REQUEST);
    const { theory } = firstOf(results);

    expect(theory.formula).toBe(formula);
    expect(theory.probability).toBeCloseTo(probability, 5);
  });

  it('of mined seconds takes the attempts that they bought on average', () => {
    const model = topId('adversaries.main.budget={cpuSeconds: 2}');
    const main: ForgeTally = {
      joined: 31,
      ledger: { ...NOTHING, attempts: 5000 },
      attemptsMax: 70,
      exhausted: { runs: 69, attempts: 69 * 64 },
    };

    const { results } = report(model, { ...tallyOf(31), forges: { main } }, REQUEST);
    const { theory } = firstOf(results);

    expect(theory.probability).toBeCloseTo(0.31596123, 7);
    expect(theory.formula).toBe(
      'E[K/(n+K)], K ~ Bin(64, 2^-4), n = 8, N the mean of the runs that used their seconds up',
    );
  });

  it.each([
    [['adversaries.main.budget={cpuSeconds: 2}'], 'none: no run used its seconds up'],
    [
      ['adversaries.main.budget={hashes: 200}', 'network.identity.c2=3'],
      'none: hashes and seconds also pay for dynamic solutions',
    ],
  ])('is missing under %o, and says why', (settings, reason) => {
    const { results } = report(topId(...settings), tallyOf(100), REQUEST);
    const { theory } = firstOf(results);

    expect(theory.probability).toBeNull();
    expect(theory.formula).toContain(reason);
  });
});

describe('the replay', () => {
  it('repeats what was asked', () => {
    const settings = ['work=sampled', 'network.honest=9'];

    const { replay } = report(topId(...settings), tallyOf(31), { ...REQUEST, settings });

    expect(replay).toBe(
      'usurp run top-id --runs 100 --seed 1 --set work=sampled --set network.honest=9',
    );
  });

  it('reaches a shell as it was given', () => {
    const settings = [
      'adversaries.main={budget: {attempts: 5}, behaviours: []}',
      'network.identity.context=it\'s $HOME `id` \\ "x" !',
      'network.election.protocols=[cr-join]',
    ];
    const request = { ...REQUEST, id: './my models/a*.yaml', settings };

    const { replay } = report(topId(...settings), tallyOf(31), request);

    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${replay}`], { encoding: 'utf8' });
    expect(printed.trimEnd().split('\n')).toEqual([
      ...['usurp', 'run', './my models/a*.yaml', '--runs', '100', '--seed', '1'],
      ...settings.flatMap((setting) => ['--set', setting]),
    ]);
  });

  it('of mined seconds asks for the most attempts that were spent', () => {
    const settings = ['adversaries.main.budget={cpuSeconds: 2, wallSeconds: 9}'];
    const main: ForgeTally = {
      joined: 0,
      ledger: NOTHING,
      attemptsMax: 70,
      exhausted: { runs: 100, attempts: 6400 },
    };
    const tally = { ...tallyOf(31), forges: { main } };

    const { replay } = report(topId(...settings), tally, { ...REQUEST, settings });

    const budget = 'adversaries.main.budget';
    const pinned = replay.split(' --set ').slice(2);
    expect(pinned).toEqual([
      `${budget}.attempts=70`,
      `${budget}.cpuSeconds=null`,
      `${budget}.wallSeconds=null`,
    ]);
    const replayed = topId(...settings, ...pinned);
    expect(replayed.adversaries.main?.budget).toEqual({ attempts: 70 });
  });

  it('of a measured rate states the number', () => {
    const settings = [
      'work=sampled',
      'adversaries.main={budget: {cpuSeconds: 0.02}, rate: measured}',
    ];
    const model = topId(...settings);
    const rateMeasured = ratesOf(model, { perSecond: 2877.4 });

    const { replay } = report(model, tallyOf(31), { ...REQUEST, settings, rateMeasured });

    expect(replay.endsWith(' --set adversaries.main.rate=2877.4')).toBe(true);
  });
});

describe('the measurement', () => {
  it('is the frequency and its interval', () => {
    const { results, threatModel } = report(topId(), tallyOf(31), REQUEST);
    const { measured } = firstOf(results);

    expect(threatModel).toBe('top-id');
    expect(measured).toMatchObject({ runs: 100, wins: 31, frequency: 0.31 });
    expect(measured.interval?.[0]).toBeCloseTo(0.2212887921, 9);
    expect(measured.interval?.[1]).toBeCloseTo(0.4103145542, 9);
  });

  it('shows the ledgers of mined work, and none of sampled work', () => {
    const main: ForgeTally = {
      joined: 1,
      ledger: { ...NOTHING, attempts: 9 },
      attemptsMax: 9,
      exhausted: { runs: 0, attempts: 0 },
    };
    const mined = { ...tallyOf(31), honestLedger: NOTHING, forges: { main } };

    expect(report(topId(), mined, REQUEST).ledger).toEqual({
      honest: NOTHING,
      adversaries: { main: { ...NOTHING, attempts: 9 } },
    });
    expect(report(topId('work=sampled'), tallyOf(31), REQUEST).ledger).toBeNull();
  });
});
