/**
 * @module
 * Numbers and cells in the words that pictures write beside them.
 */

import type { Axis } from '../sweep/sweep.ts';
import { valueText } from './axes.ts';
import type { PictureCell } from './data.ts';

/** A number to three digits; counts below a million as they are. */
export function figure(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
  return String(Number(value.toPrecision(3)));
}

/** What the bars of a measured probability are. */
export function intervalWords(confidence: number): string {
  return `${figure(100 * confidence)} % interval (Wilson)`;
}

/** A cell: where it is, what was measured, and the closed form. */
export function cellWords(axes: readonly Axis[], cell: PictureCell): string {
  const where = axes.map(({ path }, index) => `${path} = ${valueText(cell.values[index] ?? null)}`);
  const { p, ciLow, ciHigh, theory, messagesMean, detectionTicksMean, mistakesMean } = cell;
  const interval =
    ciLow === null || ciHigh === null ? '' : ` in [${figure(ciLow)}, ${figure(ciHigh)}]`;
  const measured =
    p === null
      ? (cell.refusal ?? 'no outcome')
      : `p = ${cell.k}/${cell.n} = ${figure(p)}${interval}`;
  const others: readonly (readonly [string, number | null])[] = [
    ['closed form', theory],
    ['messages', messagesMean],
    ['detection ticks', detectionTicksMean],
    ['mistakes', mistakesMean],
  ];
  const known = others.flatMap(([name, value]) =>
    value === null ? [] : [`${name} ${figure(value)}`],
  );
  return [...where, measured, ...known].join(', ');
}
