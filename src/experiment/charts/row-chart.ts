/**
 * @module
 * Charts along an axis of names: a row for each, the values across (Cleveland's dot plot), so that
 * long names are read without turning the head.
 */

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NameAxis } from './axes.ts';
import type { LineChart, Panel } from './data.ts';
import type { Body } from './frame.ts';
import { MARGIN, paint, stroke, told, WIDTH } from './frame.ts';
import { cut, px, SMALL, text, textWidth } from './lettering.ts';
import { drawBottom } from './line-chart.ts';
import { scaleOf } from './scale.ts';
import { drawSeries, seriesLegend } from './series-marks.ts';

const NAMES_WIDTH_MAX = 280;
const ROW_HEIGHT_MIN = 26;
/** What one series needs of a row. */
const SERIES_HEIGHT = 11;
const LABEL_HEIGHT = 24;
const INSET = 10;
const LEVEL = { ...stroke('soft', 1.2), 'stroke-dasharray': '2 3' };

/** The chart; its x axis is one of names and goes down. */
export function drawRowChart(chart: LineChart, names: NameAxis): Body {
  const widths = names.names.map((name) => textWidth(name, SMALL));
  const left = MARGIN + 12 + Math.min(NAMES_WIDTH_MAX, Math.max(0, ...widths));
  const markup: string[] = [];
  let top = 0;
  for (const [index, panel] of chart.panels.entries()) {
    const drawn = drawPanel(panel, names, { left, isFirst: index === 0 });
    markup.push(group('g', { transform: `translate(0 ${top})` }, drawn.markup));
    top += drawn.height;
  }
  const series = chart.panels[0]?.series ?? [];
  const hasSamples = series.some(({ samples }) => samples.length > 0);
  const mark = hasSamples ? 'mean' : chart.legend.mark;
  return {
    markup,
    height: top,
    legend: [
      ...seriesLegend(series, { ...chart.legend, mark }, true),
      ...(chart.panels[0]?.levels ?? []).map(({ label }) => ({
        symbol: element('path', { ...LEVEL, d: 'M6-8V8' }),
        symbolWidth: 12,
        words: label,
      })),
    ],
    definitions: [],
  };
}

function drawPanel(
  panel: Panel,
  { names, label }: NameAxis,
  { left, isFirst }: { readonly left: number; readonly isFirst: boolean },
): { readonly markup: readonly string[]; readonly height: number } {
  const { series, y, levels } = panel;
  const rowHeight = Math.max(ROW_HEIGHT_MIN, SERIES_HEIGHT * (series.length + 1));
  const right = WIDTH - MARGIN;
  const scale = scaleOf(y, { from: left + INSET, to: right - INSET, direction: 'across' });
  const head = LABEL_HEIGHT + (isFirst ? 0 : 10);
  const bottom = head + names.length * rowHeight;
  const middleOf = (row: number) => head + (row + 0.5) * rowHeight;
  const middle = (series.length - 1) / 2;
  const grid = [
    ...scale.ticks.map(({ at }) => `M${px(at)} ${head}V${bottom}`),
    ...names.map((_, row) => `M${px(left)} ${px(middleOf(row))}H${px(right)}`),
  ].join('');
  const below = drawBottom(scale, y.label, { left, right, top: bottom });
  return {
    markup: [
      text(cut(label, right - MARGIN, SMALL), { x: MARGIN, y: head - 9, ...paint('soft') }, SMALL),
      element('path', { ...stroke('grid'), d: grid }),
      ...names.map((name, row) => {
        const at = { x: left - 8, y: middleOf(row) + 4, 'text-anchor': 'end' };
        const words = cut(name, left - MARGIN - 8, SMALL);
        return told(name, {}, text(words, { ...at, ...paint('ink') }, SMALL));
      }),
      element('path', { ...stroke('ink'), d: `M${px(left)} ${head}V${bottom}H${px(right)}` }),
      ...levels.map(({ value }) => {
        const d = `M${px(scale.place(value))} ${head}V${bottom}`;
        return element('path', { ...LEVEL, d });
      }),
      ...series.flatMap((one, index) =>
        drawSeries(one, index, {
          place: (spot) => [scale.place(spot.y), middleOf(spot.x)],
          shift: [0, (index - middle) * SERIES_HEIGHT],
          isRows: true,
        }),
      ),
      ...below.markup,
    ],
    height: below.y,
  };
}
