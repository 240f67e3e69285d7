/**
 * @module
 * The attack matrix as a report, row by row: what each attack does to each protocol at each level, and on
 * request the smallest sets of defences that stop it. An interrupted matrix has the rows that were finished.
 */

import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { settingsOf } from '../../election/defences/defended.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import type { AttackDefence } from '../document/defence-names.ts';
import type { MatrixAttack, MatrixCell, MatrixRow, PlayedRow } from './matrix.ts';
import { attackMatrix, cellFacts, cellTrials, MATRIX_ATTACK_NAMES, markOf } from './matrix.ts';
import { findSmallestSet } from './sets.ts';

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

/** The smallest set that stops an attack. Null if none of the sets that are tried does. */
type CellSet = readonly AttackDefence[] | null;

/** The most defences of a set besides a level. */
const OTHERS_MAX = 2;

/** The set for one cell. Undefined if the attack does not work in it, or the search was interrupted. */
async function cellSet(
  {
    protocol,
    attack,
    cell,
  }: {
    readonly protocol: ProtocolName;
    readonly attack: MatrixAttack;
    readonly cell: MatrixCell;
  },
  seed: Seed,
  goOn: () => Promise<boolean>,
): Promise<CellSet | undefined> {
  const lowest = LEVELS[[...cell].findIndex((letter) => /[A-Z]/.test(letter))];
  if (lowest === undefined) return undefined;
  const trials = cellTrials(protocol, attack, seed);
  const { isForging, behaviours } = cellFacts(protocol, attack);
  const isPlayable = (defence: AttackDefence) => {
    // Proof of work keeps forged identities out, as frozen membership does.
    if (defence === 'proof-of-work') return false;
    const other =
      defence === 'successor-list' ? settingsOf([defence], protocol).protocol : undefined;
    const fits = (played: ProtocolName) =>
      behaviours.every((name) => BEHAVIOURS[name].unsupportedReason(played) === null);
    return other === undefined || fits(other);
  };
  const found = await findSmallestSet(
    { protocol, level: lowest, defences: [], isForging },
    {
      sizeMin: 1,
      othersMax: OTHERS_MAX,
      isPlayable,
      async stops(set) {
        if (!(await goOn())) return 'cancelled';
        const letters: string[] = [];
        for (const trial of trials) {
          const { letter } = trial(lowest, set);
          if (/[A-Z]/.test(letter)) return false;
          letters.push(letter);
        }
        return letters.every((letter) => letter === '-') ? true : null;
      },
    },
  );
  return found === null ? undefined : found.smallest;
}

/** Why an attack remains on a protocol, from the definitions of its behaviours. Null if none explains it. */
export function remainingReason(protocol: ProtocolName, attack: MatrixAttack): string | null {
  const { behaviours } = cellFacts(protocol, attack);
  const reasons = behaviours.flatMap((name) => BEHAVIOURS[name].remains(protocol) ?? []);
  return reasons[0] ?? null;
}

/** The set for each cell in which the attack works. */
export interface SetsRow {
  readonly protocol: ProtocolName;
  readonly sets: Readonly<Partial<Record<MatrixAttack, CellSet>>>;
}

/** The sets of all cells of a row. Null if interrupted. */
export async function setsOfRow(
  { protocol, cells }: MatrixRow,
  seed: Seed,
  goOn: (attack: MatrixAttack) => Promise<boolean>,
): Promise<SetsRow | null> {
  const sets: Partial<Record<MatrixAttack, CellSet>> = {};
  for (const attack of MATRIX_ATTACK_NAMES) {
    const cell = cells[attack];
    if (markOf(cell) === '') continue;
    const set = await cellSet({ protocol, attack, cell }, seed, () => goOn(attack));
    if (set === undefined) return null;
    sets[attack] = set;
  }
  return { protocol, sets };
}
