/**
 * @module
 * The submissions of all students. A submission takes one of the student's evaluations before it is evaluated, so that
 * requests at the same time cannot share one. The first complete solution is the only one that is stored.
 */

import { LabError } from '../../src/errors.ts';
import type { SubmissionLimit } from '../../src/exercise/document.ts';
import type { Finding, Grade } from '../../src/exercise/grading.ts';
import type { Submission } from '../../src/exercise/submission.ts';
import { randomId } from '../contract/members.ts';
import { OverloadError } from '../request/refusals.ts';
import type { StoreFile } from '../store/store-file.ts';
import { damagedRow, digestOf } from '../store/store-file.ts';
import type { KindedEntry } from './coursework-log.ts';
import { entryWriter } from './coursework-log.ts';

/** Submissions of a student to one version of an exercise that are evaluated in all. */
export const SUBMISSIONS_MAX = 1_000;

interface Record {
  readonly work: Work;
  readonly submissions: Evaluated[];
  /** Number of submissions that are being evaluated. */
  running: number;
}

export class SubmissionStore {
  readonly #log: SubmissionLog;
  readonly #wallMs: () => number;
  readonly #records = new Map<string, Record>();
  readonly #suspicions: Suspicion[] = [];

  constructor(log: SubmissionLog = EPHEMERAL_SUBMISSIONS, wallMs: () => number = Date.now) {
    this.#log = log;
    this.#wallMs = wallMs;
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    const { submissions, suspicions } = this.#log.read();
    for (const [work, evaluated] of submissions) this.#recordOf(work).submissions.push(evaluated);
    for (const { submissions: list } of this.#records.values()) list.sort(byTime);
    this.#suspicions.push(...suspicions);
  }

  /** The submissions that were evaluated, in their order. */
  list(work: Work): readonly Evaluated[] {
    return this.#records.get(workKey(work))?.submissions ?? [];
  }

  /** The solution; undefined if there is none. */
  solutionOf(work: Work): Evaluated | undefined {
    return this.list(work).find(({ status }) => status === 'correct');
  }

  /** Number of submissions that are evaluated now at most. */
  leftOf(work: Work, limit: SubmissionLimit): number {
    const running = this.#records.get(workKey(work))?.running ?? 0;
    const now = limit.evaluated - this.#within(work, limit).length;
    return Math.max(0, Math.min(now, this.#leftInAll(work, limit)) - running);
  }

  /** The suspicions about submissions to an exercise, in their order. */
  suspicionsOf(exercise: string): readonly Suspicion[] {
    return this.#suspicions.filter((suspicion) => suspicion.exercise === exercise);
  }

  /**
   * Evaluates a submission and stores it. Null if the exercise is solved, also meanwhile; nothing is stored then.
   * Throws OverloadError `limit.submissions` if none is evaluated now, LabError `exercise.attempts` if none is evaluated any
   * more, and LabError `limit.storage`.
   */
  async evaluate(
    work: Work,
    limit: SubmissionLimit,
    evaluation: {
      readonly submission: Submission;
      readonly grade: () => Promise<Grade>;
      /** Students whose data the submission has. Only asked if it is not correct. */
      readonly owners: () => Promise<readonly string[]>;
    },
  ): Promise<Evaluated | null> {
    if (this.solutionOf(work) !== undefined) return null;
    this.#assertLeft(work, limit);
    const createdMs = this.#wallMs();
    const record = this.#recordOf(work);
    record.running += 1;
    try {
      const { points: reached, passed, findings } = await evaluation.grade();
      const owners = passed ? [] : await evaluation.owners();
      if (this.solutionOf(work) !== undefined) return null;
      // The data of another student is wrong, whatever part of it would count.
      const points = owners.length > 0 ? 0 : reached;
      const partial = points > 0 ? 'partial' : 'incorrect';
      const evaluated: Evaluated = {
        id: randomId('u'),
        createdMs,
        status: passed ? 'correct' : partial,
        points,
        findings,
        submission: evaluation.submission,
      };
      const suspicions = owners.map((of) => ({ ...work, createdMs, of }));
      this.#log.evaluated(work, evaluated, suspicions);
      // The work may have been reset meanwhile.
      this.#recordOf(work).submissions.push(evaluated);
      this.#suspicions.push(...suspicions);
      return evaluated;
    } finally {
      record.running -= 1;
    }
  }

  /**
   * Removes the submissions of some work, with what the log removes, and writes entries with it. Throws OverloadError
   * `storage.unavailable`.
   */
  reset(work: Work, nextForgery: number, entries: readonly KindedEntry[]): void {
    this.#log.reset(work, nextForgery, entries);
    this.#records.delete(workKey(work));
  }

  /** Puts submissions back that were reset, and writes entries with them. Throws OverloadError `storage.unavailable`. */
  restore(work: Work, submissions: readonly Evaluated[], entries: readonly KindedEntry[]): void {
    this.#log.restored(work, submissions, entries);
    this.#recordOf(work).submissions.push(...submissions);
    this.#recordOf(work).submissions.sort(byTime);
  }

  /** The work of every student on a version of an exercise. */
  worksOn({ exercise, version }: Omit<Work, 'student'>): readonly Work[] {
    const works = [...this.#records.values()].map(({ work }) => work);
    return works.filter((work) => work.exercise === exercise && work.version === version);
  }

  /** Whether the submission has data of another student's instance. */
  isSuspect({ student, exercise, version }: Work, { createdMs }: Evaluated): boolean {
    return this.suspicionsOf(exercise).some(
      (each) =>
        each.student === student && each.version === version && each.createdMs === createdMs,
    );
  }

  /**
   * Replaces all submissions of some works by what they were graded again to, and writes entries with them. Throws
   * OverloadError `storage.unavailable`.
   */
  replace(works: readonly GradedWork[], entries: readonly KindedEntry[]): void {
    this.#log.regraded(works, entries);
    for (const { work, submissions } of works) {
      this.#recordOf(work).submissions.splice(0, submissions.length, ...submissions);
    }
  }

  /** Every solution, the oldest first. */
  solutions(): readonly { readonly work: Work; readonly solvedMs: number }[] {
    const all = [...this.#records.values()].flatMap(({ work, submissions }) =>
      submissions
        .filter(({ status }) => status === 'correct')
        .map(({ createdMs }) => ({ work, solvedMs: createdMs })),
    );
    return all.toSorted((one, other) => one.solvedMs - other.solvedMs);
  }

  #assertLeft(work: Work, limit: SubmissionLimit): void {
    if (this.list(work).length >= SUBMISSIONS_MAX) {
      const detail = `at most ${SUBMISSIONS_MAX} submissions to an exercise are evaluated`;
      throw new LabError('limit.storage', detail);
    }
    if (this.leftOf(work, limit) > 0) return;
    if (this.#leftInAll(work, limit) <= 0) {
      const detail = `${limit.inAll} submissions to this exercise are evaluated in all, and these were yours`;
      throw new LabError('exercise.attempts', detail);
    }
    const [oldest] = this.#within(work, limit);
    const untilMs = (oldest?.createdMs ?? this.#wallMs()) + 1_000 * limit.per - this.#wallMs();
    const detail = `${limit.evaluated} submissions to this exercise are evaluated in ${limit.per} s`;
    throw new OverloadError('limit.submissions', detail, Math.max(1, Math.ceil(untilMs / 1_000)));
  }

  #leftInAll(work: Work, { inAll }: SubmissionLimit): number {
    return inAll === null ? Number.POSITIVE_INFINITY : inAll - this.list(work).length;
  }

  #within(work: Work, { per }: SubmissionLimit): readonly Evaluated[] {
    const sinceMs = this.#wallMs() - 1_000 * per;
    return this.list(work).filter(({ createdMs }) => createdMs > sinceMs);
  }

  #recordOf(work: Work): Record {
    const key = workKey(work);
    const record = this.#records.get(key) ?? { work, submissions: [], running: 0 };
    this.#records.set(key, record);
    return record;
  }
}

/**
 * A student's work on one version of an exercise. Submissions, solutions and suspicions in the data file. A
 * submission and the solution that it is are written in one transaction, before the submission is answered.
 */
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

/** All submissions of some work. */
export interface GradedWork {
  readonly work: Work;
  readonly submissions: readonly Evaluated[];
}

function byTime(one: Evaluated, other: Evaluated): number {
  return one.createdMs - other.createdMs;
}

export interface SubmissionLog {
  /** Stores a submission with what follows from it. Throws OverloadError `storage.unavailable`. */
  evaluated(work: Work, evaluated: Evaluated, suspicions: readonly Suspicion[]): void;
  /**
   * Removes the submissions and the solution of some work with its hints and forgeries, whose next number is kept.
   * Writes entries in the same transaction. Throws OverloadError `storage.unavailable`.
   */
  reset(work: Work, nextForgery: number, entries: readonly KindedEntry[]): void;
  /** Stores submissions again that were removed, with entries. Throws OverloadError `storage.unavailable`. */
  restored(work: Work, submissions: readonly Evaluated[], entries: readonly KindedEntry[]): void;
  /** Stores new grades of all submissions of some works, with entries. Throws OverloadError `storage.unavailable`. */
  regraded(works: readonly GradedWork[], entries: readonly KindedEntry[]): void;
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
  restored: () => undefined,
  regraded: () => undefined,
  read: () => ({ submissions: [], suspicions: [] }),
};

/** The submissions in a file. */
export function submissionLog(file: StoreFile): SubmissionLog {
  const { database, write, free } = file;
  const { store, update, solved, noteSolution } = submissionWriter(file);
  const suspect = database.prepare('INSERT INTO suspicions (content, digest) VALUES (?, ?)');
  const removals = [
    ...['solves', 'submissions'].map((table) => `DELETE FROM ${table} WHERE ${OF_WORK}`),
    `DELETE FROM coursework WHERE kind IN ('hint', 'forgery', 'start')
     AND json_extract(key, '$[0]') = ? AND json_extract(key, '$[1]') = ?
     AND json_extract(key, '$[2]') = ?`,
  ].map((statement) => database.prepare(statement));
  const put = entryWriter(file);
  const putAll = (entries: readonly KindedEntry[]) => {
    for (const { kind, key, content } of entries) put(kind, key, content);
  };
  return {
    evaluated: (work, evaluated, found) =>
      write(() => {
        store(work, evaluated);
        if (evaluated.status === 'correct') solved(work, evaluated);
        for (const suspicion of found) {
          const text = JSON.stringify(suspicion);
          suspect.run(text, digestOf(text));
        }
      }),
    reset: (work, nextForgery, entries) =>
      free(() => {
        const { student, exercise, version } = work;
        for (const remove of removals) remove.run(student, exercise, version);
        put('reset', workKey(work), { work, nextForgery });
        putAll(entries);
      }),
    restored: (work, submissions, entries) =>
      write(() => {
        for (const evaluated of submissions) store(work, evaluated);
        // One that was found after the reset is a later one.
        if (submissions.some(({ status }) => status === 'correct')) noteSolution(work, submissions);
        putAll(entries);
      }),
    regraded: (works, entries) =>
      write(() => {
        for (const { work, submissions } of works) {
          for (const evaluated of submissions) update(work, evaluated);
          noteSolution(work, submissions);
        }
        putAll(entries);
      }),
    read: submissionReader(file),
  };
}

const OF_WORK = 'student = ? AND exercise = ? AND version = ?';

/** Writes within a transaction. */
function submissionWriter({ database }: Pick<StoreFile, 'database'>) {
  const insert = database.prepare(
    'INSERT INTO submissions (id, student, exercise, version, content, digest) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const change = database.prepare('UPDATE submissions SET content = ?, digest = ? WHERE id = ?');
  const unsolve = database.prepare(`DELETE FROM solves WHERE ${OF_WORK}`);
  const solve = database.prepare(
    'INSERT INTO solves (student, exercise, version, submission) VALUES (?, ?, ?, ?)',
  );
  const rowOf = ({ student, exercise, version }: Work, evaluated: Evaluated) => {
    const content = JSON.stringify(evaluated);
    const texts = [evaluated.id, student, exercise, String(version), content];
    return { content, digest: digestOf(...texts) };
  };
  const solved = ({ student, exercise, version }: Work, { id }: Evaluated) =>
    void solve.run(student, exercise, version, id);
  return {
    store(work: Work, evaluated: Evaluated): void {
      const { student, exercise, version } = work;
      const { content, digest } = rowOf(work, evaluated);
      insert.run(evaluated.id, student, exercise, version, content, digest);
    },
    update(work: Work, evaluated: Evaluated): void {
      const { content, digest } = rowOf(work, evaluated);
      change.run(content, digest, evaluated.id);
    },
    /** Notes a solution. The table refuses a second one. */
    solved,
    /** Notes the first solution of some work, and no other one. */
    noteSolution(work: Work, all: readonly Evaluated[]): void {
      unsolve.run(work.student, work.exercise, work.version);
      const solution = all.find(({ status }) => status === 'correct');
      if (solution !== undefined) solved(work, solution);
    },
  };
}

function submissionReader({ path, database, read }: StoreFile): SubmissionLog['read'] {
  const submissions = database.prepare('SELECT * FROM submissions ORDER BY number');
  const suspicions = database.prepare('SELECT * FROM suspicions ORDER BY number');
  return () =>
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
        // The digest shows that it is as it was stored.
        return JSON.parse(String(row.content)) as Suspicion;
      }),
    }));
}
