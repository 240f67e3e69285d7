/**
 * @module
 * What is wrong with an exercise, from what its scripts have reached.
 */

import type { Exercise } from '../../../exercise/document.ts';
import type { Instance } from '../../../exercise/instance.ts';
import { submissionSchema } from '../../../exercise/submission.ts';
import { counted } from '../../../operations/figures.ts';
import type { Attempt } from './attempts.ts';

/** A fault, or a warning, which an author may accept. */
export interface Leak {
  readonly severity: 'fault' | 'warning';
  /** The script that shows it; null if none does. */
  readonly script: string | null;
  readonly detail: string;
}

/** The script of a student who does nothing. */
export const NOTHING = 'doing nothing';

/** Whether the reference solution is correct for every student. */
export function referenceLeaks(script: string, attempts: readonly Attempt[]): Leak[] {
  const others = attempts.filter(({ status }) => status !== 'correct');
  return faultOf(script, 'is not correct', others);
}

/** Whether a wrong solution fails for every student, with a finding, and without more points than its author states. */
export function wrongLeaks(
  script: string,
  attempts: readonly Attempt[],
  pointsIntended: Exercise['wrongPoints'],
): Leak[] {
  const silent = attempts.filter(
    ({ status, missing }) => status !== 'correct' && missing.join('').trim() === '',
  );
  return [
    ...faultOf(script, 'is correct', withStatus(attempts, 'correct')),
    ...faultOf(script, 'ends without a grade', withStatus(attempts, 'failed')),
    ...faultOf(script, 'fails without a finding', silent),
    ...earningLeaks(script, attempts, pointsIntended),
  ];
}

function earningLeaks(
  script: string,
  attempts: readonly Attempt[],
  pointsIntended: Exercise['wrongPoints'],
): Leak[] {
  const name = script.replace(/\.[jt]s$/, '');
  const intended = pointsIntended[name] ?? 0;
  const partial = withStatus(attempts, 'partial');
  const earning = partial.filter(({ points }) => points > intended);
  const [first] = earning;
  if (first === undefined) return [];
  const most = Math.max(...earning.map(({ points }) => points));
  const of = `${counted(earning.length, 'student')}, first ${first.student}`;
  const remedy = `if that is intended, write "wrongPoints: { ${name}: ${most} }" in the document`;
  const detail = `earns up to ${counted(most, 'point')} for ${of}; ${remedy}`;
  return [{ severity: 'warning', script, detail }];
}

/** Whether doing nothing earns points. */
export function nothingLeaks(attempts: readonly Attempt[]): Leak[] {
  const earning = attempts.filter(({ points }) => points > 0);
  const most = Math.max(...earning.map(({ points }) => points));
  return faultOf(NOTHING, `earns up to ${counted(most, 'point')}`, earning);
}

/**
 * Whether the answers of the reference solution can be copied. Where answers have data of the instance, no student may have
 * the answer of another one. Other answers may coincide, but not for all students.
 */
export function equalAnswers(
  script: string,
  attempts: readonly Attempt[],
  instances: ReadonlyMap<string, Pick<Instance, 'goal'>>,
): Leak[] {
  const answers = attempts.flatMap(({ student, submission }) => {
    const read = submissionSchema.safeParse(submission);
    const goal = instances.get(student)?.goal;
    if (!read.success || goal === undefined || read.data.type === 'elections') return [];
    return [{ student, answer: read.data, text: JSON.stringify(read.data), goal }];
  });
  const bound = answers.filter(({ answer, goal }) => goal.isOf(answer));
  for (const { student, answer, text, goal } of bound) {
    const other = bound.find(
      (each) =>
        each.student !== student &&
        (each.text === text || (!goal.isOfOne && each.goal.isOf(answer))),
    );
    if (other === undefined) continue;
    const detail = `equal answers: that of ${student} is also one of ${other.student}`;
    return [{ severity: 'fault', script, detail }];
  }
  const isOne = answers.length > 1 && new Set(answers.map(({ text }) => text)).size === 1;
  if (!isOne) return [];
  const detail = `equal answers: all ${counted(answers.length, 'student')} submit the same one`;
  return [{ severity: 'warning', script, detail }];
}

/** Whether the answer of a student was right for the next one. */
export function copiedAnswers(script: string, attempts: readonly Attempt[]): Leak[] {
  const tried = attempts.filter(({ isCopyRight }) => isCopyRight !== null);
  const right = tried.filter(({ isCopyRight }) => isCopyRight);
  const [first] = right;
  if (first === undefined) return [];
  const detail = `copied answers: for ${right.length} of ${counted(tried.length, 'student')}, first ${first.student}, the answer of the student before is right`;
  return [{ severity: 'warning', script, detail }];
}

/** Requests of a solution that can be one command. */
const REQUESTS_OF_ONE_COMMAND = 1;

/** Whether the reference solution can be one command: by the number of its requests, because commands are not known. */
export function oneCommand(script: string, attempts: readonly Attempt[]): Leak[] {
  const most = Math.max(0, ...attempts.map(({ otherRequests }) => otherRequests));
  if (most > REQUESTS_OF_ONE_COMMAND || attempts.length === 0) return [];
  const detail = `perhaps solvable by one command: besides instance and submission it makes ${most === 0 ? 'no request' : 'one request'}`;
  return [{ severity: 'warning', script, detail }];
}

function withStatus(attempts: readonly Attempt[], status: Attempt['status']): Attempt[] {
  return attempts.filter((attempt) => attempt.status === status);
}

function faultOf(script: string, what: string, attempts: readonly Attempt[]): Leak[] {
  const [first] = attempts;
  if (first === undefined) return [];
  const why = first.missing.length === 0 ? '' : `: ${first.missing.join('; ')}`;
  const of = `${counted(attempts.length, 'student')}, first ${first.student}${why}`;
  return [{ severity: 'fault', script, detail: `${what} for ${of}` }];
}
