/**
 * @module
 * The results of graded submissions, from which all reports are written. They have no time and no duration, so that they
 * are the same bytes on every machine.
 */

import { printable } from '../printable.ts';

/** One criterion of an exercise. */
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
