/**
 * @module
 * The instances of a class, by which the data of another student is found in a submission, as the server finds it.
 */

import type { Exercise } from '../../exercise/document.ts';
import type { Instance } from '../../exercise/instance.ts';
import { createInstance } from '../../exercise/instance.ts';
import type { Submission } from '../../exercise/submission.ts';

/** A submission with data of another student's instance. */
export interface Suspicion {
  readonly exercise: string;
  readonly student: string;
  readonly of: string;
}

export class ClassInstances {
  readonly #secret: Uint8Array;
  readonly #students: readonly string[];
  /** An instance has its task, whose keys take some milliseconds. */
  readonly #kept = new Map<string, Instance>();

  constructor(secret: Uint8Array, students: readonly string[]) {
    this.#secret = secret;
    this.#students = students;
  }

  of(exercise: Exercise, student: string): Instance {
    const key = JSON.stringify([exercise.name, student]);
    const instance =
      this.#kept.get(key) ?? createInstance(exercise, { secret: this.#secret, student });
    this.#kept.set(key, instance);
    return instance;
  }

  /** The other students whose data a submission has that is not correct. */
  suspicionsOf(exercise: Exercise, student: string, submission: Submission): readonly Suspicion[] {
    const { goal } = this.of(exercise, student);
    if (goal.isOfOne && goal.isOf(submission)) return [];
    return this.#students
      .filter((name) => name !== student && this.of(exercise, name).goal.isOf(submission))
      .map((name) => ({ exercise: exercise.name, student, of: name }));
  }
}
