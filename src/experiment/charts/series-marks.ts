/**
 * @module
 * A series on any pair of axes. From back to front: single runs, the closed form, the line between the
 * marks, and the marks with their intervals.
 */

import { min, pairs } from 'd3-array';
import { line } from 'd3-shape';

import type { Attributes } from '../../simulation/report/space-time/svg-elements.ts';
import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { LineChart, Point, Series } from './data.ts';
import type { LegendItem } from './frame.ts';
import { paint, stroke, withTooltip } from './frame.ts';
import { px } from './lettering.ts';
import { seriesLook } from './palette.ts';

/** A position in a picture. */
export type Pixel = [x: number, y: number];

/** Where a series is drawn. */
export interface Plot {
  at(point: Point): Pixel;
  /** Offset of the series, so that the intervals of different series do not cover each other. */
  readonly shift: Readonly<Pixel>;
  /** Whether x selects a row and y goes across. */
  readonly isRows: boolean;
  /** Whether y is 0 at the edge of a logarithmic axis. Marks there are hollow. */
  readonly hasZero: boolean;
}

const DASHES = { 'stroke-dasharray': '6 4' };
const polyline = line().digits(2);

/** The elements of a series. */
export function drawSeries(series: Series, index: number, plot: Plot): string[] {
  const look = seriesLook(index);
  const shifted = (point: Point): Pixel => {
    const [x, y] = plot.at(point);
    return [x + plot.shift[0], y + plot.shift[1]];
  };
  const samples = series.samples.map((sample) => {
    const [cx, cy] = shifted(sample);
    return element('circle', { cx: px(cx), cy: px(cy), r: 2.2 });
  });
  const joined = series.isJoined && series.marks.length > 1 ? [series.marks.map(shifted)] : [];
  if (series.line !== undefined) joined.push(series.line.map(shifted));
  return [
    ...(samples.length === 0
      ? []
      : [group('g', { ...paint(look.class), 'fill-opacity': 0.5 }, samples)]),
    ...drawCurve(series.curve.map(plot.isRows ? shifted : plot.at), look.class, {
      isRows: plot.isRows,
      hasPoints: series.hasPoints === true,
    }),
    ...joined.map((pixels) => element('path', { ...stroke(look.class), d: pathThrough(pixels) })),
    ...series.marks.map((mark) => {
      const ends = (mark.interval ?? []).map((end) => shifted({ x: mark.x, y: end }));
      const bar = ends.length === 0 ? [] : [intervalBar(ends)];
      const isHollow = plot.hasZero && mark.y === 0;
      const shape = shapeAt(shifted(mark), look, isHollow);
      return withTooltip(mark.tooltip, { class: look.class }, ...bar, shape);
    }),
    // A row has the word instead, once for all series.
    ...(plot.isRows ? [] : series.refused).map(({ x, tooltip }) =>
      withTooltip(tooltip, { class: look.class }, crossAt(shifted({ x, y: 0 }))),
    ),
  ];
}

/** A line through the pixels. */
export function pathThrough(pixels: readonly Pixel[]): string {
  return polyline(pixels) ?? '';
}

/** The legend of a chart's series. */
export function seriesLegend({ panels, legend }: LineChart, isRows: boolean): LegendItem[] {
  const series = panels[0]?.series ?? [];
  const hasSamples = panels.some((panel) => panel.series.some(({ samples }) => samples.length > 0));
  const hasBars = series.some(({ marks }) => marks.some(({ interval }) => interval !== null));
  const markLabel = hasSamples ? 'mean' : legend.mark;
  const items = series.map(({ label }, index) => {
    const look = seriesLook(index);
    const symbol = element('g', { class: look.class }, shapeAt([6, 0], look, false));
    return { symbol, symbolWidth: 12, label: label === '' ? markLabel : label };
  });
  // The other symbols have the colour of the series if there is only one.
  const colour = series.some(({ label }) => label !== '') ? 'ink' : seriesLook(0).class;
  const item = (label: string, symbolWidth: number, attributes: Attributes, shape: string) => ({
    symbol: element('g', attributes, shape),
    symbolWidth,
    label,
  });
  if (hasBars && legend.bar !== null) {
    const bar = intervalBar([
      [6, -7],
      [6, 7],
    ]);
    items.push(item(legend.bar, 12, { class: colour }, bar));
  }
  const hasHollow = panels.some(
    (panel) =>
      panel.y.hasZero === true && series.some(({ marks }) => marks.some(({ y }) => y === 0)),
  );
  if (hasHollow) {
    const hollow = shapeAt([6, 0], seriesLook(0), true);
    items.push(item(legend.zero ?? '0: in no run', 12, { class: colour }, hollow));
  }
  if (!isRows && series.some(({ refused }) => refused.length > 0)) {
    items.push(item('refused by the document', 12, { class: colour }, crossAt([6, 0])));
  }
  if (series.some(({ curve }) => curve.length > 0)) {
    const isLine = !isRows && series.some(({ hasPoints }) => hasPoints !== true);
    const look = isLine ? { d: 'M0 0H26', ...DASHES } : { d: isRows ? 'M6-5V5' : 'M0 0H14' };
    const width = isLine ? 26 : 14;
    items.push(
      item(legend.curve ?? 'closed form', width, stroke(colour, 1.6), element('path', look)),
    );
  }
  if (hasSamples) {
    const dot = element('circle', { cx: 6, cy: 0, r: 2.2, 'fill-opacity': 0.5 });
    items.push(item('one run (large marks: means)', 12, paint(colour), dot));
  }
  return items;
}

/** A mark. The hollow one does not hide what is behind it. */
function shapeAt(
  [x, y]: Pixel,
  { shape }: ReturnType<typeof seriesLook>,
  isHollow: boolean,
): string {
  return element('path', {
    d: shape,
    fill: isHollow ? 'none' : 'currentColor',
    stroke: 'currentColor',
    'stroke-width': 1.4,
    transform: `translate(${px(x)} ${px(y)})`,
  });
}

/** A cross, larger and thinner than those among the marks. */
function crossAt([x, y]: Pixel): string {
  const d = `M${px(x - 4)} ${px(y - 4)}l8 8m0-8l-8 8`;
  return element('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.2 });
}

/** Length of the line at a point of a closed form. */
const POINT_LENGTHS = { atLeast: 4, atMost: 14 } as const;

function drawCurve(
  pixels: readonly Pixel[],
  colour: string,
  { isRows, hasPoints }: { readonly isRows: boolean; readonly hasPoints: boolean },
): string[] {
  if (pixels.length === 0) return [];
  const attributes = stroke(colour, 1.6);
  // Rows are not joined, and one point makes no line.
  if (!isRows && !hasPoints && pixels.length > 1) {
    return [element('path', { ...attributes, d: pathThrough(pixels), ...DASHES })];
  }
  const gap = min(pairs(pixels), ([[from], [to]]) => Math.abs(to - from)) ?? Infinity;
  const { atLeast, atMost } = POINT_LENGTHS;
  const length = Math.max(atLeast, Math.min(atMost, 0.6 * gap));
  const points = pixels.map(([x, y]) =>
    isRows ? `M${px(x)} ${px(y - 5)}v10` : `M${px(x - length / 2)} ${px(y)}h${px(length)}`,
  );
  return [element('path', { ...attributes, d: points.join('') })];
}

/** An interval between two ends, each with a short line across. */
function intervalBar(ends: readonly Pixel[]): string {
  const [from = [0, 0], to = [0, 0]] = ends;
  const isUpright = from[0] === to[0];
  const caps = ends.map(([x, y]) =>
    isUpright ? `M${px(x - 3)} ${px(y)}h6` : `M${px(x)} ${px(y - 3)}v6`,
  );
  const d = `${pathThrough([from, to])}${caps.join('')}`;
  return element('path', { d, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.3 });
}
