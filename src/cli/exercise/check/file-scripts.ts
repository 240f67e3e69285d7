/**
 * @module
 * Judges a file of an author for every student of a class, in the sandbox of `usurp grade`.
 */

import { availableParallelism } from 'node:os';
import { gradeClass } from '../../../runtime/grading/grade-class.ts';
import type { SubmittedTree } from '../../../runtime/grading/submitted-tree.ts';
import type { Attempt, Trial } from './attempts.ts';
import { SCRIPT_SECONDS_MAX } from './attempts.ts';

/** Judges a text as the submission of each student, beside other files. Throws LabError `arguments` without a sandbox. */
export async function judgeFile(
  text: string,
  others: SubmittedTree,
  trial: Trial,
): Promise<readonly Attempt[]> {
  const { exercise, secret, signal, onProgress } = trial;
  const files = new Map([...others, [`${exercise.name}.ts`, new TextEncoder().encode(text)]]);
  const students = new Map(trial.students.map((student) => [student, files]));
  const results = await gradeClass(
    { exercises: [exercise], secret, students },
    {
      ...{ judges: availableParallelism(), seconds: SCRIPT_SECONDS_MAX, signal, onProgress },
      // Files have no data of an instance.
      onSuspicion: () => undefined,
    },
  );
  return results.map(({ student, status, points, tests }) => {
    const missing = tests.filter(({ met }) => !met).map(({ detail }) => detail);
    const isGraded = status !== 'not-graded' && status !== 'missing';
    const reached = isGraded ? status : 'failed';
    const head = { student, status: reached, points, missing } as const;
    return { ...head, submission: null, otherRequests: 0, isCopyRight: null };
  });
}
