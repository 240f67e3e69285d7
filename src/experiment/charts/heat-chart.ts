/**
 * @module
 * The map of the frontier: a rectangle for each cell, coloured and inscribed by its p, hatched where
 * there is none, with the contours at ε over them.
 */

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NumberAxis } from './axes.ts';
import type { HeatCell, HeatChart, Spot } from './data.ts';
import type { Body, LegendItem } from './frame.ts';
import { MARGIN, paint, stroke, told, WIDTH } from './frame.ts';
import { cut, PLAIN, px, SMALL, text, textWidth } from './lettering.ts';
import { drawBottom, widestLabel } from './line-chart.ts';
import { heatColour } from './palette.ts';
import type { Scale, Stretch } from './scale.ts';
import { scaleOf, valueLabel, withoutCollisions } from './scale.ts';
import { pathThrough } from './series-marks.ts';
import { figure } from './words.ts';

const LABEL_HEIGHT = 26;
const ROW_HEIGHT_MAX = 40;
const HEIGHT_MIN = 160;
const HEIGHT_MAX = 460;
const RAMP_WIDTH = 120;
const RAMP_STEPS = 24;

/** A scale whose values are in the middle of bands that leave no gap. */
interface Bands extends Scale {
  /** The two edges of the band of the value with this index, in no set order. */
  edges(index: number): readonly [number, number];
}

export function drawHeatChart(chart: HeatChart): Body {
  const height = Math.min(HEIGHT_MAX, Math.max(HEIGHT_MIN, chart.ys.length * ROW_HEIGHT_MAX));
  const top = LABEL_HEIGHT;
  const bottom = top + height;
  const y = bandsOf(chart.y, chart.ys, { from: bottom, to: top, direction: 'up' });
  const left = MARGIN + 14 + widestLabel([y]);
  const right = WIDTH - MARGIN;
  const x = bandsOf(chart.x, chart.xs, { from: left, to: right, direction: 'across' });
  const hatch = `${chart.name}-hatch`;
  const rectangles = chart.cells.map((cell, index) =>
    drawCell(cell, hatch, {
      across: x.edges(index % chart.xs.length),
      up: y.edges(Math.floor(index / chart.xs.length)),
    }),
  );
  const place = (spot: Spot) => [x.place(spot.x), y.place(spot.y)] as const;
  const below = drawBottom(x, chart.x.label, { left, right, top: bottom });
  return {
    markup: [
      text(cut(chart.y.label, WIDTH - 2 * MARGIN, PLAIN), {
        x: MARGIN,
        y: top - 10,
        ...paint('ink'),
      }),
      ...y.ticks.map(({ at, label }) =>
        text(label, { x: left - 8, y: at + 4, 'text-anchor': 'end', ...paint('soft') }, SMALL),
      ),
      ...rectangles.map(({ shape }) => shape),
      ...drawContours(
        chart.contours.map(({ source, lines }) => ({
          d: lines.map((line) => pathThrough(line.map(place))).join(''),
          source,
        })),
      ),
      ...rectangles.flatMap(({ words }) => words),
      ...below.markup,
    ],
    height: below.y,
    legend: legendOf(chart, hatch),
    definitions: [hatchPattern(hatch)],
  };
}

function drawCell(
  { p, words }: HeatCell,
  hatch: string,
  {
    across,
    up,
  }: { readonly across: readonly [number, number]; readonly up: readonly [number, number] },
): { readonly shape: string; readonly words: readonly string[] } {
  const [x, y] = [Math.min(...across), Math.min(...up)];
  const [width, height] = [Math.abs(across[1] - across[0]), Math.abs(up[1] - up[0])];
  const colour = p === null ? null : heatColour(p);
  const box = { x: px(x), y: px(y), width: px(width), height: px(height) };
  const shape = told(
    words,
    {},
    element('rect', {
      ...box,
      'shape-rendering': 'crispEdges',
      fill: colour?.fill ?? `url(#${hatch})`,
    }),
  );
  if (p === null || colour === null) return { shape, words: [] };
  const label = shareLabel(p);
  if (height < 15 || width < textWidth(label, SMALL) + 4) return { shape, words: [] };
  const place = { x: x + width / 2, y: y + height / 2 + 4, 'text-anchor': 'middle' };
  // The halo keeps the number readable where a contour crosses it.
  const halo = { stroke: colour.fill, 'stroke-width': 3, 'paint-order': 'stroke' };
  return { shape, words: [text(label, { ...place, ...halo, fill: colour.ink }, SMALL)] };
}

/** p in the least characters that tell what matters; 0 is no win at all, 1 no loss. */
function shareLabel(p: number): string {
  if (p === 0 || p === 1) return String(p);
  if (p < 0.001) return '<.001';
  if (p >= 0.995) return '>.99';
  return p < 0.1 ? figure(Number(p.toFixed(3))).slice(1) : p.toFixed(2).replace(/^0/, '');
}

interface Contour {
  readonly d: string;
  readonly source: 'measured' | 'closed form';
}

/**
 * On white, readable on every colour of the map and on either paper; solid black for the measurement
 * below red dashes for the closed form, so that both are seen where they agree.
 */
function drawContours(contours: readonly Contour[]): string[] {
  const line = { fill: 'none', 'stroke-linejoin': 'round' };
  const halo = { ...line, stroke: '#ffffff', 'stroke-width': 5 };
  return [
    ...contours.map(({ d }) => element('path', { ...halo, d })),
    ...contours.map(({ d, source }) => {
      const isMeasured = source === 'measured';
      const look = isMeasured ? {} : { 'stroke-dasharray': '5 4' };
      const colour = isMeasured ? '#000000' : '#d55e00';
      return element('path', { ...line, ...look, stroke: colour, 'stroke-width': 2.2, d });
    }),
  ];
}

function legendOf({ contours, cells, pLabel }: HeatChart, hatch: string): LegendItem[] {
  const width = RAMP_WIDTH / RAMP_STEPS;
  const ramp = Array.from({ length: RAMP_STEPS }, (_, index) => {
    const { fill } = heatColour((index + 0.5) / RAMP_STEPS);
    // A little wider than its share, as neighbouring edges would let the paper through.
    return element('rect', {
      x: px(14 + index * width),
      y: -7,
      width: px(width + 0.5),
      height: 14,
      fill,
    });
  });
  const ends = [
    text('0', { x: 0, y: 4, ...paint('soft') }, SMALL),
    text('1', { x: RAMP_WIDTH + 20, y: 4, ...paint('soft') }, SMALL),
  ];
  const measured: LegendItem = {
    symbol: [...ramp, ...ends].join(''),
    symbolWidth: RAMP_WIDTH + 30,
    words: pLabel,
  };
  const box = { x: 0, y: -7, width: 22, height: 14 };
  const empty = [
    element('rect', { ...box, fill: `url(#${hatch})` }),
    element('rect', { ...box, ...stroke('soft') }),
  ].join('');
  return [
    measured,
    ...(cells.some(({ p }) => p === null)
      ? [{ symbol: empty, symbolWidth: 22, words: 'no data' }]
      : []),
    ...contours.map(({ label, source }) => {
      const symbol = drawContours([{ d: 'M0 0H28', source }]).join('');
      return { symbol, symbolWidth: 28, words: label };
    }),
  ];
}

function hatchPattern(id: string): string {
  const tile = { id, width: 7, height: 7, patternUnits: 'userSpaceOnUse' };
  return group('pattern', { ...tile, patternTransform: 'rotate(45)' }, [
    element('rect', { ...paint('paper'), width: 7, height: 7 }),
    element('path', { ...stroke('soft'), d: 'M0 0V7' }),
  ]);
}

/** Edges are half way between neighbours on the axis's own scale; the outer bands are as wide inwards. */
function bandsOf(axis: NumberAxis, values: readonly number[], stretch: Stretch): Bands {
  const unit = scaleOf(axis, { from: 0, to: 1, direction: stretch.direction });
  const shares = values.map((value) => unit.place(value));
  const inner = shares.slice(1).map((share, index) => (share + (shares[index] ?? 0)) / 2);
  const first = 2 * (shares[0] ?? 0) - (inner[0] ?? 0);
  const last = 2 * (shares.at(-1) ?? 1) - (inner.at(-1) ?? 1);
  const edges = [first, ...inner, last];
  const { from, to } = stretch;
  const toPixel = (share: number) => from + ((share - first) / (last - first)) * (to - from);
  const ticks = values.map((value, index) => ({
    at: toPixel(shares[index] ?? 0),
    label: valueLabel(value),
  }));
  return {
    place: (value) => toPixel(unit.place(value)),
    edges: (index) => [toPixel(edges[index] ?? first), toPixel(edges[index + 1] ?? last)],
    ticks: withoutCollisions(ticks, stretch.direction),
  };
}
