/**
 * @module
 * The rows of the tables of a class: which students are shown in which order, and places of a scoreboard without names that are
 * equal, as one row.
 */

import type { Schema } from '../api/contract.ts';

type Progress = Schema<'Progress'>;
type Standing = Schema<'Standing'>;

/** The orders of the students, by their names in the address. */
export const ORDERS = ['name', 'score', 'not joined first'] as const;

interface Arrangement {
  /** Words that the name, the full name or the groups contain. */
  readonly search: string;
  readonly order: string;
}

/** The students that match, in an order. Equal students are in the order of the server. */
export function arranged(
  students: readonly Progress[],
  { search, order }: Arrangement,
): readonly Progress[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = students.filter(({ student, fullName, groups }) => {
    const text = [student, fullName ?? '', ...groups].join(' ').toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (order === 'score') return found.toSorted((left, right) => right.score - left.score);
  if (order !== 'not joined first') return found;
  return found.toSorted((left, right) => Number(left.hasJoined) - Number(right.hasJoined));
}

/** A place of a scoreboard with the number of students that have it. */
export interface ScoreRow {
  readonly standing: Standing;
  readonly students: number;
}

/** The rows. Students without names who have the same rank, points and solved exercises are one place. */
export function rowsOf(standings: readonly Standing[]): readonly ScoreRow[] {
  const rows: ScoreRow[] = [];
  for (const standing of standings) {
    const last = rows.at(-1);
    if (last !== undefined && isEqual(last.standing, standing)) {
      rows.splice(-1, 1, { ...last, students: last.students + 1 });
    } else rows.push({ standing, students: 1 });
  }
  return rows;
}

function isEqual(left: Standing, right: Standing): boolean {
  const isNamed = ({ student, isYou }: Standing) => isYou || student !== null;
  const sameScore = left.points === right.points && left.solved === right.solved;
  return !isNamed(left) && !isNamed(right) && left.rank === right.rank && sameScore;
}
