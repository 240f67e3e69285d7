/**
 * @module
 * The charts of a sweep, one or more for each kind that fits it. Probabilities have intervals, and a
 * logarithmic axis if they span decades. Messages have logarithmic axes, on which a power of n is a straight
 * line. Delays begin at 0.
 */

import { greatest, max } from 'd3-array';

import type { Axis } from '../sweep/grid.ts';
import type { AxisRole } from './axes.ts';
import { isFiniteNumber, numberAxis, roleOf, spread, varies } from './axes.ts';
import { cellTooltip, epsilonLabel, figure, intervalLabel } from './cells.ts';
import { comparisonChart } from './comparison-chart.ts';
import type {
  Chart,
  LineChart,
  Mark,
  Panel,
  PictureCell,
  PictureInput,
  PictureKind,
  Point,
  Reference,
  Series,
} from './data.ts';
import { picturesFor } from './data.ts';
import { frontierCharts } from './frontier.ts';
import type { Arrangement, CellSeries } from './series.ts';
import {
  arrange,
  curveValues,
  cutNote,
  evenly,
  fromZero,
  probabilityAxis,
  visiblePart,
} from './series.ts';

const CURVE_POINTS = 121;
/** Maximum single runs of a cell. More would only cover each other. */
const SAMPLES_MAX = 60;
/** Axes that decide how soon a crash is detected come before other numbers. */
const DETECTION_PATH = /detector|latency|timeout|heartbeat/i;

/** All charts of the sweep, at least one, in the order in which they are shown. */
export function chartsOf(input: PictureInput): Chart[] {
  return picturesFor(input).flatMap((kind) => chartsOfKind(kind, input));
}

function chartsOfKind(kind: PictureKind, input: PictureInput): readonly Chart[] {
  switch (kind) {
    case 'comparison':
      return [comparisonChart(input)];
    case 'frontier':
      return frontierCharts(input);
    case 'win-probability':
      return [probabilityChart(kind, input, longestAxis(input.axes, ['difficulty', 'budget']))];
    case 'messages':
      return [messagesChart(input)];
    case 'detection-delay':
      return [detectionChart(input)];
    case 'frequency':
      return [probabilityChart(kind, input, firstAxis(input.axes, ['population', 'number']))];
    default:
      return kind satisfies never;
  }
}

/** Index of the first varying axis with each of the roles that occur, in the order of the roles. */
function axesWith(axes: readonly Axis[], roles: readonly AxisRole[]): number[] {
  return roles
    .map((role) => axes.findIndex((axis) => varies(axis) && roleOf(axis) === role))
    .filter((index) => index >= 0);
}

/** An axis with one of the roles, or else one that varies, or else the last. −1 if there is none. */
function firstAxis(axes: readonly Axis[], roles: readonly AxisRole[]): number {
  const [first] = axesWith(axes, roles);
  const varying = axes.findIndex(varies);
  return first ?? (varying >= 0 ? varying : axes.length - 1);
}

/** The axis with the most values. Each value of the others is a series. */
function longestAxis(axes: readonly Axis[], roles: readonly AxisRole[]): number {
  return greatest(axesWith(axes, roles), (index) => new Set(axes[index]?.values).size) ?? -1;
}

function probabilityChart(
  kind: 'win-probability' | 'frequency',
  input: PictureInput,
  along: number,
): LineChart {
  const { event, epsilons, axes } = input;
  const arranged = arrange(input, along, ({ p }) => p !== null);
  const whole = arranged.series.map((one) => probabilitySeries(input, along, { one, arranged }));
  const marks = whole.flatMap((one) => one.marks);
  const y = probabilityAxis(`P(${event})`, {
    values: [...marks.map((mark) => mark.y), ...epsilons],
    ends: marks.flatMap(({ interval }) => interval ?? []),
    theory: whole.flatMap(({ curve }) => curve.map((point) => point.y)),
  });
  const series = whole.map((one) => ({ ...one, curve: visiblePart(one, y) }));
  const isEmpty = marks.length === 0;
  return {
    type: 'lines',
    kind,
    name: kind,
    title: axes.length === 0 ? `P(${event})` : `P(${event}) against ${arranged.x.label}`,
    notes: [...arranged.notes, ...(isEmpty ? ['no cell has an outcome'] : [])],
    x: arranged.x,
    panels: [
      {
        y,
        series,
        references: [],
        levels: epsilons.map((value) => ({ label: epsilonLabel(value), value })),
      },
    ],
    legend: { mark: 'measured', bar: intervalLabel(input.confidence) },
  };
}

interface Arranged {
  readonly one: CellSeries;
  readonly arranged: Arrangement;
}

function probabilitySeries(
  input: PictureInput,
  along: number,
  { one, arranged }: Arranged,
): Series {
  const marks = one.points.flatMap(({ x, cell }): Mark[] => {
    const { p, ciLow, ciHigh } = cell;
    if (p === null) return [];
    const interval = ciLow === null || ciHigh === null ? null : ([ciLow, ciHigh] as const);
    return [{ x, y: p, interval, tooltip: cellTooltip(input.axes, cell) }];
  });
  const theory = theoryCurve(input, along, { one, arranged });
  const isJoined = arranged.x.type === 'number' && theory.curve.length < 2;
  const refused = refusedOf(input, one.points);
  return { label: one.label, marks, refused, samples: [], ...theory, isJoined };
}

/** The cells of a series that the document refuses. */
function refusedOf({ axes }: PictureInput, points: CellSeries['points']): Series['refused'] {
  return points.flatMap(({ x, cell }) =>
    cell.refusal === null ? [] : [{ x, tooltip: cellTooltip(axes, cell) }],
  );
}

/**
 * The closed form along the whole axis if it exists there, otherwise at the cells alone. Half a bit or half a node
 * does not exist, so that an axis of few integers has a point at each and no line.
 */
function theoryCurve(
  { theoryAt }: PictureInput,
  along: number,
  { one, arranged }: Arranged,
): Required<Pick<Series, 'curve' | 'hasPoints'>> {
  const ofCells = one.points.flatMap(({ x, cell }) =>
    cell.theory === null ? [] : [{ x, y: cell.theory }],
  );
  const cells = { curve: ofCells, hasPoints: true };
  if (theoryAt === null || arranged.x.type !== 'number') return cells;
  const { xs, hasPoints } = curveValues(arranged.x, CURVE_POINTS);
  const curve = xs.flatMap((x) => {
    const y = theoryAt(one.values.map((value, index) => (index === along ? x : value)));
    return y !== null && Number.isFinite(y) ? [{ x, y }] : [];
  });
  return curve.length === xs.length ? { curve, hasPoints } : cells;
}

function messagesChart(input: PictureInput): LineChart {
  const along = firstAxis(input.axes, ['population']);
  const arranged = arrange(input, along, ({ messagesMean }) => (messagesMean ?? 0) > 0);
  const series = arranged.series.map(({ label, points }): Series => {
    // The number of nodes that took part, forged identities included, if the table has it.
    const atNodes = points.map(({ x, cell }) => ({ x: cell.nodesMean ?? x, cell }));
    const marks = meanMarks(input, atNodes, 'messagesMean').filter(({ x, y }) => x > 0 && y > 0);
    return { label, marks, refused: [], samples: [], curve: [], isJoined: true };
  });
  const marks = series.flatMap((one) => one.marks);
  const logarithmic = (label: string, values: readonly number[]) =>
    numberAxis(label, values, { isLogarithmic: true });
  const x = logarithmic(
    'nodes n',
    marks.map((mark) => mark.x),
  );
  const [first] = marks;
  const references = first === undefined ? [] : referencesThrough(first, x.domain[1]);
  const points = [...marks, ...references.flatMap((reference) => reference.points)];
  const y = logarithmic(
    'messages per run (mean)',
    points.map((point) => point.y),
  );
  const note = `n, n log n and n² are drawn through the first point, n = ${figure(first?.x ?? 0)}`;
  return {
    type: 'lines',
    kind: 'messages',
    name: 'messages',
    title: 'Messages per run against the number of nodes',
    notes: [...arranged.notes, ...(references.length === 0 ? [] : [note])],
    x,
    panels: [{ y, series, references, levels: [] }],
    legend: { mark: 'mean of a cell', bar: null },
  };
}

/** n, n log n and n², scaled so that they pass through one point. */
function referencesThrough({ x, y }: Point, end: number): Reference[] {
  const laws: readonly (readonly [string, (n: number) => number])[] = [
    ['n²', (n) => n * n],
    ['n log n', (n) => n * Math.log2(n)],
    ['n', (n) => n],
  ];
  if (end <= x) return [];
  const ns = evenly(numberAxis('', [x, end], { isLogarithmic: true }), 33);
  return laws
    .filter(([, law]) => law(x) > 0) // n log n is 0 at n = 1.
    .map(([label, law]) => ({
      label,
      points: ns.map((n) => ({ x: n, y: (y * law(n)) / law(x) })),
    }));
}

function detectionChart(input: PictureInput): LineChart {
  const { axes, cells } = input;
  const detecting = axes.findIndex(
    (axis) => varies(axis) && roleOf(axis) !== 'names' && DETECTION_PATH.test(axis.path),
  );
  const numeric = firstAxis(axes, ['number', 'population', 'difficulty', 'budget']);
  const arranged = arrange(input, detecting >= 0 ? detecting : numeric, (cell) =>
    [cell.detectionTicksMean, cell.mistakesMean].some(isFiniteNumber),
  );
  const delays = meanPanel(input, arranged, 'detectionTicksMean', 'detection delay (ticks)');
  const mistakes = meanPanel(input, arranged, 'mistakesMean', 'mistakes per run (mean)');
  const hasMistakes = cells.some(({ mistakesMean }) => mistakesMean !== null);
  const runs = max(cells, ({ detectionTicks }) => detectionTicks.length) ?? 0;
  return {
    type: 'lines',
    kind: 'detection-delay',
    name: 'detection-delay',
    title: `Detection delay against ${arranged.x.label}`,
    notes: [...arranged.notes, ...cutNote(Math.min(runs, SAMPLES_MAX), runs, 'runs of a cell')],
    x: arranged.x,
    panels: hasMistakes ? [delays, mistakes] : [delays],
    legend: { mark: 'mean of a cell', bar: null },
  };
}

type MeanColumn = 'messagesMean' | 'detectionTicksMean' | 'mistakesMean';

function meanPanel(
  input: PictureInput,
  arranged: Arrangement,
  column: MeanColumn,
  label: string,
): Panel {
  const series = arranged.series.map(({ label: name, points }): Series => {
    const samples = points.flatMap(({ x, cell }) => samplesOf(cell, column).map((y) => ({ x, y })));
    const isJoined = arranged.x.type === 'number';
    const marks = meanMarks(input, points, column);
    const refused = refusedOf(input, points);
    return { label: name, marks, refused, samples, curve: [], isJoined };
  });
  const heights = series.flatMap(({ marks, samples }) => [...marks, ...samples].map(({ y }) => y));
  return { y: fromZero(label, heights), series, references: [], levels: [] };
}

/** Only detection ticks are known of single runs. */
function samplesOf({ detectionTicks }: PictureCell, column: MeanColumn): readonly number[] {
  if (column !== 'detectionTicksMean') return [];
  return spread(detectionTicks.filter(isFiniteNumber), SAMPLES_MAX);
}

function meanMarks(
  { axes }: PictureInput,
  points: CellSeries['points'],
  column: MeanColumn,
): Mark[] {
  return points.flatMap(({ x, cell }) => {
    const y = cell[column];
    return y === null ? [] : [{ x, y, interval: null, tooltip: cellTooltip(axes, cell) }];
  });
}
