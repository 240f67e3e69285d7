/**
 * @module
 * The course of a server with a class of every exercise, for tests that call all operations.
 */

import { Classroom } from '../../../server/exercises/classroom.ts';
import { Course } from '../../../server/exercises/course.ts';
import type { ClassDocument } from '../../../src/exercise/class/class-document.ts';
import type { Exercise } from '../../../src/exercise/document.ts';
import { parseClass } from '../../../src/exercise/reading.ts';
import { readExercises } from '../../../src/runtime/files/exercises.ts';

const EXERCISES = await readExercises();
const NOW_MS = Date.parse('2026-10-05T12:00:00Z');

/** A course with an example of a solution, and a class of `ann`. */
export function shownCourse(): Course {
  return courseOf(['ann'], EXERCISES);
}

/** Reads the class of `shownCourse` again, with a student who is new. */
export async function shownReading() {
  const document = documentOf(['ann', 'bob'], EXERCISES);
  return { document, exercises: EXERCISES };
}

/** A course with these students too, in which no exercise closes forgeries, so that students may call every operation. */
export function openCourse(students: readonly string[]): Course {
  const open = EXERCISES.filter(({ setUp }) => !setUp.closed.includes('forgeries'));
  return courseOf(['ann', ...students], open);
}

/** What a new reading of the class of such a course gives. */
export function readOpenClass(students: readonly string[]) {
  const { classroom } = openCourse(students);
  if (classroom === null) throw new TypeError('"classroom" expected one, got none');
  return Promise.resolve({ document: classroom.document, exercises: EXERCISES });
}

function documentOf(students: readonly string[], exercises: readonly Exercise[]): ClassDocument {
  const text = JSON.stringify({
    ...{ name: 'Distributed systems', timeZone: 'Europe/Berlin', instructors: ['eve'] },
    students: students.map((name) => ({ name, groups: ['a'] })),
    exercises: exercises.map(({ name }) => ({ name, deadline: '2026-10-15T23:59' })),
    late: { until: '48h', deduct: 0.1, per: '24h' },
  });
  return parseClass(text, 'class.yaml', EXERCISES);
}

function courseOf(students: readonly string[], exercises: readonly Exercise[]): Course {
  const document = documentOf(students, exercises);
  const classroom = new Classroom({ document });
  const secret = new Uint8Array(32);
  const course = new Course({ exercises: EXERCISES, secret, classroom, wallMs: () => NOW_MS });
  course.solves.add({ student: 'ann', exercise: 'predict-cost', version: 2 }, NOW_MS);
  return course;
}
