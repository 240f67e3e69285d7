/**
 * @module
 * A server with exercises for a class of students, and what its requests need.
 */

import { TokenSet } from '../../../server/callers/tokens.ts';
import type { Course as ServedCourse } from '../../../server/exercises/course.ts';
import { Course } from '../../../server/exercises/course.ts';
import { Meter } from '../../../server/exercises/meter.ts';
import { SubmissionStore } from '../../../server/exercises/submission-store.ts';
import { openLogs } from '../../../server/lab.ts';
import type { Exercise } from '../../../src/exercise/document.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';
import type { Answer, LabOptions } from '../lab-under-test.ts';
import { labUnderTest } from '../lab-under-test.ts';

export const EXERCISES = await readExercises();

/** The secret of the course. */
export const SECRET = new Uint8Array(32).fill(7);

export const STUDENTS = Array.from({ length: 20 }, (_, index) => `student-${index}`);

export const tokenOf = (name: string) => `token-of-${name}`.padEnd(16, '-');
export const bearer = (name: string) => ({ Authorization: `Bearer ${tokenOf(name)}` });

const tokens = new TokenSet([
  ...STUDENTS.map((name) => ({ name, role: 'student' as const, token: tokenOf(name) })),
  { name: 'teacher', role: 'instructor', token: tokenOf('teacher') },
]);

export interface ClassOptions extends LabOptions {
  readonly exercises?: readonly Exercise[];
  /** Whether the server requires no tokens. */
  readonly isOpen?: true;
}

/** A server with the exercises, and requests in the name of a student. */
export function classUnderTest({ exercises = EXERCISES, isOpen, ...options }: ClassOptions = {}) {
  const logs = options.logs ?? openLogs(null, () => undefined);
  const submissions = new SubmissionStore(logs.submissions, options.wallMs);
  const meter = new Meter(logs.coursework);
  const course: ServedCourse = new Course({
    ...{ exercises, secret: SECRET, tokens, submissions, meter },
  });
  course.open();
  const lab = labUnderTest({ course, ...(isOpen !== true && { tokens }), ...options, logs });
  const submit = (name: string, exercise: string, submission: unknown): Promise<Answer> =>
    lab.post(`/v1/exercises/${exercise}/submissions`, submission, bearer(name));
  const instance = (name: string, exercise: string): Promise<Answer> =>
    lab.call('POST', `/v1/exercises/${exercise}/instances`, { headers: bearer(name) });
  const get = (name: string, path: string) => lab.call('GET', path, { headers: bearer(name) });
  return { ...lab, course, submit, instance, get };
}
