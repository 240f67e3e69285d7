/**
 * @module
 * The instances of a class, by which the data of another student is found in a submission, as the server finds it.
 */

import type { Exercise } from '../../exercise/document.ts';
import { foreignOwners } from '../../exercise/foreign-data.ts';
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
    const others = this.#students.filter((name) => name !== student);
    const search = foreignOwners(submission, {
      own: this.of(exercise, student).goal,
      others: others.map((name) => ({ name, goal: () => this.of(exercise, name).goal })),
    });
    for (;;) {
      const { done, value } = search.next();
      if (done === true) return value.map((of) => ({ exercise: exercise.name, student, of }));
    }
  }
}
