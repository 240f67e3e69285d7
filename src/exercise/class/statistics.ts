/**
 * @module
 * What a class did for one exercise: how many solved it, after how many attempts and how much time, and what was wrong.
 */

import type { Finding } from '../grading.ts';
import type { Submission } from '../submission.ts';

/** A submission that was evaluated. */
interface Evaluation {
  readonly createdMs: number;
  readonly status: 'correct' | 'partial' | 'incorrect';
  readonly findings: readonly Finding[];
  readonly submission: Submission;
}

/** The work of one student on an exercise. */
export interface StudentWork {
  readonly student: string;
  /** When the student first asked for the instance; null if that is not known. */
  readonly startedMs: number | null;
  /** In the order in which they were received. */
  readonly submissions: readonly Evaluation[];
  readonly hints: readonly { readonly number: number; readonly takenMs: number }[];
}

/** A middle value, with the values that a quarter of all are below and above. */
export interface Spread {
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly most: number;
}

export interface ExerciseStatistics {
  readonly students: number;
  readonly started: number;
  readonly tried: number;
  readonly solved: number;
  /** Submissions until the solution, of the students who solved it; null if none has. */
  readonly attempts: Spread | null;
  /** Seconds from the start to the solution; null if none is known. */
  readonly seconds: Spread | null;
  /** Students who took each hint. */
  readonly hints: readonly { readonly number: number; readonly students: number }[];
  /** Criteria that submissions did not meet, those of most students first. */
  readonly missing: readonly {
    readonly criterion: string;
    readonly students: number;
    readonly submissions: number;
  }[];
  /** Wrong answers of two or more students, those of most students first. */
  readonly wrongAnswers: readonly { readonly answer: string; readonly students: number }[];
}

const ANSWERS_SHOWN_MAX = 10;
/** Longer answers contain data of one instance. */
const ANSWER_CHARACTERS_MAX = 200;

/** The statistics of one exercise over the work of all students. */
export function statisticsOf(works: readonly StudentWork[]): ExerciseStatistics {
  const solvers = works.flatMap(({ submissions, ...work }) => {
    const at = submissions.findIndex(({ status }) => status === 'correct');
    const solution = submissions[at];
    return solution === undefined ? [] : [{ ...work, at, solution, submissions }];
  });
  const seconds = solvers.flatMap(({ startedMs, hints, submissions, solution }) => {
    const begun = [startedMs, hints[0]?.takenMs, submissions[0]?.createdMs];
    const firstMs = Math.min(...begun.filter((ms) => typeof ms === 'number'));
    return [Math.max(0, solution.createdMs - firstMs) / 1_000];
  });
  const hasBegun = ({ startedMs, submissions, hints }: StudentWork) =>
    startedMs !== null || submissions.length > 0 || hints.length > 0;
  const taken = works.flatMap(({ hints }) => hints.map(({ number }) => number));
  return {
    students: works.length,
    started: works.filter(hasBegun).length,
    tried: works.filter(({ submissions }) => submissions.length > 0).length,
    solved: solvers.length,
    attempts: spreadOf(solvers.map(({ at }) => at + 1)),
    seconds: spreadOf(seconds),
    hints: [...Map.groupBy(taken, (number) => number)]
      .map(([number, all]) => ({ number, students: all.length }))
      .toSorted((one, other) => one.number - other.number),
    missing: missingIn(works),
    wrongAnswers: wrongAnswersIn(works),
  };
}

/** Quartiles by the nearest rank. */
function spreadOf(values: readonly number[]): Spread | null {
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
  if (sorted.length === 0) return null;
  return { lowerQuartile: at(0.25), median: at(0.5), upperQuartile: at(0.75), most: at(1) };
}

function missingIn(works: readonly StudentWork[]): ExerciseStatistics['missing'] {
  const all = works.flatMap(({ student, submissions }) =>
    submissions.flatMap(({ findings }) =>
      findings.filter(({ met }) => !met).map(({ criterion }) => ({ criterion, student })),
    ),
  );
  return [...Map.groupBy(all, ({ criterion }) => criterion)]
    .map(([criterion, found]) => {
      const students = new Set(found.map(({ student }) => student)).size;
      return { criterion, students, submissions: found.length };
    })
    .toSorted(
      (one, other) => other.students - one.students || (one.criterion < other.criterion ? -1 : 1),
    );
}

function wrongAnswersIn(works: readonly StudentWork[]): ExerciseStatistics['wrongAnswers'] {
  const all = works.flatMap(({ student, submissions }) =>
    submissions
      .filter(({ status }) => status !== 'correct')
      .map(({ submission: { type: _type, ...answer } }) => {
        return { student, answer: JSON.stringify(answer) };
      }),
  );
  return [...Map.groupBy(all, ({ answer }) => answer)]
    .map(([answer, given]) => {
      return { answer, students: new Set(given.map(({ student }) => student)).size };
    })
    .filter(({ answer, students }) => students > 1 && answer.length <= ANSWER_CHARACTERS_MAX)
    .toSorted((one, other) => other.students - one.students || (one.answer < other.answer ? -1 : 1))
    .slice(0, ANSWERS_SHOWN_MAX);
}
