/**
 * @module
 * Runs without elections, captures and epochs, against their closed forms, which the runs do not know;
 * and what a document of these kinds may not say. `MINED_RUNS` makes it more of those that mine.
 */

import { describe, expect, it } from 'vitest';
import { createRunner, executeRuns } from '../../../src/experiment/runs/run.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { report } from '../../../src/experiment/verdict/report.ts';
import { parseSeed } from '../../../src/random.ts';
import { onlyOf, STILL, topId } from '../models.ts';

const SEED = parseSeed('7');
const MINED_RUNS = Number(process.env.MINED_RUNS ?? 24);

/** Frequency, its interval at 99.99 %, and the closed form. */
function runsOf(count: number, ...settings: readonly string[]) {
  const model = topId(...settings);
  const tally = executeRuns(model, SEED, { from: 0, count }, STILL);
  const request = { id: 'top-id', seed: SEED, runs: count, settings, rateMeasured: null };
  const { results, verdict } = report(model, tally, request);
  const { theory, measured } = onlyOf(results);
  const interval = exactInterval({ wins: measured.wins, runs: count, confidence: 0.9999 });
  return { tally, theory, verdict, interval };
}

const SYBIL = [
  'work=sampled',
  'adversaries.main.goal=count:1000',
  'adversaries.main.budget.attempts=160',
];

describe.each([
  ['a majority', [...SYBIL, 'expect.property=majority-captured']],
  [
    'a majority with ordinary identities',
    [...SYBIL, 'expect.property=majority-captured', 'adversaries.main.identities=2'],
  ],
  ['the top three', [...SYBIL, 'expect.property=top-captured', 'expect.count=3']],
  ['the successor', [...SYBIL, 'expect.property=successors-captured']],
  ['two successors', [...SYBIL, 'expect.property=successors-captured', 'expect.count=2']],
  [
    'what a capped Sybil holds',
    [...SYBIL, 'adversaries.main.goal=count:3', 'expect.property=top-captured'],
  ],
  ['the top after a stockpile', EPOCHS('salt: none')],
  ['the top under a salted puzzle', EPOCHS('salt: puzzle')],
  ['the top under a salted rank', EPOCHS('salt: rank')],
  ['the top where both are salted', EPOCHS('salt: both')],
  [
    'the top of the last of many epochs',
    EPOCHS('count: 5, salt: none', 'adversaries.main.budget.attempts=20'),
  ],
  [
    'the top of any epoch, ranks drawn anew',
    EPOCHS('count: 10, salt: rank', 'expect.property=adversary-leads-once', IDLE()),
  ],
  [
    'the top of any epoch, ranks for ever',
    EPOCHS('count: 10, salt: none', 'expect.property=adversary-leads-once', IDLE()),
  ],
  [
    'the top of any epoch, everything anew',
    EPOCHS('count: 4, salt: both, lifetime: 1', 'expect.property=adversary-leads-once'),
  ],
  ['the top for the last revealer', EPOCHS('salt: rank', 'adversaries.main.reveals=2', IDLE())],
])('%s', (_name, settings) => {
  it('comes as often as the closed form says', () => {
    const { theory, interval, tally } = runsOf(2000, ...settings);

    expect(tally.wins[0]).toBeGreaterThan(0);
    expect(theory.probability).toBeGreaterThanOrEqual(interval[0]);
    expect(theory.probability).toBeLessThanOrEqual(interval[1]);
  });
});

function EPOCHS(epochs: string, ...more: readonly string[]): readonly string[] {
  const stock = 'adversaries.main.stockpile=200';
  const count = epochs.startsWith('count') ? epochs : `count: 1, ${epochs}`;
  return ['work=sampled', `epochs={${count}}`, stock, ...more];
}

function IDLE(): string {
  return 'adversaries.main.budget.attempts=0';
}

describe('a run without an election', () => {
  it('really mines where the document says so, and captures as often as drawn', () => {
    const settings = [
      'adversaries.main.goal=count:100',
      'adversaries.main.budget.attempts=160',
      'expect.property=majority-captured',
    ];

    const { theory, interval, tally } = runsOf(MINED_RUNS, ...settings);

    expect(tally.elections.held).toBe(0);
    expect(tally.honestLedger?.attempts).toBeGreaterThan(0);
    expect(theory.probability).toBeGreaterThanOrEqual(interval[0]);
    expect(theory.probability).toBeLessThanOrEqual(interval[1]);
  });

  it('is the same alone as among others', () => {
    const model = topId(...SYBIL, 'expect.property=top-captured', 'expect.count=2');
    const runner = createRunner(model, STILL);
    const outcomes = [0, 1, 2, 3].map((run) => runner({ seed: SEED, run }));

    const alone = createRunner(model, STILL)({ seed: SEED, run: 2 });

    expect(alone).toEqual(outcomes[2]);
    expect(alone.observations).toMatchObject({ attempts: 160, nodes: expect.any(Number) });
  });

  it('says how many epochs the adversary led', () => {
    const model = topId(...EPOCHS('count: 6, salt: rank', IDLE()));

    const { observations } = createRunner(model, STILL)({ seed: SEED, run: 0 });

    expect(observations.epochsLed).toBeGreaterThanOrEqual(0);
    expect(observations.epochsLed).toBeLessThanOrEqual(6);
    expect(observations.attempts).toBe(200);
  });

  it('prices honest nodes out where an adversary joins in masses', () => {
    const inflating = [
      'work=sampled',
      'epochs={count: 8, salt: both, lifetime: 1, honestAttempts: 64, retargeting: {joins: 8}}',
      'adversaries.main.budget.attempts=4096',
      'expect.property=honest-priced-out',
    ];

    expect(runsOf(100, ...inflating).tally.wins[0]).toBeGreaterThan(90);
    expect(runsOf(100, ...inflating, IDLE()).tally.wins[0]).toBe(0);
  });
});

describe('a sentence', () => {
  it.each([
    [[...SYBIL, 'expect.property=majority-captured'], 'held a majority of the identities in'],
    [[...SYBIL, 'expect.property=top-captured', 'expect.count=2'], 'held the 2 highest ranks in'],
    [[...SYBIL, 'expect.property=successors-captured'], 'held the successor of the victim in'],
    [EPOCHS('count: 2', IDLE()), 'the adversary with 200 keys in stock led in'],
    [
      EPOCHS('count: 2', 'expect.property=adversary-leads-once'),
      'the adversary with 200 keys in stock and 64 attempts led at least one epoch in',
    ],
  ])('of %j', (settings, words) => {
    expect(runsOf(20, ...settings).verdict.sentence).toContain(words);
  });
});

describe('a document is refused', () => {
  it.each([
    [['expect.property=adversary-leads-once'], 'is about epochs: add epochs'],
    [['adversaries.main.reveals=1'], 'is about the beacons of epochs'],
    [['expect.count=2'], 'expect.count does not apply to adversary-leads'],
    [
      ['work=sampled', `adversaries.main.goal=near:${'ab'.repeat(32)}`],
      'must be top, any, all or count:<k> with work: sampled',
    ],
    [['work=sampled', 'epochs={count: 2}', 'expect.property=split'], 'must be one of'],
    [['work=sampled', 'epochs={count: 2}', 'network.identity.c2=3'], 'must be 0'],
    [['work=sampled', 'epochs={count: 2}', 'faults.loss=5%'], 'leave one of them out'],
    [
      ['work=sampled', 'epochs={count: 2}', 'adversaries.other={budget: {attempts: 5}}'],
      'must be the only one',
    ],
    [
      ['work=sampled', 'epochs={count: 2}', 'adversaries.main.identities=1'],
      'identities must be 0',
    ],
    [
      [
        ...['work=sampled', 'epochs={count: 2}', 'adversaries.main.rate=4'],
        'adversaries.main.budget={hashes: 8, wallSeconds: 2}',
      ],
      'must be in hashes or in seconds, not in both',
    ],
    [
      ['work=sampled', 'epochs={count: 10000}', 'network.honest=1000'],
      'epochs times honest nodes, newcomers included, are at most',
    ],
    [
      [...SYBIL, 'expect.property=majority-captured', 'network.honest=1000000'],
      'must be at most 100000',
    ],
    [['epochs={count: 0}'], 'must be a whole number from 1 to 10000'],
  ])('where it says %j', (settings, words) => {
    expect(() => topId(...settings)).toThrow(words);
  });
});
