/**
 * @module
 * What the pictures of a sweep show: which kinds fit which axes and columns, and that every number in
 * a chart is one of the table's or of the closed form.
 */

import { describe, expect, it } from 'vitest';

import { pictureCell } from '../../../src/experiment/charts/cells.ts';
import { chartsOf } from '../../../src/experiment/charts/charts.ts';
import type {
  Chart,
  HeatChart,
  LineChart,
  PictureCell,
  PictureInput,
  PictureKind,
} from '../../../src/experiment/charts/data.ts';
import { picturesFor } from '../../../src/experiment/charts/data.ts';
import { FRONTIER_VALUES_MAX, FRONTIERS_MAX } from '../../../src/experiment/charts/frontier.ts';
import { SERIES_MAX } from '../../../src/experiment/charts/series.ts';
import type { Axis } from '../../../src/experiment/sweep/grid.ts';
import {
  BUDGET,
  C1,
  cellOf,
  detectionSweep,
  difficultySweep,
  frontierSweep,
  gridOf,
  HONEST,
  inputOf,
  measured,
  messagesSweep,
  namesSweep,
  winProbability,
} from './picture-inputs.ts';

function lineChart(input: PictureInput, kind: PictureKind): LineChart {
  const chart = chartsOf(input).find((one) => one.kind === kind);
  if (chart?.type !== 'lines') throw new TypeError(`no line chart of kind ${kind}`);
  return chart;
}

function heatCharts(input: PictureInput): HeatChart[] {
  return chartsOf(input).filter((chart: Chart) => chart.type === 'heat');
}

function stepsOf(chart: HeatChart | undefined) {
  return (chart?.contours.find(({ source }) => source === 'closed form')?.lines ?? []).flat();
}

const axis = (path: string, ...values: Axis['values']): Axis => ({ path, values });

describe('the kinds of pictures', () => {
  const difficulty = axis(C1, 8, 9);
  const budget = axis(BUDGET, 100, 1000);
  const population = axis(HONEST, 4, 8);
  const latency = axis('network.election.latency', 1, 2);
  const strategy = axis('adversaries.main.strategy', 'fresh', 'siblings');
  const messages = { messagesMean: 12 };
  const delays = { detectionTicksMean: 7 };
  const table: readonly (readonly [
    string,
    readonly Axis[],
    Partial<PictureCell>,
    readonly PictureKind[],
  ])[] = [
    ['a difficulty', [difficulty], {}, ['win-probability']],
    ['a dynamic difficulty', [axis('network.identity.c2', 1, 2)], {}, ['win-probability']],
    ['a budget', [budget], {}, ['win-probability']],
    ['both', [difficulty, budget], {}, ['frontier', 'win-probability']],
    ['a difficulty of one value', [axis(C1, 8), budget], {}, ['win-probability']],
    ['difficulties that are no numbers', [axis(C1, 8, null)], {}, ['frequency']],
    ['a population', [population], {}, ['frequency']],
    ['a population with messages', [population], messages, ['messages']],
    ['a population without any message', [population], { messagesMean: 0 }, ['frequency']],
    ['messages alone', [latency], messages, ['frequency']],
    ['a latency with delays', [latency], delays, ['detection-delay']],
    ['words with delays', [strategy], delays, ['detection-delay']],
    ['words', [strategy], {}, ['frequency']],
    ['no axis', [], {}, ['frequency']],
    ['no axis with delays', [], delays, ['frequency']],
    [
      'everything',
      [difficulty, budget, population, latency],
      { ...messages, ...delays },
      ['frontier', 'win-probability', 'messages', 'detection-delay'],
    ],
  ];

  it.each(table)('for %s', (_name, axes, columns, kinds) => {
    const cells = gridOf(axes, () => ({ ...measured(0.5), ...columns }));

    expect(picturesFor({ axes, cells })).toEqual(kinds);
    expect([...new Set(chartsOf(inputOf(axes, cells)).map(({ kind }) => kind))]).toEqual(kinds);
  });
});

describe('win probability', () => {
  it('shows each cell with its interval where its difficulty is', () => {
    const input = difficultySweep();

    const [panel] = lineChart(input, 'win-probability').panels;

    const shown = panel?.series.flatMap(({ marks }) =>
      marks.map(({ x, y, interval }) => [x, y, ...(interval ?? [])]),
    );
    expect(shown).toEqual(
      input.cells.map(({ values: [c1], p, ciLow, ciHigh }) => [c1, p, ciLow, ciHigh]),
    );
  });

  it('has a point of the closed form at each whole bit, and else at the cells, without a line', () => {
    const axes = [axis(C1, 8, 10, 14)];
    const cells = gridOf(axes, ([c1]) => measured(winProbability(4096, Number(c1))));
    const { theoryAt } = difficultySweep();
    const [given, ofCells] = [theoryAt, null].map(
      (each) =>
        lineChart(inputOf(axes, cells, { theoryAt: each }), 'win-probability').panels[0]?.series[0],
    );

    expect(given?.curve).toEqual(
      [8, 9, 10, 11, 12, 13, 14].map((x) => ({ x, y: winProbability(4096, x) })),
    );
    expect(ofCells?.curve.map(({ x }) => x)).toEqual([8, 10, 14]);
    expect([given?.hasPoints, ofCells?.hasPoints]).toEqual([true, true]);
  });

  it('joins the closed form only where no integer is left out visibly, or between fractions', () => {
    const shapes = [
      [HONEST, 4, 4000],
      ['network.loss', 0.25, 0.75],
    ].map(([path, ...values]) => {
      const axes = [axis(String(path), ...values)];
      const cells = gridOf(axes, () => measured(0.5));
      const [series] =
        lineChart(inputOf(axes, cells, { theoryAt: () => 0.5 }), 'frequency').panels[0]?.series ??
        [];
      const xs = series?.curve.map(({ x }) => x) ?? [];
      return [series?.hasPoints, xs.every(Number.isInteger), xs.length > 80];
    });

    expect(shapes).toEqual([
      [false, true, true],
      [false, false, true],
    ]);
  });

  it('falls back on the cells where the closed form has holes', () => {
    const theoryAt: PictureInput['theoryAt'] = ([c1]) => (Number.isInteger(c1) ? 0.5 : null);

    const [series] =
      lineChart(difficultySweep({ theoryAt }), 'win-probability').panels[0]?.series ?? [];

    expect(series?.curve).toHaveLength(7);
  });

  it('is on a logarithmic axis against a budget, unless that begins at 0', () => {
    const scales = [
      [1, 2],
      [0, 2],
    ].map((values) => {
      const axes = [axis(BUDGET, ...values)];
      const { x } = lineChart(
        inputOf(
          axes,
          gridOf(axes, () => measured(0.5)),
        ),
        'win-probability',
      );
      return x.type === 'number' && x.isLogarithmic;
    });

    expect(scales).toEqual([true, false]);
  });

  it('has a series for each value of a second axis, and says how many it leaves out', () => {
    const chart = lineChart(frontierSweep(), 'win-probability');

    expect(chart.panels[0]?.series).toHaveLength(SERIES_MAX);
    expect(chart.panels[0]?.series[0]?.label).toBe('attempts = 256');
    expect(chart.notes).toEqual(['8 of 11 series are drawn; the data file has all']);
  });

  it('has no series without a value, and says how many it leaves out', () => {
    const axes = [axis(C1, 8, 9, 10), axis(HONEST, 0, 4, 8)];
    const cells = gridOf(axes, ([c1, honest]) => {
      if (honest === 0) return { refusal: 'must be at least 1' };
      return c1 === 9 ? { refusal: 'nine' } : measured(0.5);
    });

    const chart = lineChart(inputOf(axes, cells), 'win-probability');

    const series = chart.panels[0]?.series ?? [];
    expect(series.map(({ label }) => label)).toEqual(['honest = 4', 'honest = 8']);
    expect(chart.notes).toEqual(['1 series without a value is left out']);
    expect(series[0]?.refused).toMatchObject([{ x: 9 }]);
    expect(series[0]?.refused[0]?.tooltip).toContain('nine');
  });

  it('names series by whole paths where their last members are the same', () => {
    const axes = [
      axis(C1, 8, 9),
      axis('adversaries.a.rate', 1, 2),
      axis('adversaries.b.rate', 1, 2),
    ];

    const { panels } = lineChart(
      inputOf(
        axes,
        gridOf(axes, () => measured(0.5)),
      ),
      'win-probability',
    );

    expect(panels[0]?.series[1]?.label).toBe('adversaries.a.rate = 1, adversaries.b.rate = 2');
  });

  it('leaves out cells without an outcome, and says so if there are no others', () => {
    const axes = [axis(C1, 8, 9, 10)];
    const cells = gridOf(axes, ([c1]) => (c1 === 9 ? {} : measured(0.5)));

    const some = lineChart(inputOf(axes, cells), 'win-probability');
    const none = lineChart(inputOf(axes, [cellOf(1, [9])]), 'win-probability');

    expect(some.panels[0]?.series[0]?.marks.map(({ x }) => x)).toEqual([8, 10]);
    expect(some.notes).toEqual([]);
    expect(none.notes).toEqual(['no cell has an outcome']);
  });
});

describe('the frontier', () => {
  it('has a cell for each pair, and its words where it has no p', () => {
    const [chart] = heatCharts(frontierSweep());

    const empty = chart?.cells.filter(({ p }) => p === null);

    expect(chart?.cells).toHaveLength(121);
    expect(empty?.map(({ x, y }) => [x, y])).toEqual([[32_768, 12]]);
    expect(empty?.[0]?.tooltip).toContain('no difficulty is worth a budget of 32768');
  });

  it('has a step of the closed form at each whole bit, where the closed form is ε', () => {
    const [chart] = heatCharts(frontierSweep());
    const steps = stepsOf(chart);

    // One row has a refused cell.
    expect(steps.map(({ y }) => y)).toEqual([8, 9, 10, 11, 13, 14, 15, 16, 17, 18]);
    const inside = steps.filter(({ x }) => Number.isFinite(x));
    expect(inside).toHaveLength(6);
    for (const { x, y } of inside) expect(winProbability(x, y)).toBeCloseTo(0.01, 3);
  });

  it('has the step at the budget itself, however far apart those of the sweep are', () => {
    const axes = [axis(C1, 2, 5, 8, 14), axis(BUDGET, 100, 10_000)];
    const cells = gridOf(axes, ([c1, budget]) =>
      measured(winProbability(Number(budget), Number(c1))),
    );
    const asked: number[] = [];
    const theoryAt: PictureInput['theoryAt'] = ([c1, budget]) => {
      asked.push(Number(budget));
      return winProbability(Number(budget), Number(c1));
    };
    const [chart] = heatCharts(inputOf(axes, cells, { theoryAt, epsilons: [0.5] }));

    // K/(8 + K) is 1/2 at K = 8: at 32, 256, 2048 and 131072 attempts.
    const [two, five, eight, fourteen] = stepsOf(chart).map(({ x }) => x);
    expect([two, fourteen]).toEqual([-Infinity, Infinity]);
    expect(Number(five) / 256).toBeCloseTo(1, 2);
    expect(Number(eight) / 2048).toBeCloseTo(1, 2);
    expect(asked.every(Number.isInteger)).toBe(true);
  });

  it.each([
    [0.9, 'measured p is nowhere below ε = 0.01'],
    [0, 'measured p is everywhere below ε = 0.01'],
  ])('says why there is no contour at p = %d', (probability, note) => {
    const axes = [axis(C1, 8, 9), axis(BUDGET, 100, 1000)];

    const [chart] = heatCharts(
      inputOf(
        axes,
        gridOf(axes, () => measured(probability)),
      ),
    );

    expect(chart?.contours).toEqual([]);
    expect(chart?.notes).toEqual([note]);
  });

  it('has a map for each value of a third axis, and says what it leaves out', () => {
    const many = Array.from({ length: FRONTIER_VALUES_MAX + 1 }, (_, index) => index);
    const thirds = Array.from({ length: FRONTIERS_MAX + 1 }, (_, index) => `s${index}`);
    const axes = [axis(C1, ...many), axis(BUDGET, 100, 1000), axis('a.strategy', ...thirds)];

    const charts = heatCharts(
      inputOf(
        axes,
        gridOf(axes, ([c1]) => measured(1 / (1 + Number(c1)) ** 2)),
      ),
    );

    expect(charts.map(({ name }) => name)).toEqual([
      ...['frontier', 'frontier-2', 'frontier-3', 'frontier-4', 'frontier-5', 'frontier-6'],
    ]);
    expect(charts[0]?.title).toContain('strategy = s0');
    expect(charts[0]?.ys).toHaveLength(FRONTIER_VALUES_MAX);
    expect(charts[0]?.notes).toEqual([
      '64 of 65 values of network.identity.c1 are drawn; the data file has all',
      '6 of 7 maps are drawn; the data file has all',
    ]);
  });
});

describe('messages', () => {
  it('are drawn per protocol on logarithmic axes', () => {
    const { x, panels } = lineChart(messagesSweep(), 'messages');

    expect(x).toMatchObject({ isLogarithmic: true, domain: [4, 256] });
    expect(panels[0]?.y.isLogarithmic).toBe(true);
    expect(panels[0]?.series.map(({ label }) => label)).toEqual([
      'protocols = bully-oneshot',
      'protocols = cr-join',
    ]);
  });

  it('have curves of n, n log n and n² through the first point', () => {
    const [panel] = lineChart(messagesSweep(), 'messages').panels;

    const ends = panel?.references.map(({ label, points }) => {
      const [first, last] = [points[0], points.at(-1)];
      return [label, first?.x, first?.y, last?.x, last?.y];
    });

    expect(ends).toEqual([
      ['n²', 4, 10, 256, 40_960],
      ['n log n', 4, 10, 256, 2560],
      ['n', 4, 10, 256, 640],
    ]);
  });

  it('leave n log n out where it begins at one node', () => {
    const axes = [axis(HONEST, 1, 2)];
    const cells = gridOf(axes, () => ({ ...measured(1), messagesMean: 3 }));

    const [panel] = lineChart(inputOf(axes, cells), 'messages').panels;

    expect(panel?.references.map(({ label }) => label)).toEqual(['n²', 'n']);
  });

  it('stand at the nodes that took part, where the table has them', () => {
    const axes = [axis(HONEST, 4, 8)];
    const cells = gridOf(axes, ([honest]) => ({
      ...{ ...measured(1), messagesMean: 9 },
      nodesMean: honest === 8 ? 10.5 : null,
    }));

    const [panel] = lineChart(inputOf(axes, cells), 'messages').panels;

    expect(panel?.series[0]?.marks.map(({ x }) => x)).toEqual([4, 10.5]);
  });
});

describe('detection delay', () => {
  it('has single runs behind the means, and mistakes in a panel of their own', () => {
    const { x, panels } = lineChart(detectionSweep(), 'detection-delay');

    expect(x.label).toBe('network.election.detector.threshold');
    expect(panels.map(({ y }) => y.label)).toEqual([
      'detection delay (ticks)',
      'mistakes per run (mean)',
    ]);
    expect(panels[0]?.series[0]?.marks[0]).toMatchObject({ x: 1, y: 18 });
    expect(panels[0]?.series[0]?.samples).toHaveLength(6 * 13);
  });

  it('has one panel if no mistakes were counted', () => {
    const input = detectionSweep();
    const cells = input.cells.map((cell) => ({ ...cell, mistakesMean: null }));

    expect(lineChart({ ...input, cells }, 'detection-delay').panels).toHaveLength(1);
  });
});

describe('frequency', () => {
  it('has a row for each name', () => {
    const { x, panels } = lineChart(namesSweep(), 'frequency');

    expect(x).toMatchObject({ names: ['fresh', 'siblings', 'endomorphism', 'stockpile'] });
    expect(panels[0]?.series.map(({ marks }) => marks.map((mark) => mark.x))).toEqual([
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ]);
  });

  it('has one row for a sweep without axes', () => {
    const { x, panels, title } = lineChart(
      inputOf(
        [],
        gridOf([], () => measured(0.3)),
      ),
      'frequency',
    );

    expect(x).toMatchObject({ names: ['all runs'] });
    expect(panels[0]?.series[0]?.marks).toMatchObject([{ x: 0, y: 0.3 }]);
    expect(title).toBe('P(adversary leads)');
  });
});

describe('a row of the table', () => {
  it('is a cell by the names of its columns, whatever their order', () => {
    const names = ['theory', 'n', 'k', 'p', 'ci_high', 'ci_low', 'messages_mean', 'verdict'];
    const columns = names.map((name) => ({ name }));
    const row = [0.25, 4, 1, 0.25, 0.7, 0.05, 12.5, 'unknown'];

    const cell = pictureCell({ index: 3, values: [8], refusal: null }, { columns, row }, [5]);

    expect(cell).toEqual(
      cellOf(3, [8], {
        ...{ n: 4, k: 1, p: 0.25, ciLow: 0.05, ciHigh: 0.7, theory: 0.25 },
        ...{ messagesMean: 12.5, detectionTicks: [5], verdict: 'unknown' },
      }),
    );
  });
});
