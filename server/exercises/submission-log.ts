/**
 * @module
 * Submissions, solutions and suspicions in the data file. A submission and the solution that it is are written in one
 * transaction, before the submission is answered.
 */

import type { Finding } from '../../src/exercise/grading.ts';
import type { Submission } from '../../src/exercise/submission.ts';
import type { StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';
import { entryWriter } from './coursework-log.ts';

/** A student's work on one version of an exercise. */
export interface Work {
  readonly student: string;
  readonly exercise: string;
  readonly version: number;
}

export function workKey({ student, exercise, version }: Work): string {
  return JSON.stringify([student, exercise, version]);
}

/** The key of an entry of some work: a hint or a forgery with its number. `reset` finds it by its beginning. */
export function entryKey({ student, exercise, version }: Work, number: number): string {
  return JSON.stringify([student, exercise, version, number]);
}

/** A submission that was evaluated. */
export interface Evaluated {
  readonly id: string;
  /** When it was received. */
  readonly createdMs: number;
  readonly status: 'correct' | 'partial' | 'incorrect';
  readonly points: number;
  readonly findings: readonly Finding[];
  readonly submission: Submission;
}

/** A submission with data of another student's instance. */
export interface Suspicion extends Work {
  readonly createdMs: number;
  /** The student whose data it has. */
  readonly of: string;
}

export interface SubmissionLog {
  /** Stores a submission with what follows from it. Throws OverloadError `storage.unavailable`. */
  evaluated(work: Work, evaluated: Evaluated, suspicions: readonly Suspicion[]): void;
  /**
   * Removes the submissions and the solution of some work with its hints and forgeries, whose next number is kept.
   * Throws OverloadError `storage.unavailable`.
   */
  reset(work: Work, nextForgery: number): void;
  /** In the order in which they were written. */
  read(): {
    readonly submissions: readonly (readonly [Work, Evaluated])[];
    readonly suspicions: readonly Suspicion[];
  };
}

/** Keeps nothing. */
export const EPHEMERAL_SUBMISSIONS: SubmissionLog = {
  evaluated: () => undefined,
  reset: () => undefined,
  read: () => ({ submissions: [], suspicions: [] }),
};

/** The submissions in a file. */
export function submissionLog(file: StoreFile): SubmissionLog {
  const { path, database, write, read } = file;
  const insert = database.prepare(
    'INSERT INTO submissions (id, student, exercise, version, content, digest) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const solve = database.prepare(
    'INSERT INTO solves (student, exercise, version, submission) VALUES (?, ?, ?, ?)',
  );
  const suspect = database.prepare('INSERT INTO suspicions (content, digest) VALUES (?, ?)');
  const removals = ['solves', 'submissions'].map((table) =>
    database.prepare(`DELETE FROM ${table} WHERE student = ? AND exercise = ? AND version = ?`),
  );
  const removeEntries = database.prepare(
    `DELETE FROM coursework WHERE kind IN ('hint', 'forgery') AND json_extract(key, '$[0]') = ?
     AND json_extract(key, '$[1]') = ? AND json_extract(key, '$[2]') = ?`,
  );
  const noteReset = entryWriter(file);
  const submissions = database.prepare('SELECT * FROM submissions ORDER BY number');
  const suspicions = database.prepare('SELECT * FROM suspicions ORDER BY number');
  return {
    evaluated: ({ student, exercise, version }, evaluated, found) =>
      write(() => {
        const content = JSON.stringify(evaluated);
        const texts = [evaluated.id, student, exercise, String(version), content];
        insert.run(evaluated.id, student, exercise, version, content, digestOf(...texts));
        if (evaluated.status === 'correct') solve.run(student, exercise, version, evaluated.id);
        for (const suspicion of found) {
          const text = JSON.stringify(suspicion);
          suspect.run(text, digestOf(text));
        }
      }),
    reset: (work, nextForgery) =>
      write(() => {
        const { student, exercise, version } = work;
        for (const remove of [...removals, removeEntries]) remove.run(student, exercise, version);
        noteReset('reset', workKey(work), { work, nextForgery });
      }),
    read: () =>
      read(() => ({
        submissions: submissions.all().map((row) => {
          const { id, student, exercise, version, content } = row;
          const texts = [id, student, exercise, version, content].map(String);
          if (digestOf(...texts) !== row.digest) {
            throw damagedRow(path, `submission ${id}`, 'submissions', { row: row.number });
          }
          const work = {
            student: String(student),
            exercise: String(exercise),
            version: Number(version),
          };
          // The digest shows that it is as `evaluated` has stored it.
          return [work, JSON.parse(String(content)) as Evaluated] as const;
        }),
        suspicions: suspicions.all().map((row) => {
          if (digestOf(String(row.content)) !== row.digest) {
            throw damagedRow(path, `suspicion ${row.number}`, 'suspicions', { row: row.number });
          }
          // As above.
          return JSON.parse(String(row.content)) as Suspicion;
        }),
      })),
  };
}
