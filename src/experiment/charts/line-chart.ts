/**
 * @module
 * Charts with an x axis of numbers: panels one above the other over a common x axis.
 */

import { max, sort } from 'd3-array';

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NumberAxis } from './axes.ts';
import { axisName } from './axes.ts';
import type { LineChart, Panel, Point } from './data.ts';
import type { Body } from './frame.ts';
import { axisTitle, MARGIN, paint, stroke, WIDTH } from './frame.ts';
import { PLAIN, px, SMALL, text, textWidth, wrapped } from './lettering.ts';
import type { Scale, Tick } from './scale.ts';
import { scaleOf } from './scale.ts';
import type { Pixel } from './series-marks.ts';
import { drawSeries, pathThrough, seriesLegend } from './series-marks.ts';

/** Height for the title of a y axis, and for the lowest tick label of the panel above. */
const TITLE_HEIGHT = 26;
const PANEL_GAP = 12;
/** Width over which the series at one x are spread: enough to distinguish them, too little to mislead. */
const SHIFTS_WIDTH = 9;
const TICK_LENGTH = 5;
/** Distance between the axes and the first and last value, so that marks are whole. */
const INSET = 14;
const END_LABEL_HEIGHT = 14;

/** The lines of levels and references. */
export const LEVEL_LINE = { ...stroke('soft', 1.2), 'stroke-dasharray': '2 3' };

interface Area {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly x: Scale;
  readonly y: Scale;
}

/** Draws a chart whose x axis has numbers. */
export function drawLineChart(chart: LineChart, xAxis: NumberAxis): Body {
  const height = chart.panels.length > 1 ? 220 : 340;
  const panels = chart.panels.map((panel) => {
    const from = height - (panel.y.isLogarithmic ? INSET : 0);
    return { panel, y: scaleOf(panel.y, { from, to: INSET / 2, direction: 'up' }) };
  });
  const left = MARGIN + 14 + widestLabel(panels.flatMap(({ y }) => y.ticks));
  const ends = chart.panels.flatMap(({ levels, references }) => [...levels, ...references]);
  const right = WIDTH - MARGIN - (ends.length === 0 ? 0 : widestLabel(ends) + 8);
  const x = scaleOf(xAxis, { from: left + INSET, to: right - INSET, direction: 'across' });
  const markup: string[] = [];
  let top = 0;
  for (const { panel, y } of panels) {
    top += TITLE_HEIGHT + (top === 0 ? 0 : PANEL_GAP);
    const drawn = drawPanel(panel, { left, right, height, x, y });
    markup.push(group('g', { transform: `translate(0 ${top})` }, drawn));
    top += height;
  }
  const bottom = drawBottomAxis(x, axisName(xAxis), { left, right, top });
  return {
    markup: [...markup, ...bottom.markup],
    height: bottom.y,
    legend: seriesLegend(chart, false),
    definitions: [],
  };
}

function drawPanel(panel: Panel, area: Area): string[] {
  const { left, right, height, x, y } = area;
  const isTall = panel.series.some(
    ({ marks, samples }) => samples.length > 0 || marks.some(({ interval }) => interval !== null),
  );
  const middle = (panel.series.length - 1) / 2;
  const shift = isTall ? Math.min(4, SHIFTS_WIDTH / Math.max(1, 2 * middle)) : 0;
  const grid = [
    ...labelled(x).map(({ at }) => `M${px(at)} 0V${height}`),
    ...labelled(y).map(({ at }) => `M${px(left)} ${px(at)}H${px(right)}`),
  ].join('');
  return [
    axisTitle(axisName(panel.y), -10),
    element('path', { ...stroke('grid'), d: grid }),
    ...drawLeftLabels(y, left),
    element('path', { ...stroke('ink'), d: `M${px(left)} 0V${height}H${px(right)}` }),
    ...(y.breakAt === null ? [] : [drawBreak(left, y.breakAt, 'up')]),
    ...drawReferences(panel, area),
    ...panel.series.flatMap((series, index) =>
      drawSeries(series, index, {
        at: pixelIn(area),
        shift: [(index - middle) * shift, 0],
        isRows: false,
        hasZero: panel.y.hasZero === true,
      }),
    ),
  ];
}

/** Levels and reference curves with their labels at the right end. */
function drawReferences({ levels, references }: Panel, area: Area): string[] {
  const { left, right, height, y } = area;
  const at = pixelIn(area);
  const lines = [
    ...levels.map(({ label, value }) => {
      const pixels: Pixel[] = [left, right].map((x) => [x, y.at(value)]);
      return { label, pixels, hasPoints: false };
    }),
    ...references.map(({ label, points, hasPoints = false }) => {
      return { label, pixels: points.map(at), hasPoints };
    }),
  ];
  const labels = lines.map(({ label, pixels }) => ({ label, at: pixels.at(-1)?.[1] ?? 0 }));
  return [
    ...lines.map(({ pixels, hasPoints }) => {
      const dots = pixels.map(([x, y]) => `M${px(x - 2)} ${px(y)}h4`).join('');
      return element(
        'path',
        hasPoints ? { ...stroke('soft', 3), d: dots } : { ...LEVEL_LINE, d: pathThrough(pixels) },
      );
    }),
    ...separated(labels, height).map(({ label, at }) =>
      text(label, { x: right + 6, y: at + 4, ...paint('soft') }, SMALL),
    ),
  ];
}

function pixelIn({ x, y }: Area): (point: Point) => Pixel {
  return (point) => [x.at(point.x), y.at(point.y)];
}

/** Labels moved up from the lowest one on, so that none touches another. */
function separated<T extends { readonly at: number }>(labels: readonly T[], height: number): T[] {
  let free = height;
  const moved = sort(labels, (one, other) => other.at - one.at).map((label) => {
    const at = Math.min(label.at, free);
    free = at - END_LABEL_HEIGHT;
    return { ...label, at };
  });
  const above = Math.max(0, ...moved.map(({ at }) => -at));
  return moved.map((label) => ({ ...label, at: label.at + above }));
}

/** Two strokes through an axis: the part between 0 and the least value is left out. */
export function drawBreak(x: number, y: number, direction: 'up' | 'across'): string {
  const strokes =
    direction === 'up'
      ? [-3, 3].map((offset) => `M${px(x - 5)} ${px(y + offset + 2)}l10-4`)
      : [-3, 3].map((offset) => `M${px(x + offset - 2)} ${px(y + 5)}l4-10`);
  return element('path', { ...stroke('ink', 1.2), d: strokes.join('') });
}

/** The tick labels of a y axis. */
export function drawLeftLabels(scale: Scale, left: number): string[] {
  return labelled(scale).map(({ at, label }) =>
    text(label, { x: left - 8, y: at + 4, 'text-anchor': 'end', ...paint('soft') }, SMALL),
  );
}

function labelled({ ticks }: Scale): Tick[] {
  return ticks.filter(({ label }) => label !== '');
}

/** The ticks and the label of an x axis. */
export function drawBottomAxis(
  scale: Scale,
  label: string,
  { left, right, top }: { readonly left: number; readonly right: number; readonly top: number },
): { readonly markup: readonly string[]; readonly y: number } {
  const marks = scale.ticks.map(({ at }) => `M${px(at)} ${px(top)}v${TICK_LENGTH}`).join('');
  const centred = (content: string, x: number, y: number, colour: string, font = PLAIN) =>
    text(content, { x, y, 'text-anchor': 'middle', ...paint(colour) }, font);
  const lines = wrapped(label, right - left, PLAIN);
  return {
    markup: [
      element('path', { ...stroke('ink'), d: marks }),
      ...labelled(scale).map((tick) => centred(tick.label, tick.at, top + 18, 'soft', SMALL)),
      ...lines.map((each, index) =>
        centred(each, (left + right) / 2, top + 38 + 16 * index, 'ink'),
      ),
    ],
    y: top + 38 + 16 * lines.length,
  };
}

/** The width of the widest label. */
export function widestLabel(labels: readonly { readonly label: string }[]): number {
  return max(labels, ({ label }) => textWidth(label, SMALL)) ?? 0;
}
