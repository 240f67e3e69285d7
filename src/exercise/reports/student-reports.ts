/**
 * @module
 * This folder writes results in the forms that other programs read. This file has those of one student: `results.json` of
 * Gradescope's autograder, and the result of a runner of GitHub Classroom. Members for durations are optional in both, and
 * left out.
 */

import type { ExerciseResult, StudentResults, TestResult } from '../results.ts';

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
export function testsOf(
  exercises: readonly ExerciseResult[],
): readonly { readonly exercise: ExerciseResult; readonly test: TestResult }[] {
  return exercises.flatMap((exercise) => exercise.tests.map((test) => ({ exercise, test })));
}

/** What a test says. */
export function outputOf({ status }: ExerciseResult, { detail }: TestResult): string {
  return status === 'not-graded' ? `not graded: ${detail}` : detail;
}
