/**
 * @module
 * For each cell of the attack matrix in which the attack works, the smallest set of defences that stops it,
 * by the same runs as the cell: a level and up to two other defences. The search begins at the lowest level
 * at which the attack works. An attack that no set stops remains, and its behaviour explains why.
 */

import { BEHAVIOURS } from '../../adversary/behaviours/registry.ts';
import { LEVELS } from '../../election/authentication/authenticated.ts';
import { settingsOf } from '../../election/defences/defended.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import type { AttackDefence } from '../document/defence-names.ts';
import type { MatrixAttack, MatrixCell, MatrixRow } from './matrix.ts';
import { cellFacts, cellTrials, MATRIX_ATTACK_NAMES, markOf } from './matrix.ts';
import { findSmallestSet } from './sets.ts';

/** The smallest set that stops an attack. Null if none of the sets that are tried does. */
export type CellSet = readonly AttackDefence[] | null;

/** The most defences of a set besides a level. */
export const OTHERS_MAX = 2;

/** The set for one cell. Undefined if the attack does not work in it, or the search was interrupted. */
export async function cellSet(
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
    // It keeps forged identities out, as frozen membership does.
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
      ...{ sizeMin: 1, othersMax: OTHERS_MAX, isPlayable },
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
