/**
 * @module
 * One cell of the fault matrix, and the words for it: what one fault can do to some protocols.
 *
 * `ok`: safe in every run, elects in every run, and nothing has to heal for it. `ok/L`: the same,
 * where progress may stop until the fault is over. `stop`: never unsafe; but what is lost is lost, and
 * a run that cannot finish comes to rest without a leader. `X`: each property in `breaks` is violated
 * in some run, and no other. `-`: does not apply.
 */

import type { ColumnName } from './columns.ts';
import type { SafetyProperty } from './judge.ts';

export interface Cell {
  readonly columns: readonly ColumnName[];
  readonly expected: 'ok' | 'ok/L' | 'stop' | 'X' | '-';
  readonly breaks: readonly SafetyProperty[];
  /** Seen in fewer than one run in 400: allowed, and not looked for. */
  readonly rarely: readonly (SafetyProperty | 'L')[];
  /** Whether messages can come to multiply without end, until the run is cut off. */
  readonly storms: boolean;
  /** Whether two leaders can stand side by side for good, or somebody refuse to, so that time is up. */
  readonly splits: boolean;
  readonly why: string;
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
  return { breaks: [], rarely: [], storms: false, splits: false, ...given };
}
