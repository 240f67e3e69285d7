/**
 * @module
 * The axis of probabilities: linear or over decades, with 0 at the edge, and with all bounds.
 */

import { describe, expect, it } from 'vitest';
import { chartsOf } from '../../../src/experiment/charts/charts.ts';
import type { LineChart, PictureInput } from '../../../src/experiment/charts/data.ts';
import { C1, difficultySweep, gridOf, inputOf, measured } from './picture-inputs.ts';

function chartOf(input: PictureInput): LineChart {
  const chart = chartsOf(input).find(({ kind }) => kind === 'win-probability');
  if (chart?.type !== 'lines') throw new TypeError('expected a line chart');
  return chart;
}

describe('the axis of probabilities', () => {
  it.each([0.01, 0.99, 0.00001])('shows and labels the bound ε = %d', (epsilon) => {
    const input = difficultySweep({ epsilons: [epsilon] });

    const [panel] = chartOf(input).panels;

    expect(panel?.levels).toMatchObject([{ value: epsilon }]);
    expect(panel?.levels[0]?.label).toBe(`ε = ${epsilon}`);
    expect(panel?.y.domain[0]).toBeLessThanOrEqual(epsilon);
    expect(panel?.y.domain[1]).toBeGreaterThanOrEqual(epsilon);
  });

  it('has a line for each bound if an axis changes the bound', () => {
    const input = difficultySweep({ epsilons: [0.01, 0.1] });

    const [panel] = chartOf(input).panels;

    expect(panel?.levels.map(({ value }) => value)).toEqual([0.01, 0.1]);
  });

  it('is on a linear axis if probabilities differ by less than a decade', () => {
    const axes = [{ path: C1, values: [8, 9] }];
    const cells = gridOf(axes, ([c1]) => measured(c1 === 8 ? 0.5 : 0.1));

    const [panel] = chartOf(inputOf(axes, cells, { epsilons: [0.05] })).panels;

    expect(panel?.y).toMatchObject({ isLogarithmic: false, domain: [0, 0.6] });
  });

  it('is on a logarithmic axis if probabilities span decades, with 0 at the edge', () => {
    const axes = [{ path: C1, values: [8, 12, 20] }];
    const cells = gridOf(axes, ([c1]) => measured(c1 === 8 ? 0.9 : c1 === 12 ? 0.01 : 0));

    const [panel] = chartOf(inputOf(axes, cells)).panels;

    const low = panel?.y.domain[0] ?? 0;
    expect(panel?.y).toMatchObject({ isLogarithmic: true, hasZero: true });
    expect(low).toBeGreaterThan(0);
    for (const { y, interval } of panel?.series[0]?.marks ?? []) {
      for (const value of [y, ...(interval ?? [])]) {
        if (value > 0) expect(value).toBeGreaterThanOrEqual(low);
        expect(value).toBeLessThanOrEqual(panel?.y.domain[1] ?? 0);
      }
    }
  });

  it('cuts a closed form that is far below all that was measured', () => {
    const theoryAt: PictureInput['theoryAt'] = ([c1]) => 10 ** (7 - Number(c1));

    const [panel] = chartOf(difficultySweep({ theoryAt, epsilons: [0.5] })).panels;

    const heights = panel?.series[0]?.curve.map(({ y }) => y) ?? [];
    expect(Math.min(...heights)).toBeCloseTo(panel?.y.domain[0] ?? 0, 12);
  });
});
