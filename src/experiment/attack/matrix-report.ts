/**
 * @module
 * The attack matrix as a report, row by row: what each attack does to each protocol at each level, and on
 * request the smallest sets of defences that stop it. An interrupted matrix has the rows that were finished.
 */

import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import type { MatrixAttack, PlayedRow } from './matrix.ts';
import { attackMatrix, MATRIX_ATTACK_NAMES, markOf } from './matrix.ts';
import type { SetsRow } from './matrix-sets.ts';
import { remainingReason, setsOfRow } from './matrix-sets.ts';

/** What is sought. */
export interface MatrixPlan {
  readonly seed: Seed;
  /** The rows. */
  readonly protocols: readonly ProtocolName[];
  /** Whether sets of defences are sought. */
  readonly hasSets: boolean;
}

/** What was found. The sets are those of the first rows, or of none. */
export interface AttackMatrix extends MatrixPlan {
  readonly rows: readonly PlayedRow[];
  readonly sets: readonly SetsRow[];
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
  onRow: (matrix: AttackMatrix) => void = () => undefined,
): Promise<AttackMatrix> {
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

/** A row as data. Attacks that do not apply to the protocol have no cell. `all` are the rows of sets. */
export function reportedRow({ protocol, cells, runs }: PlayedRow, all: readonly SetsRow[]) {
  const played = MATRIX_ATTACK_NAMES.filter((attack) => cells[attack] !== '');
  const { sets = {} } = all.find((row) => row.protocol === protocol) ?? {};
  return {
    protocol,
    cells: played.map((attack) => {
      const byLevel = cells[attack];
      const smallest = sets[attack];
      const found = smallest === undefined ? {} : { smallestSet: smallest };
      const reason = smallest === null ? { remains: remainingReason(protocol, attack) } : {};
      return { attack, byLevel, mark: markOf(byLevel), ...found, ...reason, shown: runs[attack] };
    }),
  };
}
