/**
 * @module
 * The reports on all students: CTRF (Common Test Report Format), whose members for times are required and always 0; JUnit
 * XML, whose times are optional and left out; and a table in CSV.
 */

import type { StudentResults } from '../results.ts';
import { csvOf } from './csv.ts';
import { outputOf, testsOf } from './student-reports.ts';

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
    ...{ passed: count('passed'), failed: count('failed'), pending: 0 },
    ...{ skipped: count('skipped'), other: count('other'), start: 0, stop: 0 },
  };
  const results = { tool: { name: 'usurp', version }, summary, tests };
  return `${JSON.stringify({ reportFormat: 'CTRF', specVersion: '0.0.0', results }, null, 2)}\n`;
}

const STATUS = {
  ...{ correct: 'passed', partial: 'failed', incorrect: 'failed' },
  ...{ missing: 'skipped', 'not-graded': 'other' },
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
  ...{ correct: 'failure', partial: 'failure', incorrect: 'failure' },
  ...{ missing: 'skipped', 'not-graded': 'error' },
} as const;

/** A row for each student and exercise. */
export function csvReport(students: readonly StudentResults[]): string {
  const rows = students.flatMap(({ exercises }) =>
    exercises.map((result) => {
      const missing = result.tests.filter(({ met }) => !met).map(({ detail }) => detail);
      const { student, exercise, status, points, pointsMax } = result;
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
