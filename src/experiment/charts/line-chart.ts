/**
 * @module
 * Charts along an axis of numbers: panels one above the other over a common x axis.
 */

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NumberAxis } from './axes.ts';
import type { LineChart, Panel } from './data.ts';
import type { Body } from './frame.ts';
import { MARGIN, paint, stroke, WIDTH } from './frame.ts';
import { cut, PLAIN, px, SMALL, text, textWidth, wrapped } from './lettering.ts';
import type { Scale } from './scale.ts';
import { scaleOf } from './scale.ts';
import { drawSeries, pathThrough, seriesLegend } from './series-marks.ts';

/** Room for a panel's own y label, and for the lowest label of a panel above it. */
const LABEL_HEIGHT = 26;
const PANEL_GAP = 12;
/** From the first to the last series at one place of x: enough to see, too little to mislead. */
const SHIFTS_WIDTH = 9;
const TICK = 5;
/** Between the frame and the first and last value, so that marks are whole. */
const INSET = 14;
const END_LABEL_HEIGHT = 14;

/** The chart; its x axis is one of numbers. */
export function drawLineChart(chart: LineChart, x: NumberAxis): Body {
  const height = chart.panels.length > 1 ? 220 : 340;
  const yScales = chart.panels.map(({ y }) =>
    scaleOf(y, { from: height - (y.isLogarithmic ? INSET : 0), to: INSET / 2, direction: 'up' }),
  );
  const left = MARGIN + 14 + widestLabel(yScales);
  const right = WIDTH - MARGIN - endLabelsWidth(chart.panels);
  const xScale = scaleOf(x, { from: left + INSET, to: right - INSET, direction: 'across' });
  const markup: string[] = [];
  let top = 0;
  for (const [index, panel] of chart.panels.entries()) {
    const yScale = yScales[index];
    if (yScale === undefined) continue;
    top += LABEL_HEIGHT + (index === 0 ? 0 : PANEL_GAP);
    const drawn = drawPanel(panel, { left, right, height, xScale, yScale });
    markup.push(group('g', { transform: `translate(0 ${top})` }, drawn));
    top += height;
  }
  const bottom = drawBottom(xScale, x.label, { left, right, top });
  const series = chart.panels.flatMap((panel) => panel.series);
  const first = chart.panels[0]?.series ?? [];
  const samples = series.some((one) => one.samples.length > 0);
  return {
    markup: [...markup, ...bottom.markup],
    height: bottom.y,
    legend: seriesLegend(
      first,
      { ...chart.legend, mark: samples ? 'mean' : chart.legend.mark },
      false,
    ),
    definitions: [],
  };
}

interface Area {
  readonly left: number;
  readonly right: number;
  readonly height: number;
  readonly xScale: Scale;
  readonly yScale: Scale;
}

function drawPanel(panel: Panel, area: Area): string[] {
  const { left, right, height, xScale, yScale } = area;
  const hasBars = panel.series.some(({ marks }) => marks.some(({ interval }) => interval !== null));
  const middle = (panel.series.length - 1) / 2;
  const shift = hasBars ? Math.min(4, SHIFTS_WIDTH / Math.max(1, 2 * middle)) : 0;
  const place = ({ x, y }: { readonly x: number; readonly y: number }) =>
    [xScale.place(x), yScale.place(y)] as const;
  const grid = [
    ...xScale.ticks.map(({ at }) => `M${px(at)} 0V${height}`),
    ...yScale.ticks.map(({ at }) => `M${px(left)} ${px(at)}H${px(right)}`),
  ].join('');
  return [
    text(cut(panel.y.label, WIDTH - 2 * MARGIN, PLAIN), { x: MARGIN, y: -10, ...paint('ink') }),
    element('path', { ...stroke('grid'), d: grid }),
    ...yScale.ticks.map(({ at, label }) =>
      text(label, { x: left - 8, y: at + 4, 'text-anchor': 'end', ...paint('soft') }, SMALL),
    ),
    element('path', { ...stroke('ink'), d: `M${px(left)} 0V${height}H${px(right)}` }),
    ...drawAcross(panel, area),
    ...panel.series.flatMap((series, index) =>
      drawSeries(series, index, {
        place,
        shift: [(index - middle) * shift, 0],
        isRows: false,
      }),
    ),
  ];
}

/** Levels and reference curves, and their labels at the right. */
function drawAcross({ levels, references }: Panel, area: Area): string[] {
  const { left, right, height, xScale, yScale } = area;
  const ends = [
    ...levels.map(({ label, value }) => ({ label, at: yScale.place(value) })),
    ...references.map(({ label, spots }) => ({ label, at: yScale.place(spots.at(-1)?.y ?? 0) })),
  ];
  const lines = [
    ...levels.map(({ value }) => `M${px(left)} ${px(yScale.place(value))}H${px(right)}`),
    ...references.map(({ spots }) =>
      pathThrough(spots.map(({ x, y }) => [xScale.place(x), yScale.place(y)])),
    ),
  ];
  return [
    ...lines.map((d) => element('path', { ...stroke('soft', 1.2), d, 'stroke-dasharray': '2 3' })),
    ...apart(ends, height).map(({ label, at }) =>
      text(label, { x: right + 6, y: at + 4, ...paint('soft') }, SMALL),
    ),
  ];
}

/** Labels moved as little as keeps them from each other, from the lowest one up. */
function apart<T extends { readonly at: number }>(labels: readonly T[], height: number): T[] {
  let free = height;
  const placed = [...labels]
    .sort((one, other) => other.at - one.at)
    .map((label) => {
      const at = Math.min(label.at, free);
      free = at - END_LABEL_HEIGHT;
      return { ...label, at };
    });
  const above = Math.max(0, ...placed.map(({ at }) => -at));
  return placed.map((label) => ({ ...label, at: label.at + above }));
}

/** Ticks and label below a chart. */
export function drawBottom(
  scale: Scale,
  label: string,
  { left, right, top }: { readonly left: number; readonly right: number; readonly top: number },
): { readonly markup: readonly string[]; readonly y: number } {
  const marks = scale.ticks.map(({ at }) => `M${px(at)} ${top}v${TICK}`).join('');
  const lines = wrapped(label, right - left, PLAIN);
  return {
    markup: [
      element('path', { ...stroke('ink'), d: marks }),
      ...scale.ticks
        .filter((tick) => tick.label !== '')
        .map((tick) =>
          text(
            tick.label,
            { x: tick.at, y: top + 18, 'text-anchor': 'middle', ...paint('soft') },
            SMALL,
          ),
        ),
      ...lines.map((line, index) => {
        const y = top + 38 + 16 * index;
        return text(line, { x: (left + right) / 2, y, 'text-anchor': 'middle', ...paint('ink') });
      }),
    ],
    y: top + 38 + 16 * lines.length,
  };
}

/** Of the labels of ticks. */
export function widestLabel(scales: readonly Scale[]): number {
  const widths = scales.flatMap(({ ticks }) => ticks.map(({ label }) => textWidth(label, SMALL)));
  return Math.max(0, ...widths);
}

function endLabelsWidth(panels: readonly Panel[]): number {
  const labels = panels.flatMap(({ levels, references }) => [...levels, ...references]);
  return Math.max(0, ...labels.map(({ label }) => textWidth(label, SMALL) + 8));
}
