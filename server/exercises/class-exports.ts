/**
 * @module
 * The exports of a class as CSV: grades for other programs, rosters, and what the CSV import of CTFd reads (docs.ctfd.io,
 * Imports, CSV). CTFd takes JSON in the columns of flags and hints (since 3.7), so that commas do not split a text, and hints
 * have costs. It ignores prerequisites, which have ids there; the description names them.
 */

import type { Exercise } from '../../src/exercise/document.ts';
import { csvOf } from '../../src/exercise/reports.ts';
import type { Classroom } from './classroom.ts';
import type { Course } from './course.ts';
import type { GradeBook, Table } from './grade-tables.ts';
import {
  canvasTable,
  ctfdScoreboardTable,
  githubClassroomTable,
  gradescopeTable,
  moodleTable,
  plainTable,
} from './grade-tables.ts';

interface ExportParts {
  readonly course: Course;
  readonly classroom: Classroom;
}

type MakeTable = (parts: ExportParts) => Table;

/** The names of the exports. */
export const EXPORT_NAMES = [
  ...(['grades', 'canvas', 'moodle', 'gradescope', 'githubClassroom'] as const),
  ...(['ctfdScoreboard', 'ctfdUsers', 'ctfdChallenges', 'roster'] as const),
] as const;

export type ExportName = (typeof EXPORT_NAMES)[number];

/** The text of an export. */
export function exportOf(name: ExportName, parts: ExportParts): string {
  return csvOf(TABLES[name](parts));
}

const ofGrades =
  (table: (book: GradeBook) => Table): MakeTable =>
  (parts) =>
    table(gradeBookOf(parts));

const TABLES: Readonly<Record<ExportName, MakeTable>> = {
  grades: ofGrades(plainTable),
  canvas: ofGrades(canvasTable),
  moodle: ofGrades(moodleTable),
  gradescope: ofGrades(gradescopeTable),
  githubClassroom: ofGrades(githubClassroomTable),
  ctfdScoreboard: ofGrades(ctfdScoreboardTable),
  // The columns of a roster of Gradescope.
  roster: ({ classroom }) => [
    ['Full Name', 'Email', 'SID', 'Section', 'Username'],
    ...classroom.students.map(({ name, fullName, email, lmsId, groups }) => {
      return [fullName ?? name, email ?? '', lmsId ?? '', groups.join(', '), name];
    }),
  ],
  // CTFd requires an email address of each user. Mail to .invalid is never delivered (RFC 2606).
  ctfdUsers: ({ classroom }) => [
    ['name', 'email'],
    ...classroom.students.map(({ name, email }) => [name, email ?? `${name}@example.invalid`]),
  ],
  ctfdChallenges: ({ course }) => [
    [
      ...['name', 'category', 'description', 'value', 'type', 'state', 'max_attempts'],
      ...['flags', 'tags', 'hints'],
    ],
    ...course.exercises.map((exercise) => {
      const { title, category, points, difficulty, hints } = exercise;
      const flag = course.flagOf(exercise);
      const flags = flag === null ? [] : [{ type: 'static', content: flag }];
      return [
        ...[title, category, describedFor(exercise, course), points, 'standard', 'hidden', 0],
        JSON.stringify(flags),
        `difficulty ${difficulty}`,
        JSON.stringify(hints.map(({ content, cost }) => ({ content, cost }))),
      ];
    }),
  ],
};

function gradeBookOf({ course, classroom }: ExportParts): GradeBook {
  const { exercises, submissions, decisions } = course;
  return {
    exercises: exercises.map(({ name, title, points }) => ({ name, title, pointsMax: points })),
    students: classroom.students.map((member) => ({
      ...member,
      cells: exercises.map((exercise) => {
        const { name: student } = member;
        const { name, version } = exercise;
        const score = course.scoreOf(exercise, student);
        const isTouched = submissions.list({ student, exercise: name, version }).length > 0;
        return {
          points: isTouched || score.isManual ? score.points : null,
          submittedMs: score.countedMs,
          lateMs: score.lateMs,
          comment: decisions.commentOf('grade', student, name),
        };
      }),
    })),
  };
}

/** The statement, with what CTFd has no column for. */
function describedFor({ name, statement, requires }: Exercise, course: Course): string {
  const titles = course.exercises.filter((each) => requires.includes(each.name));
  const before = titles.map(({ title }) => title).join('; ');
  return [
    // A hyphen at the beginning of a line would be escaped as that of a formula.
    statement.trimEnd().replaceAll(/^( *)- /gm, '$1* '),
    `The name of the exercise in usurp is \`${name}\`.`,
    ...(before === '' ? [] : [`Solve before: ${before}.`]),
  ].join('\n\n');
}
