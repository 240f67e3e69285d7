/**
 * @module
 * Rows and cells of a comparison: which defences share their runs, which are refused and why, the budget at an
 * advantage, the bits that honest nodes can afford, and who is excluded.
 */

import { describe, expect, it } from 'vitest';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { PictureCell } from '../../../src/experiment/charts/data.ts';
import { comparedRows, rowCosts } from '../../../src/experiment/compare/comparison.ts';
import type { ComparisonPlan } from '../../../src/experiment/compare/outline.ts';
import { planComparison } from '../../../src/experiment/compare/outline.ts';
import type { CompareQuestion } from '../../../src/experiment/compare/question.ts';
import { allSets, readSets, setName } from '../../../src/experiment/compare/sets.ts';
import { readSetting } from '../../../src/experiment/reading/settings.ts';
import { EMPTY_TALLY } from '../../../src/experiment/runs/tally.ts';
import { planCells } from '../../../src/experiment/sweep/plan.ts';
import { theoryOf } from '../../../src/experiment/verdict/theory.ts';
import { parseSeed } from '../../../src/random.ts';
import { modelFrom } from '../models.ts';

const QUESTION: CompareQuestion = {
  settings: [],
  protocols: ['bully-oneshot'],
  sets: [[]],
  advantages: [1],
  machines: null,
  hardRate: 20,
};

/** The plan for sets of defences in the document with a minute for each honest node. */
function plan(sets: string, rest: Partial<CompareQuestion> = {}): ComparisonPlan {
  const question = { ...QUESTION, sets: readSets(sets), ...rest };
  return planComparison(modelFrom('cpu-advantage'), question, 40);
}

function cellsOf({ outline }: ComparisonPlan) {
  return planCells(modelFrom('cpu-advantage'), outline, {
    seed: parseSeed('1'),
    rateMeasured: null,
  });
}

describe('sets of defences', () => {
  it('are read in one order, and refused with what is possible', () => {
    expect(readSets('none,beacon-rank,proof-of-work+beacon-rank').map(setName)).toEqual([
      ...['none', 'beacon-rank', 'beacon-rank+proof-of-work'],
    ]);
    expect(() => readSets('beacon-rnak')).toThrow(/no defence "beacon-rnak".*beacon-rank/s);
    expect(() => readSets('none,none')).toThrow('none is named twice');
  });

  it('are each alone, and with pairs each two that are not both levels', () => {
    const singles = allSets(false).length;
    const pairs = allSets(true).slice(singles).map(setName);

    expect(allSets(false)[0]).toEqual([]);
    expect(pairs).toContain('incumbency+freshness');
    expect(pairs).not.toContain('signatures+freshness');
    expect(new Set(pairs).size).toBe(pairs.length);
  });
});

describe('cells', () => {
  it('have the work of one honest node, times the advantage', () => {
    const { reference, rows, outline } = plan('none', { advantages: [1, 10, 0.5] });

    expect(reference.attempts).toBe(480_000_000);
    expect(rows[0]?.points.map(({ attempts }) => attempts)).toEqual([4.8e8, 4.8e9, 2.4e8]);
    expect(rows[0]?.points[0]?.identities).toBeCloseTo(480e6 / 65_536, 6);
    expect(cellsOf({ ...plan('none'), outline })[1]?.settings).toContain(
      'adversaries.main.budget.cpuSeconds=600',
    );
  });

  it('are shared by rows whose defences act alike', () => {
    const { rows, outline } = plan('none,incumbency,freshness,beacon-rank,incumbency+beacon-rank');

    expect(rows.map(({ points }) => points[0]?.cell)).toEqual([0, 0, 0, 1, 1]);
    expect(outline.cells).toBe(2);
  });

  it('are not shared if the adversary has behaviours', () => {
    const question = { ...QUESTION, sets: readSets('none,incumbency,freshness') };
    const { rows } = planComparison(modelFrom('late-joiner'), question, 40);

    expect(rows.map(({ points }) => points[0]?.cell)).toEqual([0, 1, 2]);
  });

  it('repeat in a sweep with the settings that they state', () => {
    for (const cell of cellsOf(plan('none,proof-of-work,commit-then-beacon,memory-hard'))) {
      const model = modelFrom('cpu-advantage', ...cell.settings);
      expect(cell.refusal).toBeNull();
      expect(model.network).toEqual(cell.model?.network);
    }
  });
});

describe('difficulty', () => {
  it('is raised to the bits that 95 % of honest nodes solve in time', () => {
    const [row] = plan('proof-of-work').rows;

    expect(row?.model.network.identity.c1).toBe(27);
  });

  it('cannot be raised where no more bits are affordable', () => {
    const settings = [readSetting('network.identity.c1=28')];

    expect(() => plan('proof-of-work', { settings })).toThrow('honest nodes can afford 27');
  });

  it('falls under a memory-hard function to what its rate allows, and machines keep their advantage', () => {
    const all = plan('memory-hard', { advantages: [1, 100] });
    const one = plan('memory-hard', { advantages: [1, 100], machines: 1 });

    expect(all.rows[0]?.model.network.identity.c1).toBe(8);
    expect(all.rows[0]?.points.map(({ attempts }) => attempts)).toEqual([1200, 120_000]);
    expect(one.rows[0]?.points.map(({ attempts }) => attempts)).toEqual([1200, 1200]);
  });

  it('leaves keys as cheap as they were, so that the verdict is that of 1 200 evaluations among any number of nodes', () => {
    const settings = [readSetting('network.honest=10000')];
    const compared = plan('memory-hard,memory-hard+commit-then-beacon', {
      settings,
      machines: 1,
      advantages: [1, 100],
    });
    const [once, often, salted] = cellsOf(compared).map(({ model }) => model?.adversaries['main']);

    expect(once).toMatchObject({ rate: 20, keyRate: 1.2e7 });
    expect(often).toMatchObject({ rate: 20, keyRate: 1.2e9 });
    expect(salted).toMatchObject({ keyRate: 1.2e7 });
    // E[1-(1-p)^k] by the midpoint rule over the highest of 10 000 IDs, with 60 s = m (1/12e6 + q/20).
    const points = Array.from(
      { length: 20_000 },
      (_, index) => 1 - ((index + 0.5) / 20_000) ** 1e-4,
    );
    const chances = points.map((q) => 1 - (1 - q / 256) ** (60 / (1 / 1.2e7 + q / 20)));
    const mean = chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
    const [cell] = cellsOf(compared);
    if (cell?.model == null) throw new TypeError('expected a cell with a document');
    expect(theoryOf(cell.model, EMPTY_TALLY, null).probability).toBeCloseTo(mean, 2);
    expect(mean).toBeCloseTo(0.983, 3);
  });
});

describe('refusals', () => {
  it('have the reason of the protocol', () => {
    const { refused } = plan('none,hop-limit,beacon-rank', {
      protocols: ['bully-oneshot', 'raft'],
    });

    expect(refused.map(({ protocol, defences }) => `${protocol} ${setName(defences)}`)).toEqual([
      'bully-oneshot hop-limit',
      'raft hop-limit',
      'raft beacon-rank',
    ]);
    expect(refused[0]?.reason).toContain('no token travels round a ring');
    expect(refused[2]?.reason).toContain('no rank helps a node to lead in it');
  });

  it('of a defence alone are not repeated for its pairs', () => {
    const { refused } = plan('none,hop-limit,beacon-rank,hop-limit+beacon-rank');

    expect(refused.map(({ defences }) => setName(defences))).toEqual(['hop-limit']);
  });

  it.each([
    ['no-adversary', 'must have one adversary with a budget'],
    ['top-id', 'must have work: sampled'],
    ['commit-then-beacon', 'must have no epochs'],
  ])('of %s name what a document needs', (id, reason) => {
    expect(() => planComparison(modelFrom(id), QUESTION, 40)).toThrow(reason);
  });
});

describe('a protocol in which any node may lead', () => {
  it('is watched with all identities, or has the closed form if they are too many', () => {
    const { rows, outline } = plan('none,proof-of-work', {
      protocols: ['raft'],
      advantages: [1, 10, 100],
    });
    const [none, work] = rows;

    expect(none?.points.map(({ cell }) => cell)).toEqual([null, null, null]);
    expect(none?.points[0]?.theory).toBeCloseTo(0.9932, 3);
    expect(work?.points.map(({ cell }) => cell)).toEqual([0, 1, null]);
    expect(outline.listed?.[0]?.settings.map(({ text }) => text)).toContain(
      'adversaries.main.goal=all',
    );
  });

  it('is led by no adversary that frozen-membership refuses because it comes late', () => {
    const settings = [readSetting('adversaries.main.registers=after')];
    const late = plan('none,frozen-membership', { protocols: ['raft'], settings });
    const inTime = plan('frozen-membership', { protocols: ['raft'] });

    expect(late.rows[0]?.points[0]?.theory).toBeCloseTo(0.9932, 3);
    expect(late.rows[1]?.points[0]).toMatchObject({ theory: 0, cell: 0 });
    expect(inTime.rows[0]?.points[0]?.theory).toBeCloseTo(0.9932, 3);
  });
});

describe('honest costs', () => {
  const NO_CELLS: readonly PictureCell[] = [];

  it('are those of the join and of an election, with what the defences add', () => {
    const voting = plan('none,pre-vote', { protocols: ['raft'] });
    const [none, row] = comparedRows(voting, [...rowCosts(voting)], NO_CELLS);

    expect(none?.cost.join.attempts.p95).toBeGreaterThan(190_000);
    expect(none?.cost.added).toEqual({ messages: 0, ticks: 0 });
    expect(row?.cost.added?.messages).toBeGreaterThan(100);
    expect(row?.cost.election?.messages).toBeCloseTo(
      (none?.cost.election?.messages ?? 0) + (row?.cost.added?.messages ?? 0),
    );
  });

  it('include the nodes that a defence or the difficulty excludes', () => {
    const sets = plan('none,frozen-membership,proof-of-work,commit-then-beacon', {
      protocols: ['cr-join'],
    });
    const excluded = [...rowCosts(sets)].map((cost) => cost.excluded);

    expect(excluded.map((each) => each.map(({ label }) => label))).toEqual([
      [],
      ['newcomers'],
      ['2.8 % slow'],
      ['late nodes'],
    ]);
    // (1 − 2^−27)^(4.8·10⁸)
    expect(excluded[2]?.[0]?.share).toBeCloseTo(Math.exp(-480e6 / 2 ** 27), 6);
    expect(PROTOCOLS['cr-join'].elects).toBe('highest');
  });
});
