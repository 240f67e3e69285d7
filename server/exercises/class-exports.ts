/**
 * @module
 * Exports of a class as CSV: grades, and what the CSV import of CTFd reads (docs.ctfd.io, Imports, CSV). CTFd takes JSON
 * in the columns of flags and hints (since 3.7), so that commas do not split a text, and hints have costs. It ignores
 * prerequisites, which have ids there; the description names them.
 */

import type { Exercise } from '../../src/exercise/document.ts';
import type { Cell } from '../../src/exercise/reports.ts';
import { csvOf } from '../../src/exercise/reports.ts';
import type { ClassViews } from './class-views.ts';
import type { Classroom } from './classroom.ts';
import type { Course } from './course.ts';

export const EXPORT_NAMES = ['grades', 'ctfdUsers', 'ctfdChallenges'] as const;

export type ExportName = (typeof EXPORT_NAMES)[number];

interface ExportParts {
  readonly course: Course;
  readonly classroom: Classroom;
  readonly views: ClassViews;
}

/** The text of an export. */
export function exportOf(name: ExportName, parts: ExportParts): string {
  return csvOf(TABLES[name](parts));
}

const TABLES: Readonly<Record<ExportName, (parts: ExportParts) => readonly (readonly Cell[])[]>> = {
  grades({ course, classroom, views }) {
    const names = course.exercises.map((exercise) => exercise.name);
    const head = ['student', 'full_name', 'groups', ...names, 'total'];
    const rows = classroom.students.map((member) => {
      const { student, fullName, groups, exercises, score } = views.progressOf(member);
      const scores = exercises.map((cell) => cell.score);
      return [student, fullName ?? '', groups.join(' '), ...scores, score];
    });
    return [head, ...rows];
  },
  // CTFd requires an email address of each user. Mail to .invalid is never delivered (RFC 2606).
  ctfdUsers: ({ classroom }) => [
    ['name', 'email'],
    ...classroom.students.map(({ name }) => [name, `${name}@example.invalid`]),
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
