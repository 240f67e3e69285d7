/**
 * @module
 * The map of the frontier: a rectangle for each cell, coloured and labelled by its p, or hatched if it
 * has none, and the contours at ε above them.
 */

import { mean, pairs } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NumberAxis } from './axes.ts';
import { axisName } from './axes.ts';
import { figure } from './cells.ts';
import type { HeatCell, HeatChart, Point } from './data.ts';
import type { Body, LegendItem } from './frame.ts';
import { axisTitle, MARGIN, paint, stroke, WIDTH, withTooltip } from './frame.ts';
import { px, SMALL, text, textWidth } from './lettering.ts';
import { drawBottomAxis, drawLeftLabels, widestLabel } from './line-chart.ts';
import { HEAT_STOPS, heatColour, labelColour } from './palette.ts';
import type { Scale, Span } from './scale.ts';
import { continuousScale, valueLabel, withoutCollisions } from './scale.ts';
import type { Pixel } from './series-marks.ts';
import { pathThrough } from './series-marks.ts';

const TITLE_HEIGHT = 26;
const ROW_HEIGHT_MAX = 40;
const HEIGHT_MIN = 160;
const HEIGHT_MAX = 460;
const RAMP_WIDTH = 120;

/** A scale whose values lie in the middle of bands without gaps. */
interface Bands extends Scale {
  /** The edges of the band with this index. The first may be the greater. */
  edges(index: number): Edges;
}

type Edges = readonly [number, number];

/** Draws a map. */
export function drawHeatChart(chart: HeatChart): Body {
  const height = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, chart.ys.length * ROW_HEIGHT_MAX));
  const top = TITLE_HEIGHT;
  const bottom = top + height;
  const y = bandsOf(chart.y, chart.ys, { from: bottom, to: top, direction: 'up' });
  const left = MARGIN + 14 + widestLabel(y.ticks);
  const right = WIDTH - MARGIN;
  const x = bandsOf(chart.x, chart.xs, { from: left, to: right, direction: 'across' });
  const hatch = `${chart.name}-hatch`;
  const ramp = `${chart.name}-ramp`;
  const contours = chart.contours.map(({ source, lines }) => ({
    source,
    lines:
      source === 'measured'
        ? lines.map((line) => line.map((point): Pixel => [x.at(point.x), y.at(point.y)]))
        : lines.flatMap((line) => stepsOf(line, chart, { x, y })),
  }));
  const lines = contours.flatMap((contour) => contour.lines);
  const share = shareOf(chart.p);
  const cells = chart.cells.map((cell, index) => {
    const [left, right] = sorted(x.edges(index % chart.xs.length));
    const [top, bottom] = sorted(y.edges(Math.floor(index / chart.xs.length)));
    const box = { x: left, y: top, width: right - left, height: bottom - top };
    const fill = cell.p === null ? `url(#${hatch})` : heatColour(share(cell.p));
    return { rectangle: drawCell(cell, box, fill), labels: drawLabel(cell, { box, fill, lines }) };
  });
  const axis = drawBottomAxis(x, axisName(chart.x), { left, right, top: bottom });
  return {
    markup: [
      axisTitle(axisName(chart.y), top - 10),
      ...drawLeftLabels(y, left),
      ...cells.map(({ rectangle }) => rectangle),
      ...drawContours(
        contours.map(({ source, lines: each }) => ({ source, d: each.map(pathThrough).join('') })),
      ),
      ...cells.flatMap(({ labels }) => labels),
      ...axis.markup,
    ],
    height: axis.y,
    legend: legendOf(chart, hatch, ramp),
    definitions: [hatchPattern(hatch), rampGradient(ramp)],
  };
}

/** A line across the row of each finite point, and one along the edge to the next row. */
function stepsOf(
  points: readonly Point[],
  { xs, ys }: HeatChart,
  { x, y }: { readonly x: Bands; readonly y: Bands },
): Pixel[][] {
  const borders = [x.edges(0)[0], x.edges(xs.length - 1)[1]] as const;
  const atOf = ({ x: value }: Point) =>
    Number.isFinite(value) ? x.at(value) : borders[value < 0 ? 0 : 1];
  return points.map((point, each): Pixel[] => {
    const row = ys.indexOf(point.y);
    const [from, to] = y.edges(row);
    const across: Pixel[] = Number.isFinite(point.x) ? [[atOf(point), from]] : [];
    const next = points[each + 1];
    const end = next !== undefined && next.y === ys[row + 1] ? next : point;
    return [...across, [atOf(point), to], [atOf(end), to]];
  });
}

function drawCell({ tooltip }: HeatCell, box: Box, fill: string): string {
  const { x, y, width, height } = box;
  const rounded = { x: px(x), y: px(y), width: px(width), height: px(height) };
  const shape = element('rect', { ...rounded, 'shape-rendering': 'crispEdges', fill });
  return withTooltip(tooltip, {}, shape);
}

interface LabelSurroundings {
  readonly box: Box;
  readonly fill: string;
  readonly lines: readonly (readonly Pixel[])[];
}

/** p where no contour crosses it. Nothing if it does not fit; the tooltip has it. */
function drawLabel({ p }: HeatCell, { box, fill, lines }: LabelSurroundings): string[] {
  if (p === null) return [];
  for (const label of probabilityLabels(p)) {
    const size = { width: textWidth(label, SMALL) + 2, height: LABEL_HEIGHT };
    const spot = labelSpot(box, size, lines);
    if (spot === null) continue;
    const at = { x: spot.x + spot.width / 2, y: spot.y + spot.height - 3 };
    return [text(label, { ...at, 'text-anchor': 'middle', fill: labelColour(fill) }, SMALL)];
  }
  return [];
}

/** Height of a digit and a little room above and below it. */
const LABEL_HEIGHT = 14;

/** The share of a probability on the scale of colours. What is below the scale has the darkest colour. */
function shareOf(axis: NumberAxis): (p: number) => number {
  const scale = continuousScale(axis);
  return (p) => (p <= axis.domain[0] ? 0 : scale(p));
}

function sorted([one, other]: Edges): Edges {
  return one < other ? [one, other] : [other, one];
}

/** p in few characters, the preferred form first. Only a p without any win is 0, and only one without any loss is 1. */
function probabilityLabels(p: number): readonly string[] {
  if (p === 0 || p === 1) return [String(p)];
  if (p < 0.001) return [valueLabel(Number(p.toPrecision(2))), '<.001'];
  if (p >= 0.995) return ['>.99'];
  return [p < 0.1 ? figure(Number(p.toFixed(3))).slice(1) : p.toFixed(2).replace(/^0/, '')];
}

interface Contour {
  readonly d: string;
  readonly source: 'measured' | 'closed form';
}

/**
 * Lines on a white halo, readable on every colour of the map. The measured line is solid black, below
 * the dashed red one of the closed form, so that both are visible where they agree.
 */
function drawContours(contours: readonly Contour[]): string[] {
  const line = { fill: 'none', 'stroke-linejoin': 'round' };
  const halo = { ...line, stroke: '#ffffff', 'stroke-width': 5 };
  return [
    ...contours.map(({ d }) => element('path', { ...halo, d })),
    ...contours.map(({ d, source }) => {
      const look =
        source === 'measured'
          ? { stroke: '#000000' }
          : { stroke: '#d55e00', 'stroke-dasharray': '5 4' };
      return element('path', { ...line, ...look, 'stroke-width': 2.2, d });
    }),
  ];
}

function legendOf({ contours, cells, p }: HeatChart, hatch: string, ramp: string) {
  const box = { y: -7, height: 14 };
  const [low, high] = p.domain.map((end) => valueLabel(end));
  const lowest = p.hasZero === true ? `≤ ${low}` : `${low}`;
  const start = textWidth(lowest, SMALL) + 6;
  const end = start + RAMP_WIDTH + 6;
  const bar = element('rect', { ...box, x: px(start), width: RAMP_WIDTH, fill: `url(#${ramp})` });
  const ends = [
    text(lowest, { x: 0, y: 4, ...paint('soft') }, SMALL),
    text(`${high}`, { x: end, y: 4, ...paint('soft') }, SMALL),
  ];
  const symbolWidth = end + textWidth(`${high}`, SMALL) + 4;
  const items: LegendItem[] = [
    { symbol: [bar, ...ends].join(''), symbolWidth, label: axisName(p) },
  ];
  const empty = cells.filter((cell) => cell.p === null);
  if (empty.length > 0) {
    const hatched = element('rect', { ...box, x: 0, width: 22, fill: `url(#${hatch})` });
    const border = element('rect', { ...box, x: 0, width: 22, ...stroke('soft') });
    items.push({ symbol: hatched + border, symbolWidth: 22, label: emptyLabel(empty) });
  }
  for (const { label, source } of contours) {
    const symbol = drawContours([{ d: 'M0 0H28', source }]).join('');
    items.push({ symbol, symbolWidth: 28, label });
  }
  return items;
}

function emptyLabel(empty: readonly HeatCell[]): string {
  if (empty.every(({ isRefused }) => isRefused)) return 'refused by the document';
  return empty.some(({ isRefused }) => isRefused) ? 'refused, or no outcome' : 'no outcome';
}

function hatchPattern(id: string): string {
  const tile = { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse' };
  return group('pattern', { ...tile, patternTransform: 'rotate(45)' }, [
    element('rect', { ...paint('paper'), width: 7, height: 7 }),
    element('path', { ...stroke('soft'), d: 'M0 0V7' }),
  ]);
}

function rampGradient(id: string): string {
  const stops = HEAT_STOPS.map((colour, index) =>
    element('stop', { offset: index / (HEAT_STOPS.length - 1), 'stop-color': colour }),
  );
  return element('linearGradient', { id }, ...stops);
}

/** Bands whose edges are halfway between neighbours on the axis's scale. */
function bandsOf(axis: NumberAxis, values: readonly number[], span: Span): Bands {
  const unit = continuousScale(axis);
  const shares = values.map((value) => unit(value));
  const inner = pairs(shares, (low, high) => mean([low, high]) ?? low);
  // The outer bands are as wide outwards as inwards.
  const first = 2 * (shares[0] ?? 0) - (inner[0] ?? 0);
  const last = 2 * (shares.at(-1) ?? 1) - (inner.at(-1) ?? 1);
  const edges = [first, ...inner, last];
  const toPixel = scaleLinear().domain([first, last]).range([span.from, span.to]);
  const at = (value: number) => toPixel(unit(value));
  const ticks = values.map((value) => ({ at: at(value), label: valueLabel(value) }));
  return {
    at,
    edges: (index) => [toPixel(edges[index] ?? first), toPixel(edges[index + 1] ?? last)],
    ticks: withoutCollisions(ticks, span.direction),
    breakAt: null,
  };
}

/** A rectangle. */
interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Least distance between a label and a line, or the edge of its box, in pixels. */
const CLEARANCE = 3;

/**
 * The position of a label: the middle of the box, or if a line crosses it there, its sides and corners. Null
 * if the label fits nowhere.
 */
export function labelSpot(
  box: Box,
  size: Pick<Box, 'width' | 'height'>,
  lines: readonly (readonly Pixel[])[],
): Box | null {
  const [roomX, roomY] = [box.width - size.width, box.height - size.height];
  if (roomX < 0 || roomY < 0) return null;
  const inset = (room: number) => Math.min(CLEARANCE, room / 2);
  const along = (room: number) => [room / 2, inset(room), room - inset(room)];
  const spots = along(roomY).flatMap((dy) =>
    along(roomX).map((dx) => ({ ...size, x: box.x + dx, y: box.y + dy })),
  );
  return spots.find((spot) => !lines.some((line) => isCrossed(spot, line))) ?? null;
}

/** Whether a line comes nearer to the box than the clearance. */
export function isCrossed({ x, y, width, height }: Box, line: readonly Pixel[]): boolean {
  const low = [x - CLEARANCE, y - CLEARANCE] as const;
  const high = [x + width + CLEARANCE, y + height + CLEARANCE] as const;
  return line.some((to, index) => {
    const from = line[index - 1];
    return from !== undefined && crosses([from, to], low, high);
  });
}

/** Whether a segment has a point inside of the rectangle (Liang and Barsky, 1984). */
function crosses(
  [from, to]: readonly [Pixel, Pixel],
  low: Readonly<Pixel>,
  high: Readonly<Pixel>,
): boolean {
  let [first, last] = [0, 1];
  for (const side of [0, 1] as const) {
    const step = to[side] - from[side];
    const [near, far] = [low[side] - from[side], high[side] - from[side]];
    if (step === 0) {
      if (near > 0 || far < 0) return false;
      continue;
    }
    const shares = [near / step, far / step];
    first = Math.max(first, Math.min(...shares));
    last = Math.min(last, Math.max(...shares));
  }
  return first <= last;
}
