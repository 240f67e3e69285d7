/**
 * @module
 * The budgets of attempts of exercises. A metered forgery reserves its attempts before it begins, so that requests at
 * the same time cannot share them. When it is over, it is charged for those of its ledger, and what it found is kept
 * here, because jobs are forgotten.
 */

import { LabError } from '../../src/errors.ts';
import type { ForgeryRecord } from '../../src/exercise/record.ts';
import { attemptsSpent } from '../../src/exercise/record.ts';
import type { CourseworkLog } from './coursework-log.ts';
import { EPHEMERAL_COURSEWORK } from './coursework-log.ts';
import type { Work } from './submission-store.ts';
import { entryKey, workKey } from './submission-store.ts';

/** Forgeries of one student for one exercise. Each has at least one attempt. */
export const FORGERIES_MAX = 1_000;

/** A metered forgery, and for whose work it was made. */
export interface Metered extends ForgeryRecord {
  readonly work: Work;
  /** The position of the search among all that were made for this work, from 1. */
  readonly number: number;
}

export class Meter {
  readonly #log: CourseworkLog;
  readonly #metered = new Map<string, Metered[]>();
  /** The number of the next forgery for work that was reset, so that none has an earlier seed. */
  readonly #next = new Map<string, number>();

  constructor(log: CourseworkLog = EPHEMERAL_COURSEWORK) {
    this.#log = log;
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    for (const { content } of this.#log.read('forgery')) {
      // The digest shows that it is as `#store` has stored it.
      const metered = content as Metered;
      this.#listOf(metered.work).push(metered);
    }
    for (const { key, content } of this.#log.read('reset')) {
      // As `SubmissionLog.reset` has stored it.
      this.#next.set(key, (content as { readonly nextForgery: number }).nextForgery);
    }
  }

  /** Gives back what was reserved before the server was killed, for jobs that it did not accept any more. */
  restored(): void {
    for (const list of this.#metered.values()) {
      for (const { work, number, isOver } of [...list]) if (!isOver) this.release(work, number);
    }
  }

  /** The forgeries for some work, in the order in which they were submitted. */
  list(work: Work): readonly Metered[] {
    return this.#metered.get(workKey(work)) ?? [];
  }

  /** Attempts of a budget that are neither spent nor reserved. */
  leftOf(work: Work, budgetAttempts: number): number {
    return Math.max(0, budgetAttempts - attemptsSpent(this.list(work)));
  }

  /**
   * Reserves attempts of a budget: those that are asked for, or all that are left. Throws LabError `exercise.budget`
   * if fewer are left, and OverloadError `storage.unavailable`.
   */
  begin(
    work: Work,
    { budgetAttempts, asked }: { readonly budgetAttempts: number; readonly asked: number | null },
  ): Pick<Metered, 'number' | 'attempts'> {
    const list = this.#listOf(work);
    const left = this.leftOf(work, budgetAttempts);
    const attempts = asked ?? left;
    if (left === 0 || attempts > left || list.length >= FORGERIES_MAX) {
      const detail = `of ${budgetAttempts} attempts for ${work.exercise}, ${left} are left, and ${attempts} were asked for in forgery ${list.length + 1} of at most ${FORGERIES_MAX}`;
      throw new LabError('exercise.budget', detail);
    }
    const number = this.nextOf(work);
    const metered = { work, number, attempts, claims: [], isOver: false };
    this.#store(metered);
    list.push(metered);
    return { number, attempts };
  }

  /** The number of the next forgery. */
  nextOf(work: Work): number {
    const last = this.#listOf(work).at(-1)?.number ?? 0;
    return Math.max(last + 1, this.#next.get(workKey(work)) ?? 1);
  }

  /** Forgets the forgeries for some work, whose entries are removed already. */
  reset(work: Work): void {
    this.#next.set(workKey(work), this.nextOf(work));
    this.#metered.delete(workKey(work));
  }

  /** Adds forgeries that were reset, whose entries are written already. Later ones have higher numbers. */
  restore(work: Work, forgeries: readonly Metered[]): void {
    this.#metered.set(workKey(work), [...forgeries, ...this.#listOf(work)]);
  }

  /** Gives the attempts of a forgery back that was not accepted. */
  release(work: Work, number: number): void {
    const list = this.#listOf(work);
    const index = list.findIndex((each) => each.number === number);
    if (index < 0) return;
    list.splice(index, 1);
    this.#log.remove('forgery', entryKey(work, number));
  }

  /** Charges a forgery that is over for its attempts, once. Throws OverloadError `storage.unavailable`. */
  end(work: Work, number: number, result: Pick<ForgeryRecord, 'attempts' | 'claims'>): void {
    const list = this.#listOf(work);
    const begun = list.find((each) => each.number === number);
    if (begun === undefined || begun.isOver) return;
    const { attempts, claims } = result;
    // A batch may end after the last attempt that was allowed.
    const charged = Math.min(attempts, begun.attempts);
    const over = { ...begun, attempts: charged, claims, isOver: true };
    // First in memory: if the file cannot be written, it keeps what was reserved, which is more.
    list[list.indexOf(begun)] = over;
    this.#store(over);
  }

  #store(metered: Metered): void {
    this.#log.put('forgery', entryKey(metered.work, metered.number), metered);
  }

  #listOf(work: Work): Metered[] {
    const key = workKey(work);
    const list = this.#metered.get(key) ?? [];
    this.#metered.set(key, list);
    return list;
  }
}
