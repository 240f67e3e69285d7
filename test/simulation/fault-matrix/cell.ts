/**
 * @module
 * One cell of the fault matrix, and the words for it: what one fault can do to some protocols.
 *
 * `ok`: safe in every run, elects in every run, and nothing has to heal for it. `ok/L`: the same,
 * where progress may stop until the fault is over. `stop`: never unsafe; but what is lost is lost, and
 * a run that cannot finish comes to rest without a leader. `X`: each property in `breaks` is violated
 * in some run, and no other. `-`: does not apply.
 */

import type { FaultCell } from '../../../src/election/definition/fault-row.ts';
import type { ColumnName } from './columns.ts';

export interface Cell extends FaultCell {
  readonly columns: readonly ColumnName[];
}

type More = Partial<Pick<Cell, 'rarely' | 'storms' | 'splits'>>;
type Names = readonly ColumnName[];

export function ok(columns: Names, why: string, more?: More): Cell {
  return cell({ columns, expected: 'ok', why, ...more });
}

export function live(columns: Names, why: string, more?: More): Cell {
  return cell({ columns, expected: 'ok/L', why, ...more });
}

export function stop(columns: Names, why: string, more?: More): Cell {
  return cell({ columns, expected: 'stop', why, ...more });
}

export function breaks(what: Cell['breaks'], columns: Names, why: string, more?: More): Cell {
  return cell({ columns, expected: 'X', breaks: what, why, ...more });
}

export function none(columns: Names, why: string): Cell {
  return cell({ columns, expected: '-', why });
}

function cell(given: Partial<Cell> & Pick<Cell, 'columns' | 'expected' | 'why'>): Cell {
  return { breaks: [], rarely: [], late: [], storms: false, splits: false, ...given };
}
