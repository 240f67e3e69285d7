/**
 * @module
 * Numbers and cells as text: labels beside axes and the tooltips of marks.
 */

import type { Axis } from '../sweep/sweep.ts';
import { valueText } from './axes.ts';
import type { PictureCell } from './data.ts';

/** A number with three digits. Integers below a million are whole. */
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return String(Number(value.toPrecision(3)));
}

/** The name of the intervals of a measured probability. */
export function intervalLabel(confidence: number): string {
  return `${figure(100 * confidence)} % interval (Wilson)`;
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
