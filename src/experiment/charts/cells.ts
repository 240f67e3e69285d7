/**
 * @module
 * Cells for charts: rows of the table of cells, whose columns are found by their names, so that a table from a
 * file also works, protocols as an axis, and cells and numbers as text for labels and tooltips.
 */

import type { Axis, AxisValue, GridCell } from '../sweep/grid.ts';
import { isFiniteNumber, valueText } from './axes.ts';
import type { PictureCell, PictureInput } from './data.ts';

/** A row and the columns of its table. A missing column counts as empty. */
export interface CellTableRow {
  readonly columns: readonly { readonly name: string }[];
  readonly row: readonly AxisValue[];
}

/** The cell with the values of its row, and the detection ticks of some of its runs. */
export function pictureCell(
  { index, values, refusal }: GridCell,
  { columns, row }: CellTableRow,
  detectionTicks: readonly number[] = [],
): PictureCell {
  const byName = new Map(columns.map(({ name }, column) => [name, row[column]]));
  const number = (name: string) => {
    const value = byName.get(name);
    return isFiniteNumber(value) ? value : null;
  };
  const text = (name: string) => {
    const value = byName.get(name);
    return typeof value === 'string' ? value : null;
  };
  return {
    index,
    values,
    protocol: text('protocol'),
    refusal,
    n: number('n') ?? 0,
    k: number('k') ?? 0,
    p: number('p'),
    ciLow: number('ci_low'),
    ciHigh: number('ci_high'),
    theory: number('theory'),
    nodesMean: number('nodes_mean'),
    messagesMean: number('messages_mean'),
    detectionTicksMean: number('detection_ticks_mean'),
    mistakesMean: number('mistakes_mean'),
    honestAttempts: number('honest_attempts_p95'),
    honestSeconds: number('honest_join_p95_s'),
    verdict: text('verdict'),
    response: text('response'),
    failures: number('failures') ?? 0,
    detectionTicks,
  };
}

/** If a cell has several protocols, they are one more axis, so that each has a series of its own. */
export function byProtocol(
  axes: readonly Axis[],
  cells: readonly PictureCell[],
): Pick<PictureInput, 'axes' | 'cells'> {
  const names = [...new Set(cells.flatMap(({ protocol }) => protocol ?? []))];
  const isAlone = cells.every(({ index }, at) => cells[at + 1]?.index !== index);
  if (isAlone) return { axes, cells };
  return {
    axes: [...axes, { path: 'protocol', values: names }],
    cells: cells.flatMap((cell) =>
      // A refused cell is refused with every protocol.
      (cell.protocol === null ? names : [cell.protocol]).map((protocol) => {
        return { ...cell, protocol, values: [...cell.values, protocol] };
      }),
    ),
  };
}

/** A number with three digits. Integers below a million are whole. */
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return String(Number(value.toPrecision(3)));
}

/** The name of the intervals of a measured probability. */
export function intervalLabel(confidence: number): string {
  return `${figure(100 * confidence)} % interval (exact)`;
}

export function epsilonLabel(epsilon: number): string {
  return `ε = ${figure(epsilon)}`;
}

/** A probability in percent, with at least two digits of the smaller of it and of its complement. */
export function percentText(probability: number): string {
  if (probability === 0 || probability === 1) return `${100 * probability} %`;
  const rarest = Math.min(probability, 1 - probability);
  const digits = Math.min(8, Math.max(1, 1 - Math.floor(Math.log10(100 * rarest))));
  return `${(100 * probability).toFixed(digits)} %`;
}

/** A cell as text: its values, what was measured, and the closed form. */
export function cellTooltip(axes: readonly Axis[], cell: PictureCell): string {
  const settings = axes.map(
    ({ path }, index) => `${path} = ${valueText(cell.values[index] ?? null)}`,
  );
  const others: readonly (readonly [string, number | null])[] = [
    ['closed form', cell.theory],
    ['messages', cell.messagesMean],
    ['detection ticks', cell.detectionTicksMean],
    ['mistakes', cell.mistakesMean],
  ];
  const known = others.flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${figure(value)}`],
  );
  return [...settings, measuredText(cell), ...known].join(', ');
}

function measuredText({ p, k, n, ciLow, ciHigh, refusal }: PictureCell): string {
  if (p === null) return refusal ?? 'no outcome';
  const interval =
    ciLow === null || ciHigh === null ? '' : ` in [${figure(ciLow)}, ${figure(ciHigh)}]`;
  return `p = ${k}/${n} = ${figure(p)}${interval}`;
}
