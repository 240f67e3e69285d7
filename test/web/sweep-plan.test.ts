/**
 * @module
 * Sweeps in the lab without a browser: texts of axes, plans as addresses and as requests, parts of a grid, and the
 * input of the charts.
 */

import { describe, expect, it } from 'vitest';

import { firstAxes, membersOf, suggested } from '../../server/web/sweeps/members.ts';
import type { SweepJob } from '../../server/web/sweeps/picture-input.ts';
import { sweepResult } from '../../server/web/sweeps/picture-input.ts';
import type { SweepPlan } from '../../server/web/sweeps/plan.ts';
import {
  axisText,
  cellCount,
  commandOf,
  FIRST_PLAN,
  inForm,
  isWithin,
  planOf,
  planOfRequest,
  queryOf,
  queryOfRange,
  rangesBetween,
  rangesOf,
  refinedRequest,
  refinedValues,
  requestOf,
  spacingOf,
  spacingText,
  valueCount,
  valuesOf,
} from '../../server/web/sweeps/plan.ts';
import { readSet } from '../../src/experiment/sweep/axes.ts';
import { cellColumns } from '../../src/experiment/sweep/columns.ts';
import { readCatalogue } from '../../src/runtime/files/catalogue.ts';

describe('the text of an axis', () => {
  it.each(['range(8,28,2)', 'range(8,,)', '2^10:2^18|*2', ':|*', '4, 8, 16', '', '[a, b], [c]'])(
    '%s is the same after its parts were read',
    (text) => {
      expect(spacingText(spacingOf(text))).toBe(text);
    },
  );

  it.each([
    ['range(8,28,2)', 11],
    ['range(0.1,0.3,0.1)', 3],
    ['range(28,8,-2)', 11],
    ['range(8,28,-2)', null],
    ['range(8,28,0)', null],
    ['2^10:2^18|*2', 9],
    ['5%:40%|*2', 4],
    ['1:8|*1', null],
    ['4, 8, 16', 3],
    ['[a, b], [c]', 2],
    ['', null],
    ['range(8,,2)', null],
  ])('%s has %s values, as the server counts them', (text, count) => {
    expect(valueCount(text)).toBe(count);

    if (count !== null && !text.includes('%')) {
      const read = readSet(`network.honest=${text}`);
      expect(read.type === 'axis' ? read.axis.values.length : 1).toBe(count);
    }
  });

  it('keeps its values in another form', () => {
    expect(inForm('range(4,8,2)', 'list')).toBe('4, 6, 8');
    expect(inForm('4, 8, 16', 'factors')).toBe('4:16|*2');
    expect(inForm('bully-oneshot, raft', 'steps')).toBe('range(,,1)');
  });

  it('is written as a request has it', () => {
    expect(valuesOf('range(4,8,2)')).toBe('range(4,8,2)');
    expect(valuesOf('4, 2^10, [a, b]')).toEqual([4, '2^10', ['a', 'b']]);
    expect(axisText([4, '2^10', ['a', 'b']])).toBe('4, 2^10, [a, b]');
  });
});

describe('a plan', () => {
  const plan: SweepPlan = {
    ...FIRST_PLAN,
    axes: [
      { path: 'network.honest', values: '4, 8' },
      { path: 'network.identity.c1', values: '6' },
    ],
    settings: 'expect.probability=5%',
    seed: '1',
  };

  it('is the same after its address was read', () => {
    const query = Object.fromEntries(
      Object.entries(queryOf(plan)).filter(([, value]) => value !== null && value !== ''),
    );

    expect(planOf(query as Record<string, string>)).toEqual(plan);
    expect(planOf({})).toEqual(FIRST_PLAN);
  });

  it('has axes of several values, and settings', () => {
    const request = requestOf(plan, null);

    expect(request).toEqual({
      threatModel: 'top-id',
      axes: { 'network.honest': [4, 8] },
      set: { 'network.identity.c1': 6, work: 'sampled', 'expect.probability': '5%' },
      ...{ runs: 200, seed: '1' },
    });
    expect(requestOf(planOfRequest(request, null), null)).toEqual(request);
  });

  it('has the command of its request, in which a text with commas is quoted', () => {
    const request = { threatModel: 'top-id', set: { 'network.election.latency': 'uniform(1,5)' } };

    expect(commandOf({ ...request, axes: { 'network.honest': 'range(4,8,2)' } }, 'top-id')).toEqual(
      [
        ...['sweep', 'top-id', '--set', 'network.honest=range(4,8,2)'],
        ...['--set', 'network.election.latency="uniform(1,5)"'],
      ],
    );
  });

  it('counts its cells, unless an axis is not complete', () => {
    expect(cellCount(FIRST_PLAN)).toBe(35);
    expect(cellCount({ ...plan, axes: [{ path: 'a', values: 'range(1,' }] })).toBe(1);
    expect(cellCount({ ...plan, axes: [{ path: 'a', values: 'range(1,,1)' }] })).toBeNull();
  });
});

describe('the members of a document', async () => {
  const catalogue = await readCatalogue();

  it.each(catalogue.map((model) => [model.id, model] as const))(
    '%s has axes to begin with, which the server reads',
    (_, model) => {
      const axes = firstAxes(model);

      expect(axes.length).toBeGreaterThan(0);
      for (const { path, values } of axes) {
        expect(valueCount(values)).toBeGreaterThan(1);
        expect(readSet(`${path}=${values}`).type).toBe('axis');
      }
      expect(membersOf(model).map(({ path }) => path)).not.toContain('title');
    },
  );

  it('suggest values around a number', () => {
    expect(suggested({ path: 'network.identity.c1', value: 3 }, {})).toBe('range(0,7,2)');
    expect(suggested({ path: 'network.honest', value: 8 }, {})).toBe('4, 8, 16');
    expect(suggested({ path: 'expect.probability', value: 0.5 }, {})).toBe('0.25, 0.5, 1');
  });
});

describe('a part of a grid', () => {
  const axes = [
    { path: 'adversaries.main.budget.attempts', values: [16, 64, 256] },
    { path: 'network.identity.c1', values: [0, 4, 8] },
    { path: 'work', values: ['mined', 'sampled'] },
    { path: 'network.honest', values: [8] },
  ];

  it('has the axes of numbers that vary, whole by default', () => {
    expect(rangesOf({}, axes)).toMatchObject([
      { axis: 0, from: 16, to: 256 },
      { axis: 1, from: 0, to: 8 },
    ]);
  });

  it('is restored from its address, in any order, and ignores values that the axis has not', () => {
    const [first, second] = rangesOf({ from1: '256', to1: '64', from2: '5', to2: '4' }, axes);

    expect(first).toMatchObject({ from: 64, to: 256 });
    expect(second).toMatchObject({ from: 0, to: 4 });
    expect(first && queryOfRange(first)).toEqual({ from1: 64, to1: null });
  });

  it('lies between two cells, and keeps an axis on which they agree', () => {
    const ranges = rangesBetween(rangesOf({}, axes), [256, 4, 'mined', 8], [64, 4, 'mined', 8]);

    expect(ranges).toMatchObject([
      { from: 64, to: 256 },
      { from: 0, to: 8 },
    ]);
    expect(isWithin(ranges, { values: [64, 0, 'mined', 8] })).toBe(true);
    expect(isWithin(ranges, { values: [16, 0, 'mined', 8] })).toBe(false);
  });

  it('gets one more value between each two, by the scale of the axis', () => {
    const [budget, bits] = rangesOf({ from2: '4' }, axes);

    expect(budget && refinedValues(budget)).toEqual([16, 32, 64, 128, 256]);
    expect(bits && refinedValues(bits)).toEqual([4, 6, 8]);
    expect(bits && refinedValues({ ...bits, values: [4, 5], from: 4, to: 5 })).toEqual([4, 5]);
  });
});

describe('a finer sweep', () => {
  it('keeps the other axes, also those of the document', () => {
    const axes = { 'network.election.level': ['L0', 'L1'], 'network.honest': 'range(4,8,2)' };
    const grid = [
      { path: 'network.election.level', values: 2 },
      { path: 'network.honest', values: 3 },
    ];
    const [range] = rangesOf({ from1: '6' }, [{ path: 'network.honest', values: [4, 6, 8] }]);
    const ranges = range === undefined ? [] : [range];
    const refined = { ...axes, 'network.honest': [6, 7, 8] };

    const request = { threatModel: 'x', seed: '1' };

    expect(refinedRequest({ grid, request }, ranges, { sweep: { axes } }).axes).toEqual(refined);
    expect(refinedRequest({ grid, request: { ...request, axes } }, ranges, {}).axes).toEqual(
      refined,
    );
  });
});

describe('the input of the charts', () => {
  const axes = [{ path: 'network.honest', values: [4, 0] }];
  const job = {
    ...{
      id: 's_1',
      cells: 2,
      replay: 'usurp sweep',
      grid: [{ path: 'network.honest', values: 2 }],
    },
    request: { threatModel: 'x', set: { 'expect.probability': '5%' }, runs: 20 },
    result: { refused: 1 },
    columns: { rows: [], cells: [...cellColumns(axes)] },
    // The charts need no other members.
  } as unknown as SweepJob;
  const document = {
    title: 'T',
    expect: { property: 'adversary-leads', comparison: 'at-most', probability: 0.5 },
  };
  const rows = [
    { cell: 0, networkHonest: 4, protocol: 'raft', n: 20, k: 5, p: 0.25, ciLow: 0.1, ciHigh: 0.4 },
    { cell: 1, networkHonest: 0, refusal: 'at least one honest node' },
  ];

  it('has the settings, the axes, and the refused cells with their reasons', () => {
    const { axes: swept, cells, input } = sweepResult(job, rows, document);

    expect(swept).toEqual(axes);
    expect(cells[0]).toMatchObject({ values: [4], p: 0.25, ciLow: 0.1, refusal: null });
    expect(cells[1]).toMatchObject({ p: null, refusal: 'at least one honest node' });
    expect(input).toMatchObject({ title: 'T', event: 'adversary leads', confidence: 0.95 });
    expect(input.epsilons).toEqual([0.05]);
    expect(input.sentence).toBe(
      '20 runs of each of 2 cells (the document refuses 1), mined work: how often “adversary leads” happened; expected: at most 0.05.',
    );
  });

  it('says that a stopped sweep is not complete', () => {
    // The charts need no other members.
    const result = { complete: false, runs: 2, refused: 0 } as SweepJob['result'];

    const { input } = sweepResult({ ...job, result } as SweepJob, rows, document);

    expect(input.sentence).toMatch(/^2 runs computed, not complete: 20 runs of each of 2 cells,/);
  });

  it('has an axis of protocols if a cell has several', () => {
    const several = [{ ...rows[0], protocol: 'cr-join' }, ...rows];

    const { input } = sweepResult(job, several, document);

    expect(input.axes.map(({ path }) => path)).toEqual(['network.honest', 'protocol']);
  });
});
