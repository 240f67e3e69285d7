/**
 * @module
 * The grade of a submission: a total function of the instance, the submitted answer and the server's record. Nothing
 * that a submission states about itself counts.
 */

import { printable } from '../printable.ts';
import type { Exercise } from './document.ts';
import type { Instance } from './instance.ts';
import type { ServerRecord } from './record.ts';
import type { Submission } from './submission.ts';

/** What was found for one criterion of the goal. */
export interface Finding {
  readonly criterion: string;
  readonly met: boolean;
  readonly points: number;
  /** What was required if it is met, else what is missing. */
  readonly detail: string;
}

export interface Grade {
  readonly points: number;
  readonly passed: boolean;
  readonly findings: readonly Finding[];
}

/** The points of each criterion, in their order. They are whole, and their sum is exactly `most`. */
export function sharesOf(
  most: number,
  criteria: readonly { readonly weight: number }[],
): readonly number[] {
  const all = criteria.reduce((sum, { weight }) => sum + weight, 0);
  let before = 0;
  return criteria.map(({ weight }) => {
    const points = Math.floor((most * (before + weight)) / all) - Math.floor((most * before) / all);
    before += weight;
    return points;
  });
}

/** The points are those of the criteria that are met. */
export function grade(
  { points: most }: Pick<Exercise, 'points'>,
  { goal }: Pick<Instance, 'goal'>,
  { submission, record }: { readonly submission: Submission; readonly record: ServerRecord },
): Grade {
  const judged = goal.judge(submission, record);
  const shares = sharesOf(most, judged);
  const findings = judged.map(({ criterion, meaning, missing }, index): Finding => {
    const points = missing === null ? (shares[index] ?? 0) : 0;
    return { criterion, met: missing === null, points, detail: missing ?? meaning };
  });
  return {
    points: findings.reduce((sum, { points }) => sum + points, 0),
    passed: findings.every(({ met }) => met),
    findings,
  };
}

/**
 * One criterion of an exercise. The results of graded submissions, from which all reports are written. They have no
 * time and no duration, so that they are the same bytes on every machine.
 */
export interface TestResult {
  readonly criterion: string;
  readonly met: boolean;
  readonly points: number;
  readonly pointsMax: number;
  /** What was required if it is met, else what is missing. */
  readonly detail: string;
}

/** A submission that is not graded, for example because of a limit of time, has no points. */
export type ResultStatus = 'correct' | 'partial' | 'incorrect' | 'missing' | 'not-graded';

/** What a student has reached in one exercise. */
export interface ExerciseResult {
  readonly student: string;
  readonly exercise: string;
  readonly title: string;
  readonly status: ResultStatus;
  readonly points: number;
  readonly pointsMax: number;
  readonly tests: readonly TestResult[];
}

/** The results of one student. */
export interface StudentResults {
  readonly student: string;
  readonly points: number;
  readonly pointsMax: number;
  readonly exercises: readonly ExerciseResult[];
}

/** The results by student, in the order of their names, whatever order they were computed in. */
export function byStudent(results: readonly ExerciseResult[]): readonly StudentResults[] {
  const sum = (of: readonly ExerciseResult[], member: 'points' | 'pointsMax') =>
    of.reduce((total, result) => total + result[member], 0);
  return [...Map.groupBy(results, ({ student }) => student)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([student, exercises]) => ({
      student,
      points: sum(exercises, 'points'),
      pointsMax: sum(exercises, 'pointsMax'),
      exercises: exercises.toSorted((one, other) => (one.exercise < other.exercise ? -1 : 1)),
    }));
}

/** The results for reports: in names of folders and messages of submitted files, control characters are escaped. */
export function printableResults({ student, exercises, ...sums }: StudentResults): StudentResults {
  const clean = (text: string) => printable(text.toWellFormed());
  return {
    ...sums,
    student: clean(student),
    exercises: exercises.map((result) => ({
      ...result,
      student: clean(result.student),
      tests: result.tests.map((test) => ({ ...test, detail: clean(test.detail) })),
    })),
  };
}
