/**
 * @module
 * The charts of a sweep, one or more for each kind of picture that fits it. Probabilities stand on
 * linear axes with Wilson's intervals; messages on logarithmic ones, where a power of n is a straight
 * line; delays from 0 upwards.
 */

import type { Axis } from '../sweep/sweep.ts';
import { isFiniteNumber, numberAxis, roleOf, spread, varies } from './axes.ts';
import type {
  Chart,
  LineChart,
  Mark,
  Panel,
  PictureCell,
  PictureInput,
  PictureKind,
  Reference,
  Series,
  Spot,
} from './data.ts';
import { picturesFor } from './data.ts';
import { frontierCharts } from './frontier.ts';
import type { Arrangement, CellSeries } from './series.ts';
import { arrange, cutNote, evenly, fromZero } from './series.ts';
import { cellWords, figure, intervalWords } from './words.ts';

const CURVE_SPOTS = 121;
/** Single runs of one cell; more would only blacken the same place. */
const SAMPLES_MAX = 60;
/** Paths whose value decides how soon a crash is seen come before other numbers. */
const DETECTION_PATH = /detector|latency|timeout|heartbeat/i;

/** All charts of the sweep in the order in which they are shown; never none. */
export function chartsOf(input: PictureInput): Chart[] {
  return picturesFor(input).flatMap((kind) => chartsOfKind(kind, input));
}

function chartsOfKind(kind: PictureKind, input: PictureInput): readonly Chart[] {
  switch (kind) {
    case 'frontier':
      return frontierCharts(input);
    case 'win-probability':
      return [probabilityChart(kind, input, alongLongest(input.axes, ['difficulty', 'budget']))];
    case 'messages':
      return [messagesChart(input)];
    case 'detection-delay':
      return [detectionChart(input)];
    case 'frequency':
      return [probabilityChart(kind, input, alongFirst(input.axes, ['population', 'number']))];
    default:
      return kind satisfies never;
  }
}

/** The first axis that plays the first role that any plays; else the first that varies; else −1. */
function alongFirst(axes: readonly Axis[], roles: readonly ReturnType<typeof roleOf>[]): number {
  for (const role of roles) {
    const index = axes.findIndex((axis) => varies(axis) && roleOf(axis) === role);
    if (index >= 0) return index;
  }
  const varying = axes.findIndex(varies);
  return varying >= 0 ? varying : axes.length - 1;
}

/** The axis of most values that plays a role, as each value of the others is a series. */
function alongLongest(axes: readonly Axis[], roles: readonly ReturnType<typeof roleOf>[]): number {
  let [longest, most] = [-1, 0];
  for (const role of roles) {
    const index = axes.findIndex((axis) => varies(axis) && roleOf(axis) === role);
    const count = new Set(axes[index]?.values).size;
    if (count > most) [longest, most] = [index, count];
  }
  return longest;
}

function probabilityChart(
  kind: 'win-probability' | 'frequency',
  input: PictureInput,
  along: number,
): LineChart {
  const { event, epsilon, axes } = input;
  const arranged = arrange(axes, input.cells, along);
  const series = arranged.series.map((one) => probabilitySeries(input, along, { one, arranged }));
  const heights = series.flatMap(({ marks, curve }) => [
    ...marks.flatMap(({ y, interval }) => [y, interval?.[1] ?? y]),
    ...curve.map(({ y }) => y),
  ]);
  const y = fromZero(`P(${event})`, heights.length === 0 ? [1] : heights);
  return {
    type: 'lines',
    kind,
    name: kind,
    title: axes.length === 0 ? `P(${event})` : `P(${event}) against ${arranged.x.label}`,
    notes: [...arranged.notes, ...emptyNote(series)],
    x: arranged.x,
    panels: [
      {
        y: { ...y, domain: [0, Math.min(1, y.domain[1])] },
        series,
        references: [],
        levels: epsilon <= y.domain[1] ? [{ label: `ε = ${figure(epsilon)}`, value: epsilon }] : [],
      },
    ],
    legend: { mark: 'measured', bar: intervalWords(input.confidence) },
  };
}

function probabilitySeries(
  input: PictureInput,
  along: number,
  { one, arranged }: { readonly one: CellSeries; readonly arranged: Arrangement },
): Series {
  const marks = one.places.flatMap(({ x, cell }): Mark[] => {
    if (cell.p === null) return [];
    const isBounded = cell.ciLow !== null && cell.ciHigh !== null;
    const interval = isBounded ? ([cell.ciLow, cell.ciHigh] as const) : null;
    return [{ x, y: cell.p, interval, words: cellWords(input.axes, cell) }];
  });
  const isNumeric = arranged.x.type === 'number';
  const curve = isNumeric ? theoryCurve(input, along, { one, arranged }) : theorySpots(one);
  return { label: one.label, marks, samples: [], curve, isJoined: isNumeric && curve.length < 2 };
}

/** Smooth if the closed form is at hand for all of the axis; else from cell to cell. */
function theoryCurve(
  { theoryAt }: PictureInput,
  along: number,
  { one, arranged }: { readonly one: CellSeries; readonly arranged: Arrangement },
): readonly Spot[] {
  if (theoryAt === null || arranged.x.type !== 'number') return theorySpots(one);
  const smooth = evenly(arranged.x, CURVE_SPOTS).flatMap((x) => {
    const y = theoryAt(one.values.map((value, index) => (index === along ? x : value)));
    return y !== null && Number.isFinite(y) ? [{ x, y }] : [];
  });
  return smooth.length === CURVE_SPOTS ? smooth : theorySpots(one);
}

function theorySpots({ places }: CellSeries): Spot[] {
  return places.flatMap(({ x, cell }) => (cell.theory === null ? [] : [{ x, y: cell.theory }]));
}

function messagesChart(input: PictureInput): LineChart {
  const along = alongFirst(input.axes, ['population']);
  const arranged = arrange(input.axes, input.cells, along);
  const series = arranged.series.map(({ label, places }) => ({
    label,
    // Nodes as they took part, forged identities among them, where the table has them.
    marks: meanMarks(
      input,
      places.map(({ x, cell }) => ({ x: cell.nodesMean ?? x, cell })),
      'messagesMean',
    ).filter(({ x, y }) => x > 0 && y > 0),
    samples: [],
    curve: [],
    isJoined: true,
  }));
  const marks = series.flatMap((one) => one.marks);
  const isLogarithmic = { isLogarithmic: true };
  const x = numberAxis(
    'nodes n',
    marks.map((mark) => mark.x),
    isLogarithmic,
  );
  const first = series.find((one) => one.marks.length > 0)?.marks[0];
  const references = first === undefined ? [] : referencesThrough(first, x.domain[1]);
  const heights = [
    ...marks.map((mark) => mark.y),
    ...references.flatMap(({ spots }) => spots.map((spot) => spot.y)),
  ];
  const y = numberAxis('messages of a run (mean)', heights, isLogarithmic);
  return {
    type: 'lines',
    kind: 'messages',
    name: 'messages',
    title: 'Messages of a run against the number of nodes',
    notes: [
      ...arranged.notes,
      ...(first === undefined || references.length === 0
        ? []
        : [`n, n log n and n² are drawn through the first point, n = ${figure(first.x)}`]),
    ],
    x,
    panels: [{ y, series, references, levels: [] }],
    legend: { mark: 'mean of a cell', bar: null },
  };
}

/** n, n log n and n², scaled to go through one point. */
function referencesThrough({ x, y }: Spot, end: number): Reference[] {
  const laws: readonly (readonly [string, (n: number) => number])[] = [
    ['n²', (n) => n * n],
    ['n log n', (n) => n * Math.log2(n)],
    ['n', (n) => n],
  ];
  if (end <= x) return [];
  return laws.flatMap(([label, law]) => {
    // n log n is 0 at n = 1, and goes through no point there.
    if (!(law(x) > 0)) return [];
    const spots = evenly(numberAxis('', [x, end], { isLogarithmic: true }), 33);
    return [{ label, spots: spots.map((n) => ({ x: n, y: (y * law(n)) / law(x) })) }];
  });
}

function detectionChart(input: PictureInput): LineChart {
  const along = alongDetection(input.axes);
  const arranged = arrange(input.axes, input.cells, along);
  const mistakesKnown = input.cells.some(({ mistakesMean }) => mistakesMean !== null);
  const delays = meanPanel(input, arranged, {
    column: 'detectionTicksMean',
    label: 'detection delay (ticks)',
    samplesOf: ({ detectionTicks }) => spread(detectionTicks.filter(isFiniteNumber), SAMPLES_MAX),
  });
  const mistakes = meanPanel(input, arranged, {
    column: 'mistakesMean',
    label: 'mistakes of a run (mean)',
    samplesOf: () => [],
  });
  const runs = input.cells.reduce(
    (most, { detectionTicks }) => Math.max(most, detectionTicks.length),
    0,
  );
  return {
    type: 'lines',
    kind: 'detection-delay',
    name: 'detection-delay',
    title: `Detection delay against ${arranged.x.label}`,
    notes: [...arranged.notes, ...cutNote(Math.min(runs, SAMPLES_MAX), runs, 'runs of a cell')],
    x: arranged.x,
    panels: mistakesKnown ? [delays, mistakes] : [delays],
    legend: { mark: 'mean of a cell', bar: null },
  };
}

function alongDetection(axes: readonly Axis[]): number {
  const index = axes.findIndex(
    (axis) => varies(axis) && roleOf(axis) !== 'names' && DETECTION_PATH.test(axis.path),
  );
  if (index >= 0) return index;
  return alongFirst(axes, ['number', 'population', 'difficulty', 'budget']);
}

function meanPanel(
  input: PictureInput,
  arranged: Arrangement,
  column: {
    readonly column: MeanColumn;
    readonly label: string;
    readonly samplesOf: (cell: PictureCell) => readonly number[];
  },
): Panel {
  const series = arranged.series.map(({ label, places }) => ({
    label,
    marks: meanMarks(input, places, column.column),
    samples: places.flatMap(({ x, cell }) => column.samplesOf(cell).map((y) => ({ x, y }))),
    curve: [],
    isJoined: arranged.x.type === 'number',
  }));
  const heights = series.flatMap(({ marks, samples }) => [...marks, ...samples].map(({ y }) => y));
  return { y: fromZero(column.label, heights), series, references: [], levels: [] };
}

type MeanColumn = 'messagesMean' | 'detectionTicksMean' | 'mistakesMean';

function meanMarks(
  { axes }: PictureInput,
  places: CellSeries['places'],
  column: MeanColumn,
): Mark[] {
  return places.flatMap(({ x, cell }) => {
    const y = cell[column];
    return y === null ? [] : [{ x, y, interval: null, words: cellWords(axes, cell) }];
  });
}

function emptyNote(series: readonly Series[]): string[] {
  const isEmpty = series.every(({ marks }) => marks.length === 0);
  return isEmpty ? ['no cell has an outcome'] : [];
}
