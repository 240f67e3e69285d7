/**
 * @module
 * The best response: what a document leaves open is chosen for each protocol, by an argument or by a search,
 * and is never worse than the naive response.
 */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { armsOf, runKindOf } from '../../../src/experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { newcomersRemark, unsearchedRemark } from '../../../src/experiment/response/report.ts';
import { spaceOf } from '../../../src/experiment/response/space.ts';
import { createRunner, executeRuns, settled } from '../../../src/experiment/runs/run.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { exactInterval } from '../../../src/experiment/theory/statistics.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { choicesUnder } from '../../documents/choices.ts';
import { IS_WHOLE } from '../../sample.ts';
import { STILL, topId } from '../models.ts';
import { documentOf } from '../oracles/instances.ts';

const SEED = parseSeed('2026');
const MINED_RUNS = IS_WHOLE ? 100 : 30;
/** 50 honest nodes, 16 bits and a minute of one core at 8 000 000 keys/s. */
const MINUTE = [
  'work=sampled',
  'network.honest=50',
  'network.identity.c1=16',
  'adversaries.main.budget.attempts=480000000',
];
const BEACON = 'network.election.defences=[beacon-rank]';
const FROZEN = 'network.election.defences=[frozen-membership]';
const BULLY = 'network.election.protocols=[bully-oneshot]';

describe('an adversary whose ranks a beacon draws', () => {
  const model = topId(...MINUTE, BEACON);

  it('registers all identities that it can afford, and leads as often as after commit-then-beacon', () => {
    const [chosen] = settled(model, null).responses;
    const inElections = shareOf(model, 4000);
    const inEpochs = shareOf(topId(...MINUTE, 'epochs={count: 1, salt: both}'), 100);

    expect(chosen).toMatchObject({ response: { goal: 'all' }, origin: 'argued' });
    expect(probabilityOf(model)).toBeCloseTo(0.99322, 5);
    expect(inElections).toBeGreaterThan(0.988);
    expect(inEpochs).toBeGreaterThan(0.95);
  });

  it.each([
    ['goal=count:5000', 5000 / 5050],
    ['goal=top', 1 / 51],
    ['goal=any', 1 / 51],
  ])('is drawn with %s, not watched', (setting, probability) => {
    const fixed = topId(...MINUTE, BEACON, `adversaries.main.${setting}`);

    const {
      runs,
      wins: [wins = 0],
    } = executeRuns(fixed, SEED, { from: 0, count: 4000 }, STILL);

    expect(runKindOf(fixed)).toBe('ranking');
    expect(probabilityOf(fixed)).toBeCloseTo(probability, 9);
    const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
    expect(low).toBeLessThan(probability);
    expect(high).toBeGreaterThan(probability);
  });

  it('has the winner of the drawn ranks in the elections that are held', () => {
    const small = topId('work=sampled', BEACON, 'adversaries.main.goal=count:3');

    const { elections } = executeRuns(small, SEED, { from: 0, count: 100 }, STILL);

    expect(elections.held).toBe(200);
  });
});

describe('an adversary before a frozen membership', () => {
  it('registers before registration closes, and leads as often as without the defence', () => {
    const model = topId(...MINUTE, BULLY, FROZEN);

    expect(settled(model, null).responses).toMatchObject([
      { response: { goal: 'top', registers: 'before' }, origin: 'argued' },
    ]);
    expect(probabilityOf(model)).toBeCloseTo(0.99322, 5);
    expect(shareOf(model, 1000)).toBeGreaterThan(0.98);
  });

  it('never leads if the document fixes that it registers late, and the verdict says what that costs', () => {
    const late = topId(...MINUTE, BULLY, FROZEN, 'adversaries.main.registers=after');
    const early = topId(...MINUTE, BULLY, FROZEN, 'adversaries.main.registers=before');

    expect(shareOf(late, 500)).toBe(0);
    expect(probabilityOf(late)).toBe(0);
    expect(newcomersRemark(late)).toContain('it refuses honest newcomers too');
    expect(newcomersRemark(early)).toBeNull();
  });

  it.each(['mined', 'sampled'])('%s: has the same law as without the defence', (work) => {
    const model = topId(`work=${work}`, BULLY, FROZEN);
    const runs = work === 'mined' ? MINED_RUNS : 4000;

    const {
      wins: [wins = 0],
    } = executeRuns(model, SEED, { from: 0, count: runs }, STILL);

    const [low, high] = exactInterval({ wins, runs, confidence: 0.9999 });
    const theory = probabilityOf(topId('work=sampled', BULLY)) ?? 0;
    expect(low).toBeLessThan(theory);
    expect(high).toBeGreaterThan(theory);
  });
});

describe('the argument', () => {
  const DEFENCES = [
    '[]',
    '[beacon-rank]',
    '[frozen-membership]',
    '[frozen-membership, beacon-rank]',
  ];

  it.each(DEFENCES.flatMap((defences) => [1, 3, 5].map((honest) => [defences, honest] as const)))(
    'under %s among %d honest nodes is confirmed by all responses of the space',
    (defences, honest) => {
      const model = topId(
        ...['work=sampled', BULLY, `network.honest=${honest}`],
        `network.election.defences=${defences}`,
      );
      const { responses } = spaceOf(model, 'bully-oneshot', {
        fixed: { behaviours: [] },
        ...{ identitiesMax: 100, found: 4 },
      });

      const others = responses.map(({ goal, registers }) =>
        probabilityOf(
          changed(
            model,
            `adversaries.main.goal=${goal}`,
            `adversaries.main.registers=${registers}`,
          ),
        ),
      );

      const best = probabilityOf(model) ?? 0;
      expect(responses.length).toBeGreaterThan(3);
      for (const other of others) expect(other ?? 1).toBeLessThanOrEqual(best + 1e-12);
    },
  );

  it('is never worse than the naive response', () => {
    fc.assert(
      fc.property(
        fc.record({
          honest: fc.integer({ min: 1, max: 60 }),
          c1: fc.integer({ min: 0, max: 12 }),
          attempts: fc.integer({ min: 0, max: 20_000 }),
          defences: fc.constantFrom(...DEFENCES),
          property: fc.constantFrom('adversary-leads', 'majority-captured', 'top-captured'),
        }),
        ({ honest, c1, attempts, defences, property }) => {
          const isElection = property === 'adversary-leads' && attempts > 0;
          const model = topId(
            ...['work=sampled', BULLY, `network.honest=${honest}`, `network.identity.c1=${c1}`],
            ...[`adversaries.main.budget.attempts=${attempts}`, `expect.property=${property}`],
            `network.election.defences=${isElection ? defences : '[]'}`,
          );
          const naive = changed(
            model,
            `adversaries.main.goal=${isElection ? 'top' : 'any'}`,
            'adversaries.main.registers=after',
          );

          expect(probabilityOf(model) ?? 1).toBeGreaterThanOrEqual(
            (probabilityOf(naive) ?? 0) - 1e-9,
          );
        },
      ),
      { numRuns: 150 },
    );
  });

  it('registers all identities where ranks or a majority are captured', () => {
    const model = topId('work=sampled', 'expect.property=majority-captured');

    expect(settled(model, null).responses).toMatchObject([
      { aim: 'capture', response: { goal: 'all' }, origin: 'argued' },
    ]);
    expect(probabilityOf(model)).not.toBeNull();
  });

  it('names the windows from which it may stay away where the difficulty follows the joins', () => {
    const epochs =
      'epochs={count: 5, salt: both, lifetime: 1, retargeting: {joins: 20, stepBits: 2}}';
    const responseTo = (...settings: readonly string[]) =>
      settled(topId('work=sampled', 'confirmRuns=null', ...settings), null).responses;

    expect(responseTo(epochs)).toMatchObject([
      {
        origin: 'best-found',
        notSearched: ['all other orders of work', expect.stringContaining('absence')],
      },
    ]);
    expect(responseTo('epochs={count: 5, salt: both}')).toMatchObject([{ origin: 'argued' }]);
    expect(responseTo(epochs, 'expect.property=honest-priced-out')).toMatchObject([
      // No dynamic program confirms it, so that it is the best that is known.
      { origin: 'best-found', reason: expect.stringContaining('each join raises the difficulty') },
    ]);
  });
});

describe('the search', () => {
  const OPEN = [
    ...['work=sampled', 'network.honest=2', 'network.election.level=L2', 'runs=20'],
    ...['adversaries.main.behaviours=null', 'adversaries.main.budget.attempts=40'],
  ];

  it('finds another response for a ring than for Bully, tries all for at most five nodes, and is never worse than the naive one', () => {
    const model = topId(...OPEN);

    const { responses, model: closed } = settled(model, null);

    const [bully, ring] = responses;
    expect(bully).toMatchObject({ protocols: ['bully-oneshot'], origin: 'exhaustive' });
    expect(ring).toMatchObject({ protocols: ['cr-join'], origin: 'exhaustive' });
    expect(ring?.response.behaviours).toEqual(['spoof-coordinator']);
    expect(ring?.notSearched).toContain('combinations of behaviours');
    expect(armsOf(closed).map(({ protocols }) => protocols)).toEqual([
      ['bully-oneshot'],
      ['cr-join'],
    ]);
    for (const protocol of ['bully-oneshot', 'cr-join']) {
      const only = `network.election.protocols=[${protocol}]`;
      const naive = ['goal=top', 'registers=after', 'behaviours=[]'].map(
        (part) => `adversaries.main.${part}`,
      );
      const best = shareOf(topId(...OPEN, only), 30);
      expect(best).toBeGreaterThanOrEqual(shareOf(topId(...OPEN, only, ...naive), 30) - 0.2);
    }
  });

  it('is for the adversary that the question is about, and its rivals follow the protocol', () => {
    const model = documentOf({
      network: { honest: 11, identity: { c1: 6 }, election: { protocols: ['cr-join'] } },
      adversaries: [{ budget: { attempts: 350 } }, { budget: { attempts: 700 } }],
      expect: { property: 'adversary-leads', by: 'ann' },
    });

    const { responses, model: complete } = settled(model, null);
    const { wins } = executeRuns(complete, SEED, { from: 0, count: 100 }, STILL);

    const [ann, bob] = responses.map(({ response }) => response.behaviours);
    expect(ann).toEqual(['spoof-coordinator']);
    expect(bob).toEqual([]);
    // 19 % if both play the same response.
    expect((wins[0] ?? 0) / 100).toBeGreaterThan(0.4);
  });

  it('depends on the model alone', () => {
    // The response is searched the same way, and sooner for one honest node.
    const settings = [...OPEN, BULLY, 'network.honest=1'];

    const chosen = settled(topId(...settings), null).responses;
    const again = settled(topId(...settings, 'runs=7', 'expect.probability=0.2'), null).responses;

    expect(again).toEqual(chosen);
  });

  it('says which responses it does not try in a large network', () => {
    const model = topId(...MINUTE, 'adversaries.main.behaviours=null');

    const { responses } = settled(model, null);
    const [chosen] = responses;

    expect(unsearchedRemark('true', model, responses)).toContain('the stated response alone');
    expect(unsearchedRemark('false', model, responses)).toBeNull();
    expect(unsearchedRemark('true', topId('expect.comparison=at-least'), responses)).toBeNull();
    expect(chosen).toMatchObject({ origin: 'best-found' });
    expect(chosen?.notSearched).toEqual([
      'all other responses, because networks of more than 24 nodes are not searched',
    ]);
  });

  it('searches nothing if the document fixes the response to each protocol', () => {
    const part = '{goal: top, registers: after, behaviours: []}';
    const ring = '{goal: any, registers: after, behaviours: [swallow]}';
    const model = topId(
      ...OPEN,
      `adversaries.main.responses={bully-oneshot: ${part}, cr-join: ${ring}}`,
      'expect.property=no-leader',
    );

    const { responses } = settled(model, null);
    const { outcomes } = createRunner(model, STILL)({ seed: SEED, run: 0 });
    const elections = outcomes.flatMap((outcome) => outcome.elections);

    expect(responses.map(({ origin }) => origin)).toEqual(['fixed', 'fixed']);
    expect(elections.map(({ protocol }) => protocol)).toEqual(['bully-oneshot', 'cr-join']);
  });
});

describe('the response space', () => {
  it.each([
    ['beacon-rank', { where: 'without effect: the ranks are drawn later' }],
    [
      'frozen-membership',
      { when: 'before registration closes; nodes that register later are refused' },
    ],
    ['receipts', { when: 'before or after the honest nodes are known', count: 'one, some or all' }],
  ] as const)('under %s is listed', (name, choices) => {
    expect(choicesUnder(name)).toMatchObject(choices);
  });
});

describe('a document is refused', () => {
  it.each([
    [['adversaries.main.goal=most'], 'must be all, top:<k>, successors:<k>, any, top'],
    [['adversaries.main.registers=never'], 'must be before or after'],
    [['adversaries.main.aim=win'], 'must be lead, stop, split, outlive-lease or capture'],
    [['adversaries.main.responses={raft: {goal: top}}'], 'must not name raft'],
    [
      ['work=sampled', `adversaries.main.goal=near:${'ab'.repeat(32)}`],
      'top, any, all or count:<k>',
    ],
    [
      ['work=sampled', 'epochs={count: 1}', 'adversaries.main.goal=any'],
      'must be all if there are epochs',
    ],
    [['work=sampled', 'epochs={count: 1}', 'adversaries.main.registers=after'], 'must be left out'],
  ])('with %j', (settings, words) => {
    expect(() => topId(...settings)).toThrow(words);
  });
});

function shareOf(model: ThreatModel, count: number): number {
  const {
    wins: [wins = 0],
    runs,
  } = executeRuns(model, SEED, { from: 0, count }, STILL);
  return wins / runs;
}

function probabilityOf(model: ThreatModel): number | null {
  return theoryOf(settled(model, null).model, EMPTY_TALLY, null).probability;
}

function changed(model: ThreatModel, ...settings: readonly string[]): ThreatModel {
  return applySettings(model, settings.map(readSetting));
}
