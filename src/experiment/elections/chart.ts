/**
 * @module
 * The chart of many elections: the empirical distribution function of a measure, with a series for each cell; or, for
 * a sweep whose first axis has numbers or for a property, the median or the share of each cell along that axis.
 */

import { group } from 'd3-array';

import { axisLabel, isLogarithmic, numberAxis, roleOf, spread, valueText } from '../charts/axes.ts';
import type { LineChart, Mark, Panel, Series } from '../charts/data.ts';
import { bodyOf } from '../charts/draw-sweep.ts';
import type { Caption } from '../charts/frame.ts';
import { framedBy } from '../charts/frame.ts';
import { CODE } from '../charts/lettering.ts';
import { cutNote, fromZero, SERIES_MAX } from '../charts/series.ts';
import type { Axis } from '../sweep/grid.ts';
import type { Asked, ElectionCell } from './tables.ts';
import {
  askedLabel,
  CONFIDENCE,
  distributionOf,
  isProperty,
  QUANTILES,
  shareOf,
  summaryOf,
  valuesOf,
} from './tables.ts';

export interface ElectionPicture {
  readonly axes: readonly Axis[];
  readonly cells: readonly ElectionCell[];
  readonly asked: Asked;
  /** Protocol and nodes. */
  readonly title: string;
  /** The other settings, and the runs. */
  readonly sentence: string;
  readonly replay: string;
}

/** The picture as an SVG document; null if no run has the measure. */
export function electionPicture(picture: ElectionPicture): string | null {
  const { axes, asked, title, sentence, replay } = picture;
  const [first] = axes;
  const isAlong =
    first !== undefined &&
    first.values.length > 1 &&
    (isProperty(asked) || roleOf(first) !== 'names');
  const chart = isAlong || isProperty(asked) ? alongChart(picture) : distributionChart(picture);
  if (chart === null) return null;
  const lines: Caption['lines'] = [['replay', replay, CODE]];
  return framedBy({ title, sentence, lines }, chart, bodyOf(chart));
}

/** Ratio of the greatest to the least value from which the axis is logarithmic. */
const DECADES_RATIO = 50;

function distributionChart({ axes, cells, asked }: ElectionPicture): LineChart | null {
  if (isProperty(asked)) return null;
  const known = cells
    .map((cell) => ({ label: labelOf(axes, cell, 0), values: valuesOf(cell.runs, asked) }))
    .filter(({ values }) => values.some(Number.isFinite));
  const numbers = known.flatMap(({ values }) => values.filter(Number.isFinite));
  if (numbers.length === 0) return null;
  const shown = spread(known, SERIES_MAX);
  const low = numbers.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY);
  const high = numbers.reduce((most, value) => Math.max(most, value), low);
  const isLog = low > 0 && high / low >= DECADES_RATIO;
  return {
    ...lineChart(`Share of runs with at most this value: ${askedLabel(asked)}`, [
      ...cutNote(shown.length, known.length, 'cells'),
      ...(shown.length > 1 ? ['The marks of a curve are at its p50, p90 and p99'] : []),
      ...neverNote(known.flatMap(({ values }) => values)),
    ]),
    x: numberAxis(askedLabel(asked), [low, high], { isLogarithmic: isLog }),
    panels: [panelOf(fromZero('share of runs', [1]), shown.map(stepSeries))],
    legend: { mark: 'p50, p90 and p99', bar: null },
  };
}

function neverNote(values: readonly number[]): string[] {
  const never = values.filter((value) => value === Number.POSITIVE_INFINITY).length;
  if (never === 0) return [];
  return [`In ${never} of ${values.length} runs it does not happen, so that a curve ends below 1`];
}

function stepSeries({
  label,
  values,
}: {
  readonly label: string;
  readonly values: readonly number[];
}): Series {
  let before = 0;
  const line = distributionOf(values).flatMap(({ value, share }) => {
    const corner = { x: value, y: before };
    before = share;
    return [corner, { x: value, y: share }];
  });
  const summary = summaryOf(values);
  const marks = (['p50', 'p90', 'p99'] as const).flatMap((name): Mark[] => {
    const x = summary?.[name].value ?? null;
    if (x === null) return [];
    const tooltip = `${label === '' ? '' : `${label}: `}${name} ${x}`;
    return [{ x, y: QUANTILES[name], interval: null, tooltip }];
  });
  return { ...seriesOf(label, marks), line, isJoined: false };
}

/** Medians or shares along the first axis. */
function alongChart({ axes, cells, asked }: ElectionPicture): LineChart | null {
  const [axis = { path: '', values: [''] }] = axes;
  const isNames = roleOf(axis) === 'names';
  const groups = [...group(cells, (cell) => labelOf(axes, cell, 1))];
  const shown = spread(groups, SERIES_MAX);
  const series = shown.map(([label, members]) => {
    const marks = members.flatMap((cell) => {
      const value = cell.values[0] ?? '';
      return markOf(cell, asked, isNames ? axis.values.indexOf(value) : Number(value));
    });
    return { ...seriesOf(label, marks), isJoined: !isNames };
  });
  const marks = series.flatMap((each) => each.marks);
  if (marks.length === 0) return null;
  const numbers = axis.values.map(Number);
  const isLog = isLogarithmic(roleOf(axis), numbers);
  const ends = marks.flatMap(({ y, interval }) => [y, ...(interval ?? [])]);
  const what = isProperty(asked) ? askedLabel(asked) : `median of ${askedLabel(asked)}`;
  return {
    ...lineChart(what, cutNote(shown.length, groups.length, 'series')),
    x: isNames
      ? { type: 'names', label: axis.path, names: axis.values.map(valueText) }
      : numberAxis(axisLabel(axis.path), numbers, {
          isLogarithmic: isLog,
        }),
    panels: [panelOf(fromZero(what, isProperty(asked) ? [1] : ends), series)],
    legend: { mark: what, bar: `${100 * CONFIDENCE} % interval` },
  };
}

function markOf({ runs }: ElectionCell, asked: Asked, x: number): Mark[] {
  if (isProperty(asked)) {
    const share = shareOf(runs, asked);
    if (share === null) return [];
    const tooltip = `${share.k} of ${share.n} runs`;
    return [{ x, y: share.p, interval: [share.ciLow, share.ciHigh], tooltip }];
  }
  const summary = summaryOf(valuesOf(runs, asked));
  const { value, ciLow, ciHigh } = summary?.p50 ?? { value: null, ciLow: null, ciHigh: null };
  if (value === null) return [];
  const interval = ciLow === null || ciHigh === null ? null : ([ciLow, ciHigh] as const);
  return [{ x, y: value, interval, tooltip: `median ${value} of ${summary?.n} runs` }];
}

/** The values of a cell on the axes from the index `from` on. Axes with one value are left out. */
function labelOf(axes: readonly Axis[], { values }: ElectionCell, from: number): string {
  return axes
    .flatMap(({ path, values: all }, index) =>
      index < from || all.length < 2 ? [] : [`${path} = ${valueText(values[index] ?? null)}`],
    )
    .join(', ');
}

function lineChart(title: string, notes: readonly string[]) {
  return { type: 'lines', kind: 'frequency', name: 'elections', title, notes } as const;
}

function panelOf(y: Panel['y'], series: readonly Series[]): Panel {
  return { y, series, references: [], levels: [] };
}

function seriesOf(label: string, marks: readonly Mark[]): Series {
  return { label, marks, refused: [], samples: [], curve: [], isJoined: true };
}
