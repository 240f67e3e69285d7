/**
 * @module
 * The submissions of all students. A submission takes one of the student's evaluations before it is evaluated, so that
 * requests at the same time cannot share one. The first complete solution is the only one that is stored.
 */

import { LabError } from '../../src/errors.ts';
import type { SubmissionLimit } from '../../src/exercise/document.ts';
import type { Grade } from '../../src/exercise/grading.ts';
import type { Submission } from '../../src/exercise/submission.ts';
import { randomId } from '../contract/members.ts';
import { OverloadError } from '../request/refusals.ts';
import type { Evaluated, SubmissionLog, Suspicion, Work } from './submission-log.ts';
import { EPHEMERAL_SUBMISSIONS, workKey } from './submission-log.ts';

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
        ...{ id: randomId('u'), createdMs, status: passed ? 'correct' : partial },
        ...{ points, findings, submission: evaluation.submission },
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

  /** Removes the submissions of some work, with what the log removes. Throws OverloadError `storage.unavailable`. */
  reset(work: Work, nextForgery: number): void {
    this.#log.reset(work, nextForgery);
    this.#records.delete(workKey(work));
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
