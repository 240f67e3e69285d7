/**
 * @module
 * The map of the frontier and the colours: labels that no line crosses, and contrasts that can be read.
 */

import { describe, expect, it } from 'vitest';

import { drawSweep } from '../../../src/experiment/charts/draw-sweep.ts';
import { frontierCharts } from '../../../src/experiment/charts/frontier.ts';
import { drawHeatChart, isCrossed, labelSpot } from '../../../src/experiment/charts/heat-chart.ts';
import { SMALL, textWidth } from '../../../src/experiment/charts/lettering.ts';
import {
  DARK,
  heatColour,
  LIGHT,
  labelColour,
  luminance,
} from '../../../src/experiment/charts/palette.ts';
import { frontierSweep } from './picture-inputs.ts';

describe('a map', () => {
  it('has no label that a contour crosses', () => {
    const [chart] = frontierCharts(frontierSweep());
    if (chart === undefined) throw new TypeError('expected a map');
    const { markup } = drawHeatChart(chart);

    const lines = markup
      .filter((each) => each.startsWith('<path fill="none" stroke-linejoin'))
      .flatMap((each) => each.match(/M[^M"]*/g) ?? [])
      .map((d) =>
        d
          .slice(1)
          .split('L')
          .map((pair) => pair.split(',').map(Number)),
      )
      .map((points) => points.map(([x = 0, y = 0]): [number, number] => [x, y]));
    const labels = markup.flatMap((each) => {
      const [, x, y, words] =
        /^<text x="([\d.]+)" y="([\d.]+)"[^>]*fill="#[^>]*>([^<]*)</.exec(each) ?? [];
      if (words === undefined) return [];
      const width = textWidth(words, SMALL);
      return [{ x: Number(x) - width / 2, y: Number(y) - 9, width, height: 11 }];
    });

    expect(lines.length).toBeGreaterThan(1);
    expect(labels.length).toBeGreaterThan(90);
    for (const label of labels) {
      expect(lines.filter((line) => isCrossed(label, line))).toEqual([]);
    }
  });

  it('has the closed form as lines along and across its rows, none of which is aslant', () => {
    const [chart] = frontierCharts(frontierSweep());
    if (chart === undefined) throw new TypeError('expected a map');
    const { markup } = drawHeatChart(chart);

    const dashed = markup.find((each) => each.includes('stroke-dasharray="5 4"')) ?? '';
    const lines = (/ d="([^"]*)"/.exec(dashed)?.[1] ?? '').split('M').slice(1);
    // The refused cell leaves out one row, which divides the steps.
    expect(lines.length).toBeGreaterThan(8);
    for (const line of lines) {
      const points = line.split('L').map((pair) => pair.split(',').map(Number));
      for (const [index, [x, y]] of points.entries()) {
        const [beforeX, beforeY] = points[index - 1] ?? [x, y];
        expect(beforeX === x || beforeY === y).toBe(true);
      }
    }
  });

  it('moves a label aside, and leaves it out where no position is free', () => {
    const box = { x: 0, y: 0, width: 100, height: 40 };
    const size = { width: 30, height: 14 };
    const across = (y: number): [number, number][] => [
      [-10, y],
      [110, y],
    ];

    expect(labelSpot(box, size, [])).toMatchObject({ x: 35, y: 13 });
    expect(labelSpot(box, size, [across(20)])).toBeNull();
    expect(labelSpot(box, size, [across(8)])).toMatchObject({ x: 35, y: 13 });
    expect(labelSpot(box, size, [across(14)])).toMatchObject({ x: 35, y: 23 });
    expect(labelSpot({ ...box, width: 29 }, size, [])).toBeNull();
  });

  it('has labels that are readable on every colour', () => {
    for (let share = 0; share <= 1; share += 0.01) {
      const background = heatColour(share);
      const [dark, light] = [luminance(background), luminance(labelColour(background))].sort(
        (one, other) => one - other,
      );
      expect(((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05)).toBeGreaterThan(4.5);
    }
  });

  it('has a logarithmic scale of colours if probabilities span decades', () => {
    const svg = drawSweep(frontierSweep())[0]?.svg ?? '';

    expect(svg).toContain('>≤ 0.001</text>');
  });
});

describe('the colours of text and series', () => {
  it('stand out from the paper', () => {
    for (const [paper, rules] of [LIGHT, DARK].map(
      ({ paper, ...rest }) => [paper, rest] as const,
    )) {
      const contrast = (colour: string) => {
        const [dark = 0, light = 0] = [luminance(paper), luminance(colour)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
      };
      for (const text of [rules.ink, rules.soft]) expect(contrast(text)).toBeGreaterThan(4.5);
      for (const series of rules.series) expect(contrast(series)).toBeGreaterThan(3);
    }
  });
});
