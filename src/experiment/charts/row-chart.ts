/**
 * @module
 * Charts with an axis of names: a row for each name and the values across (Cleveland's dot plot), so
 * that long names are readable.
 */

import { sort } from 'd3-array';

import { element, group } from '../../simulation/report/space-time/svg-elements.ts';
import type { NameAxis } from './axes.ts';
import { axisName } from './axes.ts';
import type { LineChart, Panel } from './data.ts';
import type { Body } from './frame.ts';
import { axisTitle, MARGIN, paint, stroke, WIDTH, withTooltip } from './frame.ts';
import { cut, px, SMALL, text, textWidth } from './lettering.ts';
import { drawBottomAxis, drawBreak, LEVEL_LINE, widestLabel } from './line-chart.ts';
import { scaleOf } from './scale.ts';
import { drawSeries, seriesLegend } from './series-marks.ts';

const NAMES_WIDTH_MAX = 280;
const ROW_HEIGHT_MIN = 26;
/** Height of one series in a row. */
const SERIES_HEIGHT = 12;
const TITLE_HEIGHT = 26;
const INSET = 10;
/** Between a word and a line. */
const CLEARANCE = 6;

/** Draws a chart whose x axis has names. They go down. */
export function drawRowChart(chart: LineChart, names: NameAxis): Body {
  const width = widestLabel(names.names.map((label) => ({ label })));
  const left = MARGIN + 12 + Math.min(NAMES_WIDTH_MAX, width);
  const markup: string[] = [];
  let top = 0;
  for (const panel of chart.panels) {
    const drawn = drawPanel(panel, names, left);
    markup.push(group('g', { transform: `translate(0 ${top})` }, drawn.markup));
    top += drawn.height;
  }
  const levels = (chart.panels[0]?.levels ?? []).map(({ label }) => {
    const symbol = element('path', { ...LEVEL_LINE, d: 'M6-8V8' });
    return { symbol, symbolWidth: 12, label };
  });
  return {
    markup,
    height: top,
    legend: [...seriesLegend(chart, true), ...levels],
    definitions: [],
  };
}

function drawPanel(
  { title = '', series, y, levels }: Panel,
  { names, label }: NameAxis,
  left: number,
): { readonly markup: readonly string[]; readonly height: number } {
  const rowHeight = Math.max(ROW_HEIGHT_MIN, SERIES_HEIGHT * (series.length + 1));
  const right = WIDTH - MARGIN;
  const scale = scaleOf(y, { from: left + INSET, to: right - INSET, direction: 'across' });
  const bottom = TITLE_HEIGHT + names.length * rowHeight;
  const middleOf = (row: number) => TITLE_HEIGHT + (row + 0.5) * rowHeight;
  const middle = (series.length - 1) / 2;
  const upright = (x: number) => `M${px(x)} ${TITLE_HEIGHT}V${bottom}`;
  const grid = [
    ...scale.ticks.map(({ at }) => upright(at)),
    // Each row has a line above and below it, so that no mark seems to lie between two names.
    ...names.map((_, row) => `M${MARGIN} ${px(TITLE_HEIGHT + row * rowHeight)}H${px(right)}`),
  ].join('');
  const axis = drawBottomAxis(scale, axisName(y), { left, right, top: bottom });
  return {
    markup: [
      axisTitle(title === '' ? label : title, TITLE_HEIGHT - 10),
      element('path', { ...stroke('grid'), d: grid }),
      ...names.map((name, row) => {
        const at = { x: left - 8, y: middleOf(row) + 4, 'text-anchor': 'end' };
        const shown = cut(name, left - MARGIN - 8, SMALL);
        return withTooltip(name, {}, text(shown, { ...at, ...paint('ink') }, SMALL));
      }),
      element('path', { ...stroke('ink'), d: `${upright(left)}H${px(right)}` }),
      ...(scale.breakAt === null ? [] : [drawBreak(scale.breakAt, bottom, 'across')]),
      ...levels.map(({ value }) => element('path', { ...LEVEL_LINE, d: upright(scale.at(value)) })),
      ...series.flatMap((one, index) =>
        drawSeries(one, index, {
          at: (point) => [scale.at(point.y), middleOf(point.x)],
          shift: [0, (index - middle) * SERIES_HEIGHT],
          isRows: true,
          hasZero: y.hasZero === true,
        }),
      ),
      ...refusedMarks(series, {
        left: freeLeft(
          levels.map(({ value }) => scale.at(value)),
          left + INSET - 4,
        ),
        middleOf: (row, index) =>
          middleOf(row) + (index === null ? 0 : (index - middle) * SERIES_HEIGHT),
      }),
      ...axis.markup,
    ],
    height: axis.y + 10,
  };
}

const REFUSED = 'refused';

/** The first place, from `left` on, at which no line of a level crosses the word. */
function freeLeft(levels: readonly number[], left: number): number {
  const width = textWidth(REFUSED, SMALL);
  return sort(levels).reduce(
    (free, level) =>
      level > free - CLEARANCE && level < free + width + CLEARANCE ? level + CLEARANCE : free,
    left,
  );
}

/** The word in each refused row: once if all series are refused there, else at the height of each of them. */
function refusedMarks(
  series: Panel['series'],
  at: { readonly left: number; readonly middleOf: (row: number, index: number | null) => number },
): readonly string[] {
  const all = series.flatMap(({ refused }, index) => refused.map((each) => ({ ...each, index })));
  return [...Map.groupBy(all, ({ x }) => x).values()].flatMap((own) => {
    const shown = own.length === series.length ? own.slice(0, 1) : own;
    return shown.map(({ x, tooltip, index }) => {
      const y = at.middleOf(x, own.length === series.length ? null : index) + 4;
      const word = text(REFUSED, { x: at.left, y, ...paint('soft') }, SMALL);
      return withTooltip(tooltip, {}, word);
    });
  });
}
