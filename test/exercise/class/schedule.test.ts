/**
 * @module
 * Deadlines in time zones, late submissions, and scores.
 */

import { describe, expect, it } from 'vitest';

import type { ClassDocument } from '../../../src/exercise/class/class-document.ts';
import { instantOf, localText } from '../../../src/exercise/class/class-document.ts';
import {
  ALWAYS_OPEN,
  creditedPoints,
  phaseAt,
  scheduleOf,
  scoreOf,
  standingsOf,
} from '../../../src/exercise/class/schedule.ts';

const HOUR_MS = 3_600_000;

describe('a time', () => {
  it.each([
    ['2026-10-15T23:59', 'Europe/Berlin', '2026-10-15T21:59:00.000Z'],
    ['2026-01-15T23:59:30', 'Europe/Berlin', '2026-01-15T22:59:30.000Z'],
    ['2026-10-15T23:59+05:30', 'Europe/Berlin', '2026-10-15T18:29:00.000Z'],
    ['2026-10-15T23:59-08:00', 'UTC', '2026-10-16T07:59:00.000Z'],
    ['2024-02-29T00:00Z', 'Asia/Tokyo', '2024-02-29T00:00:00.000Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00:00.000Z'],
    ['2026-10-25T02:30+01:00', 'Europe/Berlin', '2026-10-25T01:30:00.000Z'],
    ['2026-12-31T23:00', 'America/St_Johns', '2027-01-01T02:30:00.000Z'],
  ])('%s in %s is %s', (text, zone, utc) => {
    expect(instantOf(text, zone)).toBe(Date.parse(utc));
  });

  it.each([
    ['2026-10-15T21:59:00Z', 'Europe/Berlin', '2026-10-15 23:59'],
    ['2026-10-15T21:59:30Z', 'UTC', '2026-10-15 21:59:30'],
    ['2026-10-25T01:30:00Z', 'Europe/Berlin', '2026-10-25 02:30 (UTC+1 h)'],
    ['2027-01-01T02:30:00Z', 'America/St_Johns', '2026-12-31 23:00'],
  ])('%s is shown in %s as %s', (utc, zone, text) => {
    expect(localText(Date.parse(utc), zone)).toBe(text);
  });

  it.each(['2026-13-01T00:00', '2026-04-31T00:00', '2026-01-01T24:00', '2026-01-01', 'tomorrow'])(
    '%s is none',
    (text) => expect(instantOf(text, 'UTC')).toMatch(/must be a time/),
  );
});

const LATE = { until: 172_800, deduct: 0.1, per: 86_400 };
const DOCUMENT: Pick<ClassDocument, 'timeZone' | 'exercises' | 'late'> = {
  timeZone: 'UTC',
  late: LATE,
  exercises: [
    {
      name: 'one',
      opens: '2026-10-01T00:00',
      deadline: '2026-10-10T00:00',
      extensions: { a: '2026-10-11T00:00', ann: '2026-10-12T00:00' },
    },
    { name: 'strict', deadline: '2026-10-10T00:00', extensions: {}, late: null },
    { name: 'free', extensions: {} },
  ],
};

function scheduleFor(exercise: string, name = 'bob', groups: string[] = []) {
  // The other members of a class decide nothing here.
  return scheduleOf(DOCUMENT as ClassDocument, exercise, { name, groups });
}

const at = (text: string) => Date.parse(`2026-10-${text}Z`);

describe('an exercise of a class', () => {
  it.each([
    ['one', at('01T00:00') - 1, 'hidden'],
    ['one', at('01T00:00'), 'open'],
    ['one', at('10T00:00'), 'open'],
    ['one', at('10T00:00') + 1, 'late'],
    ['one', at('12T00:00'), 'late'],
    ['one', at('12T00:00') + 1, 'over'],
    ['strict', at('10T00:00'), 'open'],
    ['strict', at('10T00:00') + 1, 'over'],
    ['free', Number.MAX_SAFE_INTEGER, 'open'],
  ])('%s at %i is %s', (exercise, ms, phase) => {
    expect(phaseAt(scheduleFor(exercise), ms)).toBe(phase);
  });

  it('has the latest deadline of its student and its groups', () => {
    expect(scheduleFor('one', 'bob', ['a']).deadlineMs).toBe(at('11T00:00'));
    expect(scheduleFor('one', 'ann', ['a']).deadlineMs).toBe(at('12T00:00'));
  });

  it.each([
    [0, 30],
    [1, 27],
    [24 * HOUR_MS, 27],
    [24 * HOUR_MS + 1, 24],
    [72 * HOUR_MS, 21],
    [400 * HOUR_MS, 0],
  ])('credits 30 points that are %i ms late with %i', (lateMs, points) => {
    const schedule = scheduleFor('one');

    expect(creditedPoints(30, at('10T00:00') + lateMs, schedule)).toBe(points);
  });
});

describe('a score', () => {
  const submission = (createdMs: number, points: number, status = 'partial') => ({
    ...{ createdMs, points, status },
  });

  it('is the best credited submission less the hints, and not negative', () => {
    const submissions = [submission(1, 10), submission(2, 30, 'correct')];
    const hints = [{ takenMs: 1, cost: 5 }];

    expect(scoreOf({ submissions, hints }, { schedule: ALWAYS_OPEN })).toMatchObject({
      ...{ points: 25, solvedMs: 2 },
    });
    expect(scoreOf({ submissions: [], hints }, { schedule: ALWAYS_OPEN })).toMatchObject({
      ...{ points: 0, solvedMs: null },
    });
  });

  it('of an early partial solution can exceed that of a late complete one', () => {
    const deadline = at('10T00:00');
    const submissions = [submission(deadline, 20), submission(deadline + 1, 20, 'correct')];

    expect(scoreOf({ submissions, hints: [] }, { schedule: scheduleFor('one') }).points).toBe(20);
  });

  it('counts what was received until a time', () => {
    const work = { submissions: [submission(5, 10)], hints: [{ takenMs: 7, cost: 3 }] };

    expect(
      [4, 5, 7].map((ms) => scoreOf(work, { schedule: ALWAYS_OPEN, untilMs: ms }).points),
    ).toEqual([0, 10, 7]);
  });

  it('of equal points gives one rank', () => {
    const scores = (points: number) => [{ points, solvedMs: null }];
    const students = [
      { student: 'bob', scores: scores(5) },
      { student: 'ann', scores: scores(5) },
      { student: 'cem', scores: [...scores(1), { points: 0, solvedMs: 3 }] },
      { student: 'dan', scores: scores(9) },
    ];

    const standings = standingsOf(students);

    expect(standings.map(({ student, rank, solved }) => [student, rank, solved])).toEqual([
      ['dan', 1, 0],
      ['ann', 2, 0],
      ['bob', 2, 0],
      ['cem', 4, 1],
    ]);
  });
});
