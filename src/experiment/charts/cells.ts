/**
 * @module
 * Rows of the table of cells as pictures take them, by the names of the columns, so that a table which
 * was read back from a file will do as well.
 */

import type { AxisValue, SweepCell } from '../sweep/sweep.ts';
import { isFiniteNumber } from './axes.ts';
import type { PictureCell } from './data.ts';

/** A row, and the columns that it has; those that it lacks count as empty. */
export interface CellTableRow {
  readonly columns: readonly { readonly name: string }[];
  readonly row: readonly AxisValue[];
}

/** The cell with what its row says; `detectionTicks` of some of its runs are drawn as points. */
export function pictureCell(
  { index, values, refusal }: Pick<SweepCell, 'index' | 'values' | 'refusal'>,
  { columns, row }: CellTableRow,
  detectionTicks: readonly number[] = [],
): PictureCell {
  const known = new Map(columns.map(({ name }, place) => [name, row[place]]));
  const number = (name: string) => {
    const value = known.get(name);
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
