/**
 * @module
 * The tables of a class: students are found, ordered, and anonymous places that are equal are one row.
 */

import { describe, expect, it } from 'vitest';

import { arranged, rowsOf } from '../../../server/web/exercises/class-tables.ts';

const student = (name: string, score: number, hasJoined: boolean) => ({
  ...{ student: name, fullName: `${name} Example`, email: null, lmsId: null },
  ...{ groups: [name < 'c' ? 'red' : 'blue'], hasJoined, score, exercises: [] },
});
const CLASS = [student('ann', 5, true), student('bob', 9, false), student('cem', 9, true)];

describe('the progress of a class', () => {
  it.each([
    ['', 'name', 'ann bob cem'],
    ['', 'score', 'bob cem ann'],
    ['', 'not joined first', 'bob ann cem'],
    ['RED example', 'score', 'bob ann'],
    ['cem', 'name', 'cem'],
    ['dan', 'name', ''],
  ])('with the search %j by %s is %j', (search, order, names) => {
    const found = arranged(CLASS, { search, order });

    expect(found.map((each) => each.student).join(' ')).toBe(names);
  });
});

describe('a scoreboard', () => {
  const standing = (rank: number, name: string | null, isYou = false) => ({
    ...{ rank, student: name, isYou, points: 10 - rank, solved: 1 },
  });

  it('has equal places without names once, with the number of students', () => {
    const rows = rowsOf([
      standing(1, null),
      standing(2, null),
      standing(2, null),
      standing(2, 'me', true),
    ]);

    expect(rows.map(({ students }) => students)).toEqual([1, 2, 1]);
  });

  it('has each student with a name', () => {
    expect(rowsOf([standing(1, 'ann'), standing(1, 'bob')])).toHaveLength(2);
  });
});
