/**
 * @module
 * What instructors decide about the work of students: grades and comments, extensions, resets, regrades. Each decision is
 * kept for good with its maker and its time. One that was undone stays in the list, and has no effect.
 */

import { LabError } from '../../src/errors.ts';
import type { CourseworkLog, KindedEntry } from './coursework-log.ts';
import { EPHEMERAL_COURSEWORK } from './coursework-log.ts';
import type { Taken } from './hints.ts';
import type { Metered } from './meter.ts';
import type { Evaluated } from './submission-store.ts';

/** Decisions of a class. */
export const DECISIONS_MAX = 100_000;

/** What a reset has removed, for its undoing. */
export interface RemovedWork {
  readonly version: number;
  /** When the student began; null if that is not known. */
  readonly startedMs: number | null;
  readonly submissions: readonly Evaluated[];
  readonly hints: readonly Taken[];
  readonly forgeries: readonly Metered[];
}

/** The points of a student before and after a regrade. */
export interface ScoreChange {
  readonly student: string;
  readonly before: number;
  readonly after: number;
}

/** What is decided. */
export type Ruling =
  | {
      readonly type: 'grade';
      readonly student: string;
      readonly exercise: string;
      /** Points in place of those of the submissions; null for those of the submissions. */
      readonly points: number | null;
      readonly comment: string | null;
    }
  | {
      readonly type: 'extension';
      readonly student: string;
      readonly exercise: string;
      /** The deadline of the student; null for that of the class. */
      readonly deadlineMs: number | null;
      readonly comment: string | null;
    }
  | {
      readonly type: 'reset';
      readonly student: string;
      readonly exercise: string;
      readonly removed: RemovedWork;
    }
  | {
      readonly type: 'regrade';
      /** Null for all students. */
      readonly student: string | null;
      readonly exercise: string;
      /** Number of submissions that were graded again. */
      readonly submissions: number;
      readonly changes: readonly ScoreChange[];
    };

/** Who did something, and when. */
export interface Act {
  readonly by: string;
  readonly atMs: number;
}

/** A ruling with its number, from 1. */
export interface Decision {
  readonly number: number;
  readonly made: Act;
  /** Null unless it was undone. */
  readonly undone: Act | null;
  readonly ruling: Ruling;
}

export class Decisions {
  readonly #log: CourseworkLog;
  readonly #all: Decision[] = [];
  /** The decisions about each student and exercise, the oldest first. */
  readonly #byWork = new Map<string, Decision[]>();

  constructor(log: CourseworkLog = EPHEMERAL_COURSEWORK) {
    this.#log = log;
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    // The digest shows that each is as `entryOf` has made it.
    for (const { content } of this.#log.read('decision')) this.kept(content as Decision);
  }

  /** All decisions, the oldest first. */
  list(): readonly Decision[] {
    return this.#all;
  }

  /** Throws LabError `not_found`. */
  get(number: number): Decision {
    const decision = this.#all[number - 1];
    if (decision === undefined) throw new LabError('not_found', `there is no decision ${number}`);
    return decision;
  }

  /** The next decision, which is not kept yet. Throws LabError `limit.storage`. */
  draft(ruling: Ruling, made: Act): Decision {
    if (this.#all.length >= DECISIONS_MAX) {
      throw new LabError('limit.storage', `a class has at most ${DECISIONS_MAX} decisions`);
    }
    return { number: this.#all.length + 1, made, undone: null, ruling };
  }

  /** The decision as one that was undone, which is not kept yet. Throws LabError `class.conflict`. */
  undoing(number: number, undone: Act): Decision {
    const decision = this.get(number);
    if (decision.undone !== null) {
      throw new LabError('class.conflict', `decision ${number} was undone before`);
    }
    if (decision.ruling.type === 'regrade') {
      const detail = 'a regrade is not undone: correct the exercise, and grade it again';
      throw new LabError('class.conflict', detail);
    }
    return { ...decision, undone };
  }

  /** Stores a decision. Throws OverloadError `storage.unavailable`. */
  keep(decision: Decision): void {
    const { kind, key, content } = entryOf(decision);
    this.#log.put(kind, key, content);
    this.kept(decision);
  }

  /** Notes a decision whose entry is written already. */
  kept(decision: Decision): void {
    this.#all[decision.number - 1] = decision;
    const { student, exercise } = decision.ruling;
    const key = JSON.stringify([student, exercise]);
    const others = this.#byWork.get(key)?.filter(({ number }) => number !== decision.number) ?? [];
    const sorted = [...others, decision].toSorted((one, other) => one.number - other.number);
    this.#byWork.set(key, sorted);
  }

  /** The points that an instructor has set until a time; null for none. */
  gradeOf(student: string, exercise: string, untilMs = Number.POSITIVE_INFINITY): number | null {
    const grade = this.#last('grade', { student, exercise, untilMs });
    return grade?.type === 'grade' ? grade.points : null;
  }

  /** The comment of the last grade or extension; null for none. */
  commentOf(type: 'grade' | 'extension', student: string, exercise: string): string | null {
    const ruling = this.#last(type, { student, exercise });
    return ruling?.type === 'grade' || ruling?.type === 'extension' ? ruling.comment : null;
  }

  /** The deadline of the last extension, in ms since 1970; null for none. */
  extensionOf(student: string, exercise: string): number | null {
    const extension = this.#last('extension', { student, exercise });
    return extension?.type === 'extension' ? extension.deadlineMs : null;
  }

  #last(
    type: Ruling['type'],
    about: { readonly student: string; readonly exercise: string; readonly untilMs?: number },
  ): Ruling | undefined {
    const { student, exercise, untilMs = Number.POSITIVE_INFINITY } = about;
    return this.#byWork
      .get(JSON.stringify([student, exercise]))
      ?.findLast(
        ({ ruling, undone, made }) =>
          undone === null && made.atMs <= untilMs && ruling.type === type,
      )?.ruling;
  }
}

/** The entry of a decision in the log. */
export function entryOf(decision: Decision): KindedEntry {
  return { kind: 'decision', key: String(decision.number), content: decision };
}
