/**
 * @module
 * Results in the forms that other programs read. On all students: CTRF (Common Test Report Format),
 * whose members for times are required and always 0; JUnit XML, whose times are optional and left out; and a table in CSV.
 * On one student: `results.json` of Gradescope's autograder, and the result of a runner of GitHub Classroom, without the
 * optional members for durations.
 */

import { csvFormatRows } from 'd3-dsv';

import type { ExerciseResult, StudentResults, TestResult } from './grading.ts';

const COLUMNS = ['student', 'exercise', 'status', 'points', 'points_max', 'missing'] as const;

/** https://ctrf.io */
export function ctrfReport(students: readonly StudentResults[], version: string): string {
  const tests = students.flatMap(({ student, exercises }) =>
    testsOf(exercises).map(({ exercise, test }) => ({
      name: test.criterion,
      status: test.met ? 'passed' : STATUS[exercise.status],
      duration: 0,
      suite: [student, exercise.exercise],
      message: outputOf(exercise, test),
      extra: { points: test.points, pointsMax: test.pointsMax },
    })),
  );
  const count = (status: string) => tests.filter((test) => test.status === status).length;
  const summary = {
    tests: tests.length,
    passed: count('passed'),
    failed: count('failed'),
    pending: 0,
    skipped: count('skipped'),
    other: count('other'),
    start: 0,
    stop: 0,
  };
  const results = { tool: { name: 'usurp', version }, summary, tests };
  return `${JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results }, null, 2)}\n`;
}

const STATUS = {
  correct: 'passed',
  partial: 'failed',
  incorrect: 'failed',
  missing: 'skipped',
  'not-graded': 'other',
} as const;

/** JUnit XML: a suite for each student. */
export function junitReport(students: readonly StudentResults[]): string {
  const suites = students.map(({ student, exercises }) => {
    const cases = testsOf(exercises).map(({ exercise, test }) => {
      const head = `<testcase classname="${xml(exercise.exercise)}" name="${xml(test.criterion)}"`;
      if (test.met) return `    ${head}/>`;
      const kind = KIND[exercise.status];
      return `    ${head}><${kind} message="${xml(outputOf(exercise, test))}"/></testcase>`;
    });
    const tests = testsOf(exercises);
    const count = (kind: string) =>
      tests.filter(({ exercise, test }) => !test.met && KIND[exercise.status] === kind).length;
    const counts = `tests="${tests.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`;
    return [`  <testsuite name="${xml(student)}" ${counts}>`, ...cases, '  </testsuite>'].join(
      '\n',
    );
  });
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites name="usurp">', ...suites];
  return `${lines.join('\n')}\n</testsuites>\n`;
}

const KIND = {
  correct: 'failure',
  partial: 'failure',
  incorrect: 'failure',
  missing: 'skipped',
  'not-graded': 'error',
} as const;

/** A row for each student and exercise. What was not submitted or not graded has no points, not even 0. */
export function csvReport(students: readonly StudentResults[]): string {
  const rows = students.flatMap(({ exercises }) =>
    exercises.map((result) => {
      const missing = result.tests.filter(({ met }) => !met).map(({ detail }) => detail);
      const { student, exercise, status, pointsMax } = result;
      const points = status === 'missing' || status === 'not-graded' ? '' : result.points;
      // Several criteria can fail for one reason.
      return [student, exercise, status, points, pointsMax, [...new Set(missing)].join('; ')];
    }),
  );
  return csvOf([COLUMNS, ...rows]);
}

/** Text in XML 1.0, which has no control characters. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/(?![\n\t])[\p{Cc}\uFFFE\uFFFF]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;')
    .replaceAll('\t', '&#9;');
}

/** Tables of students as CSV (RFC 4180), which spreadsheets open without executing anything. */
export type Cell = string | number;

/** The text of a table, whose first row has the names of the columns. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  return `${csvFormatRows(rows.map((row) => row.map(safeCell)))}\n`;
}

/**
 * A text that a spreadsheet does not evaluate (OWASP, CSV injection). In many languages a list is separated by `;`: there a
 * cell also begins after one inside of a text, with or without quotes. A reader that does not know the quotes also begins
 * one at each line.
 */
function safeCell(cell: Cell): string {
  if (typeof cell === 'number') return String(cell);
  const text = cell.replaceAll(
    /([;\s"]+)([=+\-@＝＋－＠])/g,
    (all, before: string, sign: string) =>
      /[;\t\r\n\v\f\u2028\u2029]/.test(before) ? `${before}'${sign}` : all,
  );
  // A hyphen alone is no formula. Moodle reads it as no grade.
  return text !== '-' && /^[=+\-@＝＋－＠\t\r\n]/.test(text) ? `'${text}` : text;
}

/** When students of Gradescope see the tests. */
export const VISIBILITIES = ['visible', 'after_due_date', 'after_published', 'hidden'] as const;

export type Visibility = (typeof VISIBILITIES)[number];

/** results.json (https://gradescope-autograders.readthedocs.io/en/latest/specs/). */
export function gradescopeReport(
  { points, exercises }: StudentResults,
  visibility: Visibility,
): string {
  const report = {
    score: points,
    visibility,
    stdout_visibility: 'hidden',
    tests: testsOf(exercises).map(({ exercise, test }) => ({
      name: `${exercise.exercise}: ${test.criterion}`,
      score: test.points,
      max_score: test.pointsMax,
      status: test.met ? 'passed' : 'failed',
      output: outputOf(exercise, test),
      visibility,
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** The result of a runner, which the reporter of GitHub Classroom adds up to points. */
export function classroomReport({ points, pointsMax, exercises }: StudentResults): string {
  const report = {
    version: 1,
    status: points === pointsMax ? 'pass' : 'fail',
    max_score: pointsMax,
    points: `${points}/${pointsMax}`,
    tests: testsOf(exercises).map(({ exercise, test }) => ({
      name: `${exercise.exercise}: ${test.criterion}`,
      status: test.met ? 'pass' : exercise.status === 'not-graded' ? 'error' : 'fail',
      score: test.points,
      max_score: test.pointsMax,
      message: outputOf(exercise, test),
    })),
  };
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** All tests, each with its exercise. */
function testsOf(
  exercises: readonly ExerciseResult[],
): readonly { readonly exercise: ExerciseResult; readonly test: TestResult }[] {
  return exercises.flatMap((exercise) => exercise.tests.map((test) => ({ exercise, test })));
}

/** What a test says. */
function outputOf({ status }: ExerciseResult, { detail }: TestResult): string {
  return status === 'not-graded' ? `not graded: ${detail}` : detail;
}
