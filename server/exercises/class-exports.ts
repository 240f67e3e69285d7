/**
 * @module
 * Exports of a class as CSV: grades, and what the CSV import of CTFd reads (`name,email,…` of users, `name,description,…`
 * of challenges).
 */

import type { Cell } from '../../src/exercise/reports/csv.ts';
import { csvOf } from '../../src/exercise/reports/csv.ts';
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
    ['name', 'category', 'description', 'value', 'type', 'state', 'max_attempts'],
    ...course.exercises.map(({ title, category, statement, points }) => {
      return [title, category, statement, points, 'standard', 'hidden', 0];
    }),
  ],
};
