/**
 * @module
 * The grades of a class in the formats of other programs, as tables. Each has the maximum of points, and says which work was
 * late, as far as its format has a place for it.
 *
 * - Canvas: the import of its gradebook (lib/gradebook_importer.rb): Student, ID, SIS User ID, SIS Login ID, Section, then
 *   assignments; a line "Points Possible"; an empty cell changes nothing.
 * - Moodle: the CSV import of grades (docs.moodle.org, Grade import): columns are mapped by hand, "-" is no grade, and a
 *   column of feedback has to be imported with that of its grades.
 * - Gradescope: the table of all grades of a course that it exports.
 * - GitHub Classroom: the table of grades that it exports, a line for each student and assignment.
 * - CTFd: the table `scoreboard` that it exports (CTFd/utils/csv).
 */

import type { Cell } from '../../src/exercise/reports.ts';
import { timeText } from '../contract/members.ts';

/** An exercise as a column of grades. */
export interface GradedExercise {
  readonly name: string;
  readonly title: string;
  readonly pointsMax: number;
}

/** The grade of one student for one exercise. */
export interface GradeCell {
  /** Null if nothing was submitted and no grade was set. */
  readonly points: number | null;
  /** When the submission was received that counts; null without one. */
  readonly submittedMs: number | null;
  readonly lateMs: number;
  /** The comment of an instructor; null for none. */
  readonly comment: string | null;
}

export interface GradedStudent {
  readonly name: string;
  readonly fullName: string | null;
  readonly email: string | null;
  readonly lmsId: string | null;
  readonly groups: readonly string[];
  /** In the order of the exercises. */
  readonly cells: readonly GradeCell[];
}

/** The grades of a class. */
export interface GradeBook {
  readonly exercises: readonly GradedExercise[];
  readonly students: readonly GradedStudent[];
}

export type Table = readonly (readonly Cell[])[];

function totalOf(cells: readonly GradeCell[]): number {
  return cells.reduce((sum, { points }) => sum + (points ?? 0), 0);
}

/** The grades in a table of usurp. An empty cell is no submission, and 0 a wrong one. */
export function plainTable({ exercises, students }: GradeBook): Table {
  const names = exercises.map(({ name }) => name);
  const pointsMax = exercises.reduce((sum, each) => sum + each.pointsMax, 0);
  return [
    [
      ...['student', 'full_name', 'groups', ...names, 'total'],
      ...['points_max', 'late', 'email', 'lms_id'],
    ],
    ...students.map(({ name, fullName, email, lmsId, groups, cells }) => [
      ...[name, fullName ?? '', groups.join(' ')],
      ...cells.map(({ points }) => points ?? ''),
      ...[totalOf(cells), pointsMax],
      names.filter((_, index) => (cells[index]?.lateMs ?? 0) > 0).join(' '),
      ...[email ?? '', lmsId ?? ''],
    ]),
  ];
}

/** The grades for the import of Canvas. */
export function canvasTable({ exercises, students }: GradeBook): Table {
  // Canvas reads a number in brackets at the end as the id of an assignment.
  const titles = exercises.map(({ title }) => title.replace(/\((\d+)\)$/, '[$1]'));
  return [
    ['Student', 'ID', 'SIS User ID', 'SIS Login ID', 'Section', ...titles],
    ['Points Possible', '', '', '', '', ...exercises.map(({ pointsMax }) => pointsMax)],
    ...students.map(({ name, fullName, email, lmsId, groups, cells }) => [
      ...[fullName ?? name, '', lmsId ?? '', email ?? '', groups.join(', ')],
      ...cells.map(({ points }) => points ?? ''),
    ]),
  ];
}

/** The grades for the CSV import of Moodle. */
export function moodleTable({ exercises, students }: GradeBook): Table {
  return [
    [
      ...['Username', 'Full name', 'ID number', 'Email address'],
      ...exercises.flatMap(({ title }) => [title, `Feedback: ${title}`]),
    ],
    ...students.map(({ name, fullName, email, lmsId, cells }) => [
      ...[name, fullName ?? '', lmsId ?? '', email ?? ''],
      ...exercises.flatMap(({ pointsMax }, index) => {
        const cell = cells[index];
        return [cell?.points ?? '-', cell === undefined ? '' : feedbackOf(cell, pointsMax)];
      }),
    ]),
  ];
}

function feedbackOf({ points, lateMs, comment }: GradeCell, pointsMax: number): string {
  const grade = points === null ? [] : [`${points} of ${pointsMax} points`];
  const late = lateMs > 0 ? [`late by ${clockText(lateMs)} (h:m:s)`] : [];
  return [...grade, ...late, ...(comment === null ? [] : [comment])].join('; ');
}

/** The grades in the form of those of a course of Gradescope. */
export function gradescopeTable({ exercises, students }: GradeBook): Table {
  return [
    [
      ...['Name', 'SID', 'Email', 'Sections'],
      ...exercises.flatMap(({ title }) => [
        ...[title, `${title} - Max Points`],
        ...[`${title} - Submission Time`, `${title} - Lateness (H:M:S)`],
      ]),
      'Total Lateness (H:M:S)',
    ],
    ...students.map(({ name, fullName, email, lmsId, groups, cells }) => [
      ...[fullName ?? name, lmsId ?? '', email ?? '', groups.join(', ')],
      ...exercises.flatMap(({ pointsMax }, index): Cell[] => {
        const { points = null, submittedMs = null, lateMs = 0 } = cells[index] ?? {};
        const time = submittedMs === null ? '' : gradescopeTime(submittedMs);
        return [points ?? '', pointsMax, time, submittedMs === null ? '' : clockText(lateMs)];
      }),
      clockText(cells.reduce((sum, { lateMs }) => sum + lateMs, 0)),
    ]),
  ];
}

const GITHUB_COLUMNS = [
  ...['assignment_name', 'assignment_url', 'starter_code_url', 'github_username'],
  ...['roster_identifier', 'student_repository_name', 'student_repository_url'],
  ...['submission_timestamp', 'points_awarded', 'points_available'],
] as const;

/** The grades in the form of those of GitHub Classroom. The identifier of a student in the roster is the e-mail address, or else the name. */
export function githubClassroomTable({ exercises, students }: GradeBook): Table {
  const rows = exercises.flatMap(({ name: assignment, pointsMax }, index) =>
    students.map(({ name, email, cells }): Cell[] => {
      const { points = null, submittedMs = null } = cells[index] ?? {};
      const time = submittedMs === null ? '' : timeText(submittedMs);
      const row = [assignment, '', '', '', email ?? name, '', '', time];
      return [...row, points ?? '', pointsMax];
    }),
  );
  return [GITHUB_COLUMNS, ...rows];
}

/** The points in the form of the scoreboard of CTFd. */
export function ctfdScoreboardTable({ students }: GradeBook): Table {
  const totals = students
    .map(({ name, cells }) => ({ name, score: totalOf(cells) }))
    .toSorted((one, other) => other.score - one.score || (one.name < other.name ? -1 : 1));
  return [
    ['place', 'user', 'score'],
    ...totals.map(({ name, score }, index) => [index + 1, name, score]),
  ];
}

/** Such as 2026-10-10 09:30:00 +0000. */
function gradescopeTime(ms: number): string {
  return `${timeText(ms).slice(0, 19).replace('T', ' ')} +0000`;
}

/** Hours, minutes and seconds that have begun. */
function clockText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const two = (count: number) => String(count).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}`;
}
