/**
 * @module
 * The attack matrix as a report, row by row: what each attack does to each protocol at each level, and on
 * request the smallest sets of defences that stop it. An interrupted matrix has the rows that were finished.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import type { MatrixAttack, MatrixRow, PlayedRow } from './matrix.ts';
import { attackMatrix, MATRIX_ATTACK_NAMES, markOf } from './matrix.ts';
import type { CellSet, SetsRow } from './matrix-sets.ts';
import { remainingReason, setsOfRow } from './matrix-sets.ts';

/** Default seed: the matrix is the same for every reader. */
export const MATRIX_SEED = parseSeed('1');

/** What is sought. */
export interface MatrixPlan {
  readonly seed: Seed;
  /** The rows. */
  readonly protocols: readonly ProtocolName[];
  /** Whether sets of defences are sought. */
  readonly hasSets: boolean;
}

/** What was found. The sets are those of the first rows, or of none. */
export interface AttackMatrix<Row extends MatrixRow = MatrixRow> extends MatrixPlan {
  readonly rows: readonly Row[];
  readonly sets: readonly SetsRow[];
}

export interface AttackMatrixReport {
  readonly attacks: readonly MatrixAttack[];
  readonly rows: readonly {
    readonly protocol: ProtocolName;
    readonly cells: readonly ReportedCell[];
  }[];
  readonly seed: Seed;
  readonly replay: string;
}

/** The cell of an attack that applies to the protocol. */
export interface ReportedCell {
  readonly attack: MatrixAttack;
  /** See `MatrixCell`. */
  readonly byLevel: string;
  readonly mark: '○' | '●' | '';
  /** Null if none of the sets that were tried stops the attack. */
  readonly smallestSet?: CellSet;
  /** Why the attack remains. */
  readonly remains?: string | null;
}

/** Where a matrix is, before each of its cells. */
export interface MatrixStep {
  readonly phase: 'attacks' | 'defences';
  readonly protocol: ProtocolName;
  readonly attack: MatrixAttack;
  /** Rows of this phase that are done, and all of them. */
  readonly done: number;
  readonly total: number;
}

/**
 * Runs the matrix. `goOn` is called before each cell; after it has returned false the matrix has the rows
 * that are complete. `onRow` receives the matrix whenever it has another row or set.
 */
export async function runAttackMatrix(
  plan: MatrixPlan,
  goOn: (step: MatrixStep) => Promise<boolean>,
  onRow: (matrix: AttackMatrix<PlayedRow>) => void = () => undefined,
): Promise<AttackMatrix<PlayedRow>> {
  const { seed, hasSets, protocols } = plan;
  const rows: PlayedRow[] = [];
  const sets: SetsRow[] = [];
  const matrix = { ...plan, rows, sets };
  const total = protocols.length;
  const ofAttacks = (protocol: ProtocolName, attack: MatrixAttack) =>
    goOn({ phase: 'attacks', protocol, attack, done: rows.length, total });
  for await (const row of attackMatrix(seed, ofAttacks, protocols)) {
    rows.push(row);
    onRow(matrix);
  }
  if (!hasSets || rows.length < total) return matrix;
  for (const row of rows) {
    const { protocol } = row;
    const found = await setsOfRow(row, seed, (attack) =>
      goOn({ phase: 'defences', protocol, attack, done: sets.length, total }),
    );
    if (found === null) break;
    sets.push(found);
    onRow(matrix);
  }
  return matrix;
}

/** The matrix as data. Attacks that do not apply to a protocol have no cell. */
export function reportAttackMatrix({
  seed,
  protocols,
  hasSets,
  rows,
  sets,
}: AttackMatrix): AttackMatrixReport {
  const isWhole = protocols.length === PROTOCOL_NAMES.length;
  const flags = `${isWhole ? '' : ` --protocols ${protocols.join(',')}`}${hasSets ? ' --sets' : ''}`;
  return {
    attacks: MATRIX_ATTACK_NAMES,
    rows: rows.map((row) => reportedRow(row, sets)),
    ...{ seed, replay: `usurp attack --matrix${flags} --seed ${seed}` },
  };
}

function reportedRow(
  { protocol, cells }: MatrixRow,
  all: readonly SetsRow[],
): AttackMatrixReport['rows'][number] {
  const played = MATRIX_ATTACK_NAMES.filter((attack) => cells[attack] !== '');
  const { sets = {} } = all.find((row) => row.protocol === protocol) ?? {};
  return {
    protocol,
    cells: played.map((attack) => {
      const byLevel = cells[attack];
      const smallest = sets[attack];
      const found = smallest === undefined ? {} : { smallestSet: smallest };
      const reason = smallest === null ? { remains: remainingReason(protocol, attack) } : {};
      return { attack, byLevel, mark: markOf(byLevel), ...found, ...reason };
    }),
  };
}
