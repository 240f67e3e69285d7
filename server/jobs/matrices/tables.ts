/**
 * @module
 * The matrices as tables with a line for each cell.
 */

import type { AttackMatrixReport } from '../../../src/experiment/attack/matrix-report.ts';
import { reportAttackMatrix } from '../../../src/experiment/attack/matrix-report.ts';
import type { Column, TableRow } from '../../../src/experiment/sweep/columns.ts';
import { column } from '../../../src/experiment/sweep/columns.ts';
import { FAULT_EFFECTS } from '../../../src/simulation/conform/fault-row.ts';
import type { ResultTable } from '../table-answers.ts';
import type { MatrixResult } from './matrix.ts';

/** The matrix as a table with a line for each cell. */
export function matrixTable(result: MatrixResult): ResultTable {
  if (result.matrix === 'attack') {
    const { rows } = reportAttackMatrix(result.found);
    return { columns: ATTACK_COLUMNS, rows: rows.flatMap(attackLines) };
  }
  return {
    columns: FAULT_COLUMNS,
    rows: result.rows.flatMap(({ protocol, cells }) =>
      cells.map(({ fault, stated, runs, seen, agrees }) => [
        ...[protocol, fault, stated, runs, agrees],
        ...FAULT_EFFECTS.map((effect) => seen.find((each) => each.effect === effect)?.runs ?? 0),
      ]),
    ),
  };
}

const FAULT_COLUMNS = [
  column('protocol', 'text', 'protocol of the elections'),
  column('fault', 'text', 'fault of the matrix'),
  column('stated', 'text', 'what the definition of the protocol states'),
  column('runs', 'integer', 'runs of the cell'),
  column('agrees', 'text', 'whether the runs agree with it: true, false or unknown'),
  ...FAULT_EFFECTS.map((effect) =>
    column(effect.replace(' ', '_'), 'integer', `runs that showed ${effect}`),
  ),
];

const ATTACK_COLUMNS: readonly Column[] = [
  column('protocol', 'text', 'protocol of the elections'),
  column('attack', 'text', 'attack of the catalogue'),
  column(
    'by_level',
    'text',
    'for L0 to L3: the aim that was reached (L lead, N stop, S split), - none, ? unknown',
  ),
  column('mark', 'text', '○ works even at L3, ● works only at lower levels, empty: has no effect'),
  column('smallest_set', 'text', 'smallest set of defences that stops it, joined by +'),
  column('remains', 'text', 'why no set stops it'),
];

function attackLines({ protocol, cells }: AttackMatrixReport['rows'][number]): TableRow[] {
  return cells.map(({ attack, byLevel, mark, smallestSet = null, remains = null }) => {
    return [protocol, attack, byLevel, mark, smallestSet?.join('+') ?? null, remains];
  });
}
