/**
 * @module
 * The chart of a comparison: a row for each set of defences, probabilities across, a series for each
 * advantage of the adversary, and a panel for each protocol.
 */

import type { AxisValue } from '../sweep/grid.ts';
import { valueText } from './axes.ts';
import { cellTooltip, epsilonLabel, intervalLabel } from './cells.ts';
import type { LineChart, Mark, Panel, PictureCell, PictureInput, Point, Series } from './data.ts';
import { COMPARISON_AXES } from './data.ts';
import { cutNote, probabilityAxis, SERIES_MAX } from './series.ts';

/** Maximum rows of a panel. */
const ROWS_MAX = 60;

export function comparisonChart(input: PictureInput): LineChart {
  const { axes, epsilons, event, confidence } = input;
  const at = (path: string) => axes.findIndex((axis) => axis.path === path);
  const valuesOf = (path: string) => axes[at(path)]?.values ?? [];
  const [row, column] = [at(COMPARISON_AXES.defences), at(COMPARISON_AXES.advantage)];
  const all = valuesOf(COMPARISON_AXES.defences);
  const names = all.slice(0, ROWS_MAX);
  const advantages = valuesOf(COMPARISON_AXES.advantage).slice(0, SERIES_MAX);
  const cellsFor = (protocol: AxisValue) =>
    input.cells.filter(({ values }) => values[at(COMPARISON_AXES.protocol)] === protocol);
  const drawn = input.cells.filter(({ p }) => p !== null);
  const y = probabilityAxis(`P(${event})`, {
    values: [...drawn.flatMap(({ p }) => p ?? []), ...epsilons],
    ends: drawn.flatMap(({ ciLow, ciHigh }) => [ciLow ?? [], ciHigh ?? []].flat()),
    theory: [
      ...drawn.flatMap(({ theory }) => theory ?? []),
      ...(input.comparison?.closedForms ?? []).map(({ p }) => p),
    ],
  });
  const panels = valuesOf(COMPARISON_AXES.protocol).map((protocol): Panel => {
    const cells = cellsFor(protocol);
    const rowOf = (values: readonly AxisValue[]) => names.indexOf(values[row] ?? null);
    const refused = refusedOf(input, names, protocol);
    const series = advantages.map((advantage): Series => {
      const isOwn = (values: readonly AxisValue[]) =>
        values[column] === advantage && rowOf(values) >= 0;
      const placed = cells
        .filter(({ values }) => isOwn(values))
        .map((cell) => ({ x: rowOf(cell.values), cell }));
      const bare = (input.comparison?.closedForms ?? [])
        .filter(({ values }) => values[at(COMPARISON_AXES.protocol)] === protocol && isOwn(values))
        .map(({ values, p }) => ({ x: rowOf(values), y: p }));
      return seriesOf(input, `${valueText(advantage)} times the work`, { placed, bare, refused });
    });
    return {
      title: valueText(protocol).replaceAll(/[[\]]/g, ''),
      y,
      series,
      references: [],
      levels: epsilons.map((value) => ({ label: epsilonLabel(value), value })),
    };
  });
  return {
    type: 'lines',
    kind: 'comparison',
    name: 'comparison',
    title: `P(${event}) under defences, by the work of the adversary`,
    notes: cutNote(names.length, all.length, 'sets of defences'),
    x: { type: 'names', label: COMPARISON_AXES.defences, names: names.map(valueText) },
    panels,
    legend: { mark: 'measured', bar: intervalLabel(confidence) },
  };
}

function refusedOf(
  { comparison }: PictureInput,
  names: readonly AxisValue[],
  protocol: AxisValue,
): Series['refused'] {
  const own = (comparison?.refused ?? []).filter((each) => each.protocol === protocol);
  return names.flatMap((name, x) => {
    // A set of defences is refused if one of them is.
    const parts = String(name).split('+');
    const found = own.find(({ defences }) => defences === name || parts.includes(defences));
    return found === undefined ? [] : [{ x, tooltip: found.reason }];
  });
}

function seriesOf(
  { axes }: PictureInput,
  label: string,
  parts: {
    readonly placed: readonly { readonly x: number; readonly cell: PictureCell }[];
    /** Closed forms without a cell that has them. */
    readonly bare: readonly Point[];
    readonly refused: Series['refused'];
  },
): Series {
  const { placed, bare, refused } = parts;
  const marks = placed.flatMap(({ x, cell }): Mark[] => {
    const { p, ciLow, ciHigh } = cell;
    if (p === null) return [];
    const interval = ciLow === null || ciHigh === null ? null : ([ciLow, ciHigh] as const);
    return [{ x, y: p, interval, tooltip: cellTooltip(axes, cell) }];
  });
  const curve = placed.flatMap(({ x, cell }) =>
    cell.theory === null ? [] : [{ x, y: cell.theory }],
  );
  return { label, marks, refused, samples: [], curve: [...curve, ...bare], isJoined: false };
}
