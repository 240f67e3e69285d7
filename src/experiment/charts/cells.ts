/**
 * @module
 * Rows of the table of cells as charts need them. Columns are found by their names, so a table that
 * was read from a file works too.
 */

import type { AxisValue, SweepCell } from '../sweep/sweep.ts';
import { isFiniteNumber } from './axes.ts';
import type { PictureCell } from './data.ts';

/** A row and the columns of its table. A missing column counts as empty. */
export interface CellTableRow {
  readonly columns: readonly { readonly name: string }[];
  readonly row: readonly AxisValue[];
}

/** The cell with the values of its row, and the detection ticks of some of its runs. */
export function pictureCell(
  { index, values, refusal }: Pick<SweepCell, 'index' | 'values' | 'refusal'>,
  { columns, row }: CellTableRow,
  detectionTicks: readonly number[] = [],
): PictureCell {
  const byName = new Map(columns.map(({ name }, column) => [name, row[column]]));
  const number = (name: string) => {
    const value = byName.get(name);
    return isFiniteNumber(value) ? value : null;
  };
  return {
    index,
    values,
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
    detectionTicks,
  };
}
