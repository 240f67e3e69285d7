/**
 * @module
 * Carries out what instructors decide about the work of students. A decision and what follows from it are written in one
 * transaction.
 */

import { instantOf, localText } from '../../src/exercise/class/class-document.ts';
import type { Exercise } from '../../src/exercise/document.ts';
import type { Finding, Grade } from '../../src/exercise/grading.ts';
import { grade, sharesOf } from '../../src/exercise/grading.ts';
import type { Instance } from '../../src/exercise/instance.ts';
import { inTurns } from '../callers/work-turns.ts';
import { schemaFault } from '../contract/faults.ts';
import { SERVER } from '../request/principal.ts';
import type { Course } from './course.ts';
import type { KindedEntry } from './coursework-log.ts';
import type { Act, Decision, Ruling } from './decisions.ts';
import { entryOf } from './decisions.ts';
import type { Evaluated, Work } from './submission-store.ts';
import { entryKey } from './submission-store.ts';

/** A longer one has a wrong year. */
const EXTENSION_MAX_MS = 366 * 86_400_000;

type Reset = Extract<Ruling, { type: 'reset' }>;

/** A grade or an extension as an instructor asks for it. */
export interface Wanted {
  readonly student: string;
  readonly comment: string | null;
}

export class Gradebook {
  readonly #course: Course;

  constructor(course: Course) {
    this.#course = course;
  }

  /** Sets the points of a student. Throws LabError `schema` for more than those of the exercise. */
  setGrade(
    { name, points: most }: Exercise,
    { student, points, comment }: Wanted & { readonly points: number | null },
    by: string,
  ): Decision {
    if (points !== null && points > most) {
      throw schemaFault('/points', `must be at most ${most}, the points of ${name}`);
    }
    return this.#keep({ type: 'grade', student, exercise: name, points, comment }, by);
  }

  /**
   * Sets the deadline of a student. Throws LabError `schema` for a time that cannot be read or is not later, without a
   * deadline, and for null without an extension.
   */
  extend(
    exercise: Exercise,
    { student, deadline, comment }: Wanted & { readonly deadline: string | null },
    by: string,
  ): Decision {
    const { name } = exercise;
    const deadlineMs = deadline === null ? null : instantOf(deadline, this.#course.timeZone);
    if (typeof deadlineMs === 'string') throw schemaFault('/deadline', deadlineMs);
    const rule = this.#ruleFor(deadlineMs, exercise, student);
    if (rule !== null) throw schemaFault('/deadline', `must be ${rule}`);
    return this.#keep({ type: 'extension', student, exercise: name, deadlineMs, comment }, by);
  }

  /** What an extension must be; null if it is. It may be set again, also to an earlier time. */
  #ruleFor(deadlineMs: number | null, exercise: Exercise, student: string): string | null {
    const { timeZone, decisions } = this.#course;
    if (deadlineMs === null) {
      const isGiven = decisions.extensionOf(student, exercise.name) !== null;
      return isGiven ? null : `a time: ${student} has no extension of ${exercise.name}`;
    }
    const { deadlineMs: before } = this.#course.scheduleOf(exercise, student, null);
    if (before === null) return `absent: ${exercise.name} has no deadline`;
    const text = `the deadline ${localText(before, timeZone)} ${timeZone}`;
    if (deadlineMs <= before) return `later than ${text}`;
    const isFar = deadlineMs > Math.max(before, this.#course.wallMs()) + EXTENSION_MAX_MS;
    return isFar ? `at most a year later than now and ${text}` : null;
  }

  /** Makes the work of a student on an exercise as if it had not begun. Throws OverloadError `storage.unavailable`. */
  reset({ name: exercise, version }: Exercise, student: string, by: string): Decision {
    const { submissions, meter, hints, starts, solves, decisions } = this.#course;
    const work = { student, exercise, version };
    const removed = {
      version,
      startedMs: starts.of(work),
      submissions: submissions.list(work),
      hints: hints.list(work),
      forgeries: meter.list(work).filter(({ isOver }) => isOver),
    };
    const ruling: Reset = { type: 'reset', student, exercise, removed };
    const decision = decisions.draft(ruling, this.#act(by));
    submissions.reset(work, meter.nextOf(work), [entryOf(decision)]);
    meter.reset(work);
    hints.reset(work);
    starts.reset(work);
    solves.remove(work);
    decisions.kept(decision);
    return decision;
  }

  /** Takes a decision back. Throws LabError `not_found` or `class.conflict`, or OverloadError `storage.unavailable`. */
  undo(number: number, by: string): Decision {
    const { decisions } = this.#course;
    const undone = decisions.undoing(number, this.#act(by));
    if (undone.ruling.type === 'reset') this.#restore(undone, undone.ruling);
    else decisions.keep(undone);
    return undone;
  }

  /** Puts work back that was reset. What the student did since then is kept, too. */
  #restore(undone: Decision, { student, exercise, removed }: Reset): void {
    const { submissions, meter, hints, starts, decisions } = this.#course;
    const work = { student, exercise, version: removed.version };
    const entries: KindedEntry[] = [
      entryOf(undone),
      ...hints.restorable(removed.hints),
      ...removed.forgeries.map((content): KindedEntry => {
        return { kind: 'forgery', key: entryKey(work, content.number), content };
      }),
    ];
    submissions.restore(work, removed.submissions, entries);
    hints.restore(removed.hints);
    meter.restore(work, removed.forgeries);
    if (removed.startedMs !== null) starts.begin(work, removed.startedMs);
    this.#announce(work);
    decisions.kept(undone);
  }

  /**
   * Grades the submissions to an exercise again, by the exercise as it is now: those of a student, or of all. The elections
   * have gone on since a submission was received, so that a goal that needs them keeps its findings, and only the points are
   * new. Throws OverloadError `storage.unavailable`; nothing is changed then.
   */
  async regrade(exercise: Exercise, student: string | null, by: string): Promise<Decision> {
    const { submissions, decisions } = this.#course;
    const { name, version } = exercise;
    const works = submissions
      .worksOn({ exercise: name, version })
      .filter((work) => student === null || work.student === student);
    // The server has no budget as a principal. Therefore the work takes turns with other work, and never pauses.
    const turns = { lane: 'body', principal: SERVER } as const;
    const regraded = await inTurns(this.#regraded(exercise, works), turns);
    const byId = new Map(regraded.map((evaluated) => [evaluated.id, evaluated]));
    // From here on nothing else happens until the decision is kept.
    const replaced = works.map((work) => {
      const list = submissions.list(work).map((each) => byId.get(each.id) ?? each);
      return { work, submissions: list };
    });
    const changes = replaced.flatMap(({ work, submissions: list }) => {
      const before = this.#course.scoreOf(exercise, work.student).points;
      const after = this.#course.scoreOf(exercise, work.student, { submissions: list }).points;
      return before === after ? [] : [{ student: work.student, before, after }];
    });
    const decision = decisions.draft(
      { type: 'regrade', student, exercise: name, submissions: regraded.length, changes },
      this.#act(by),
    );
    submissions.replace(replaced, [entryOf(decision)]);
    for (const work of works) this.#announce(work);
    decisions.kept(decision);
    return decision;
  }

  /** The submissions as they are graded now. It pauses after each. */
  *#regraded(exercise: Exercise, works: readonly Work[]): Generator<void, readonly Evaluated[]> {
    const regraded: Evaluated[] = [];
    for (const work of works) {
      for (const evaluated of this.#course.submissions.list(work)) {
        regraded.push(this.#gradedAgain(exercise, work, evaluated));
        yield;
      }
    }
    return regraded;
  }

  #gradedAgain(exercise: Exercise, work: Work, evaluated: Evaluated): Evaluated {
    const { submissions, meter } = this.#course;
    const instance = this.#course.instanceFor(exercise, work.student);
    const { submission, findings } = evaluated;
    const record = { elections: {}, forgeries: meter.list(work) };
    const graded = instance.goal.needs.includes('elections')
      ? pointsAgain(exercise, instance.goal.criteria, findings)
      : grade(exercise, instance, { submission, record });
    const points = submissions.isSuspect(work, evaluated) ? 0 : graded.points;
    const partial = points > 0 ? 'partial' : 'incorrect';
    const status = graded.passed ? 'correct' : partial;
    return { ...evaluated, status, points, findings: graded.findings };
  }

  /** Makes the solve of some work known, or takes it back. */
  #announce(work: Work): void {
    const { submissions, solves } = this.#course;
    const solution = submissions.solutionOf(work);
    solves.set(work, solution?.createdMs ?? null);
  }

  #keep(ruling: Ruling, by: string): Decision {
    const { decisions } = this.#course;
    const decision = decisions.draft(ruling, this.#act(by));
    decisions.keep(decision);
    return decision;
  }

  #act(by: string): Act {
    return { by, atMs: this.#course.wallMs() };
  }
}

/** The points of criteria as the exercise has them now. A criterion that was not judged is not met. */
function pointsAgain(
  { points: most }: Exercise,
  criteria: Instance['goal']['criteria'],
  judged: readonly Finding[],
): Grade {
  const shares = sharesOf(most, criteria);
  const findings = criteria.map(({ criterion, meaning }, index): Finding => {
    const found = judged.find((each) => each.criterion === criterion);
    const met = found?.met ?? false;
    return {
      criterion,
      met,
      points: met ? (shares[index] ?? 0) : 0,
      detail: found?.detail ?? meaning,
    };
  });
  return {
    points: findings.reduce((sum, { points }) => sum + points, 0),
    passed: findings.every(({ met }) => met),
    findings,
  };
}
