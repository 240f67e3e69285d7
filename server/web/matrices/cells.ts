/**
 * @module
 * The cells of both matrices as signs with words, and the runs that they rest on.
 */

import type { Schema } from '../api/contract.ts';

export type AttackCell = Schema<'AttackMatrix'>['rows'][number]['cells'][number];
export type FaultCell = Schema<'FaultMatrix'>['rows'][number]['cells'][number];
export type MatrixJob = Schema<'AttackMatrixJob'> | Schema<'FaultMatrixJob'>;
export type MatrixResult = Schema<'AttackMatrix'> | Schema<'FaultMatrix'>;

/** Whether the columns are attacks, not faults. */
export function hasAttacks(result: MatrixResult): result is Schema<'AttackMatrix'> {
  return 'attacks' in result;
}

/** What a cell shows: a sign, and a word that says the same. */
export interface CellMark {
  readonly sign: string;
  readonly word: string;
  /** For colours, which repeat what the word says. */
  readonly tone: 'harm' | 'some' | 'none' | 'unknown';
}

const LEVELS = ['L0', 'L1', 'L2', 'L3'] as const;

/** The letters of a cell of the attack matrix in words. */
export const LETTERS: Readonly<Record<string, string>> = {
  L: 'the adversary leads',
  N: 'no leader lasts',
  S: 'two nodes lead',
  '-': 'no effect',
  '?': 'unknown: the election fails without the attack too',
};

/** How far an attack works. */
export function attackMark({ byLevel, mark }: Pick<AttackCell, 'byLevel' | 'mark'>): CellMark {
  if (mark === '○') return { sign: '○', word: 'even at L3', tone: 'harm' };
  if (mark === '●') {
    const highest = LEVELS.findLast((_, index) => /[A-Z]/.test(byLevel[index] ?? '')) ?? 'L0';
    return { sign: '●', word: highest === 'L0' ? 'only at L0' : `up to ${highest}`, tone: 'some' };
  }
  if (byLevel.includes('?')) return { sign: '?', word: 'unknown', tone: 'unknown' };
  return { sign: '·', word: 'no effect', tone: 'none' };
}

/** What a fault did, and whether the definition of the protocol says so. */
export function faultMark({
  seen,
  agrees,
}: {
  readonly seen: readonly Pick<FaultCell['seen'][number], 'effect'>[];
  readonly agrees: FaultCell['agrees'];
}): CellMark {
  const word = seen.length === 0 ? 'ok' : seen.map(({ effect }) => effect).join(' ');
  if (agrees === 'false') return { sign: '✗', word: `${word}, not stated`, tone: 'harm' };
  if (agrees === 'unknown') {
    return { sign: '?', word: `${word}, not all stated`, tone: 'unknown' };
  }
  return seen.length === 0 ? { sign: '·', word, tone: 'none' } : { sign: '●', word, tone: 'some' };
}

/** A row of a matrix: the marks by column. */
export interface MarkedRow {
  readonly protocol: string;
  readonly marks: ReadonlyMap<string, CellMark>;
}

/** The columns of a matrix, and its rows with their marks. */
export function markedRows(result: MatrixResult): {
  readonly columns: readonly string[];
  readonly rows: readonly MarkedRow[];
} {
  if (hasAttacks(result)) {
    const rows = result.rows.map(({ protocol, cells }) => {
      return { protocol, marks: new Map(cells.map((cell) => [cell.attack, attackMark(cell)])) };
    });
    return { columns: result.attacks, rows };
  }
  const rows = result.rows.map(({ protocol, cells }) => {
    return { protocol, marks: new Map(cells.map((cell) => [cell.fault, faultMark(cell)])) };
  });
  const columns = new Set(result.rows.flatMap(({ cells }) => cells.map(({ fault }) => fault)));
  return { columns: [...columns], rows };
}

/** A run that a cell rests on, as the rows of the job have it. */
export interface MatrixRun {
  readonly protocol: string;
  readonly attack?: string;
  readonly fault?: string;
  /** Absent in the fault matrix. */
  readonly level?: string;
  readonly shows: string | null;
  readonly seed: string;
  readonly nodes: number;
  readonly adversary: string;
  readonly leader: number | null;
  readonly messages: number;
  readonly until: string;
  /** The election as JSON. Null if the server does not play its nodes. */
  readonly saved: string | null;
}

/** The runs of a cell, in the order of the table. */
export function runsOfCell(
  runs: readonly MatrixRun[],
  cell: { readonly protocol: string; readonly column: string },
): readonly MatrixRun[] {
  return runs.filter(
    ({ protocol, attack, fault }) =>
      protocol === cell.protocol && (attack ?? fault) === cell.column,
  );
}
