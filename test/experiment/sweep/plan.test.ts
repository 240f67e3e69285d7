/**
 * @module
 * From a document and axes to cells: the grid, samples of it, refusals, sizes, seeds and identities.
 */

import { describe, expect, it } from 'vitest';
import { ratedSearch } from '../../../src/experiment/document/threat-model.ts';
import { applySettings, readSetting } from '../../../src/experiment/reading/settings.ts';
import { measuredAdversaries } from '../../../src/experiment/runs/budget.ts';
import { settled } from '../../../src/experiment/runs/run.ts';
import type { SweepRequest } from '../../../src/experiment/sweep/plan.ts';
import { outlineSweep, planCells, sweepIdentity } from '../../../src/experiment/sweep/plan.ts';
import type { SweepCell } from '../../../src/experiment/sweep/sweep.ts';
import { rowIdAround, rowSeed } from '../../../src/experiment/sweep/sweep.ts';
import { parseSeed } from '../../../src/random.ts';
import { findInCatalogue } from '../../../src/runtime/files/catalogue.ts';
import { ratesOf } from '../models.ts';

const SEED = parseSeed('5');
const MODEL = await findInCatalogue('top-id');
const GRID = ['work=sampled', 'network.identity.c1=8,9,10', 'network.honest=4,8'];

function outline(sets: readonly string[], rest: Partial<SweepRequest> = {}) {
  return outlineSweep(MODEL, { sets, document: null, seed: SEED, ...rest });
}

function plan(sets: readonly string[], rest: Partial<SweepRequest> = {}): readonly SweepCell[] {
  return planCells(MODEL, outline(sets, rest), { seed: SEED, rateMeasured: null });
}

describe('cells', () => {
  it('are the grid, the last axis fastest', () => {
    const cells = plan(GRID);

    expect(cells.map((cell) => cell.values)).toEqual([
      [8, 4],
      [8, 8],
      [9, 4],
      [9, 8],
      [10, 4],
      [10, 8],
    ]);
    expect(cells.map((cell) => cell.index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(cells[3]?.model).toMatchObject({ network: { honest: 8, identity: { c1: 9 } } });
  });

  it('have the settings that usurp run takes', () => {
    expect(plan(GRID)[3]?.settings).toEqual([
      'work=sampled',
      'network.identity.c1=9',
      'network.honest=8',
      'confirmRuns=0',
    ]);
  });

  it.each([
    ['a number', ['network.honest=9']],
    ['members in several maps', ['network.honest=9', 'work=sampled', 'network.identity.c1=9']],
    ['an added map', ['faults={crash: highest}']],
    [
      'a removed member',
      ['adversaries.main.budget.attempts=null', 'adversaries.main.budget.hashes=9'],
    ],
    ['a list', ['network.election.protocols=[bully-oneshot]']],
    ['an added adversary', ['adversaries.other={budget: {attempts: 64}, behaviours: []}']],
    ['no adversary', ['adversaries=null']],
  ])('have the model that usurp run makes of their settings, to the byte: %s', (_name, sets) => {
    const [cell] = plan(sets);

    const model = applySettings(applySettings(MODEL, []), cell?.settings.map(readSetting) ?? []);

    // A cell has the responses that a run would choose.
    expect(JSON.stringify(cell?.model)).toBe(JSON.stringify(settled(model, null).model));
  });

  it('hold elections where they were asked for', () => {
    const [cell] = plan([...GRID, 'confirmRuns=1']);

    expect(cell?.model?.confirmRuns).toBe(1);
  });

  it('take a rate of this machine as a number', () => {
    const sets = [
      'work=sampled',
      'network.honest=4,8',
      'adversaries.main.rate=measured',
      'adversaries.main.budget={cpuSeconds: 1}',
    ];

    const [cell] = plan(sets);
    const rateMeasured = cell?.model ? ratesOf(cell.model, { perSecond: 1234 }) : null;

    const cells = planCells(MODEL, outline(sets), { seed: SEED, rateMeasured });

    expect(cells.map(({ model }) => model?.adversaries.main?.rate)).toEqual([1234, 1234]);
    expect(cells[0]?.settings).toContain('adversaries.main.rate=1234');
  });

  it('take the rate of the search that each has', () => {
    const sets = [
      'work=sampled',
      'adversaries.main.rate=measured,measured on gpu,16e6',
      'adversaries.main.strategy=batch,siblings',
      'adversaries.main.budget={cpuSeconds: 1}',
    ];
    const searches = plan(sets).flatMap(({ model }) => {
      return model === null
        ? []
        : measuredAdversaries(model).map((each) => ratedSearch(model, each));
    });
    const rateMeasured = searches.map((search, at) => ({ search, perSecond: 10 + at }));

    const cells = planCells(MODEL, outline(sets), { seed: SEED, rateMeasured });

    const rates = cells.map((cell) => cell.model?.adversaries.main?.rate);
    expect(rates).toEqual([10, 11, 12, 13, 16e6, 16e6]);
  });

  it('stay in the plan where the document refuses them', () => {
    const cells = plan(['network.honest=8,0,4']);

    expect(cells.map((cell) => cell.model === null)).toEqual([false, true, false]);
    expect(cells[1]?.refusal).toContain('network.honest');
  });

  it('are refused together if all are', () => {
    expect(() => plan(['network.honest=0,-1'])).toThrow(
      /all 2 cells are refused; .*network.honest/,
    );
  });

  it('are one where no axis is given', () => {
    expect(plan(['work=sampled'])).toHaveLength(1);
  });

  it('share what they have in common', () => {
    const [first, second] = plan(GRID);

    expect(second?.model?.adversaries).toBe(first?.model?.adversaries);
  });
});

describe('axes of the document', () => {
  const document = { axes: { 'network.honest': '2:8|*2', 'network.identity.c1': [3, 4] }, runs: 7 };

  it('are swept where the command has none, but for what it sets', () => {
    const { axes, runs } = outline(['network.identity.c1=5'], { document });

    expect(axes).toEqual([{ path: 'network.honest', values: [2, 4, 8] }]);
    expect(runs).toBe(7);
  });

  it('give way to those of the command', () => {
    const { axes } = outline(['network.honest=5', 'adversaries.main.budget.attempts=1,2'], {
      document,
      runs: 3,
    });

    expect(axes.map((axis) => axis.path)).toEqual(['adversaries.main.budget.attempts']);
  });
});

describe('samples', () => {
  const wide = ['work=sampled', 'network.honest=range(1,40)', 'network.identity.c1=range(0,24)'];

  it('are different cells of the grid in its order', () => {
    const cells = plan(wide, { sample: 30 });
    const positions = cells.map(({ values: [honest, c1] }) => 25 * Number(honest) + Number(c1));

    expect(new Set(positions).size).toBe(30);
    expect(positions).toEqual(positions.toSorted((left, right) => left - right));
    expect(cells.map((cell) => cell.index)).toEqual(positions.map((_, index) => index));
  });

  it('are those of the seed', () => {
    const other = outline(wide, { sample: 30 });
    const drawn = (seed: string) =>
      planCells(MODEL, other, { seed: parseSeed(seed), rateMeasured: null }).map((c) => c.values);

    expect(drawn('1')).toEqual(drawn('1'));
    expect(drawn('1')).not.toEqual(drawn('2'));
  });

  it('are the grid where it has no more', () => {
    expect(plan(GRID, { sample: 100 })).toHaveLength(6);
  });

  it('may come from a grid that is too large to sweep', () => {
    const sets = ['range(1,1e5)', 'range(1,10000)'].map((range, axis) =>
      axis === 0 ? `network.honest=${range}` : `adversaries.main.budget.attempts=${range}`,
    );

    expect(outline(sets, { sample: 3 })).toMatchObject({ gridCells: 1e9, cells: 3 });
    expect(() => outline(sets)).toThrow('a sweep has at most 100000');
  });
});

describe('sizes', () => {
  it.each<readonly [string, readonly string[], number]>([
    ['cells', ['a=range(1,1e5)', 'b=range(1,1e5)'], 1],
    ['rows', ['network.honest=range(1,1000)'], 100_001],
    ['counting', ['a', 'b', 'c', 'd'].map((path) => `${path}=range(1,1e5)`), 1],
  ])('are refused at once: %s', (_name, sets, runs) => {
    expect(() => outline(sets, { runs })).toThrow(
      expect.objectContaining({ name: 'LabError', code: 'job.size' }),
    );
  });

  it('may be as large as the limit', () => {
    expect(outline(['network.honest=range(1,1000)'], { runs: 100_000 }).cells).toBe(1000);
  });

  it.each([
    [['network.honest=1,2', 'network.honest=3,4'], 'given twice'],
    [['network.honest=1,2', 'network.honest=3'], 'also given as a setting'],
  ])('refuses %j', (sets, problem) => {
    expect(() => outline(sets)).toThrow(problem);
  });
});

describe('seeds and identities', () => {
  const [first, second] = plan(GRID);
  const digests = [first?.digest ?? '', second?.digest ?? ''] as const;

  it('are shared by cells if paired, and of the cell if independent', () => {
    const paired = digests.map((each) => rowSeed({ seed: SEED, seedRule: 'paired' }, each, 3));
    const own = digests.map((each) => rowSeed({ seed: SEED, seedRule: 'independent' }, each, 3));

    expect(paired[0]).toBe(paired[1]);
    expect(new Set([...own, paired[0]]).size).toBe(3);
  });

  it('do not depend on the index of a cell', () => {
    const reversed = plan(['work=sampled', 'network.honest=8,4', 'network.identity.c1=10,9,8']);

    const digest = reversed.find(({ values: [honest, c1] }) => honest === 4 && c1 === 8)?.digest;

    expect(digest).toBe(digests[0]);
  });

  it('distinguish rows of other cells, seeds, code and protocols', () => {
    const rowIdText = (digest: string, seed: string, version: string, protocols: string[]) =>
      rowIdAround(digest, version, protocols).join(seed);
    const ids = [
      rowIdText(digests[0], SEED, '1', []),
      rowIdText(digests[1], SEED, '1', []),
      rowIdText(digests[0], parseSeed('6'), '1', []),
      rowIdText(digests[0], SEED, '2', []),
      rowIdText(digests[0], SEED, '1', ['raft']),
    ];

    expect(new Set(ids).size).toBe(5);
  });

  it('make a sweep the same with more runs, and another with anything else', () => {
    const spec = { seed: SEED, seedRule: 'paired', codeVersion: '1' } as const;
    const base = sweepIdentity(MODEL, outline(GRID), spec);

    expect(sweepIdentity(MODEL, outline(GRID, { runs: 9 }), spec)).toBe(base);
    expect(sweepIdentity(MODEL, outline(GRID, { sample: 2 }), spec)).not.toBe(base);
    expect(sweepIdentity(MODEL, outline(GRID.slice(1)), spec)).not.toBe(base);
    expect(sweepIdentity(MODEL, outline(GRID), { ...spec, codeVersion: '2' })).not.toBe(base);
    expect(sweepIdentity({ ...MODEL, title: 'x' }, outline(GRID), spec)).not.toBe(base);
  });
});
