/**
 * @module
 * What a student took of an exercise: hints, and the first look at the instance, with which the time for it begins.
 */

import { OverloadError } from '../request/refusals.ts';
import type { CourseworkLog, KindedEntry } from './coursework-log.ts';
import { EPHEMERAL_COURSEWORK } from './coursework-log.ts';
import type { Work } from './submission-store.ts';
import { entryKey, workKey } from './submission-store.ts';

export interface Taken {
  readonly work: Work;
  /** The position of the hint in its exercise, from 1. */
  readonly number: number;
  readonly takenMs: number;
  readonly cost: number;
}

/** The hints that students have taken. A hint is charged once, however often it is asked for. */
export class Hints {
  readonly #log: CourseworkLog;
  readonly #taken = new Map<string, Taken[]>();

  constructor(log: CourseworkLog = EPHEMERAL_COURSEWORK) {
    this.#log = log;
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    for (const { content } of this.#log.read('hint')) {
      // The digest shows that it is as `take` has stored it.
      this.#add(content as Taken);
    }
  }

  list(work: Work): readonly Taken[] {
    return this.#taken.get(workKey(work)) ?? [];
  }

  /** Takes a hint, unless it was taken before. Throws OverloadError `storage.unavailable`. */
  take(taken: Taken): void {
    if (this.list(taken.work).some(({ number }) => number === taken.number)) return;
    this.#log.put('hint', entryKey(taken.work, taken.number), taken);
    this.#add(taken);
  }

  /** Forgets the hints of some work, whose entries are removed already. */
  reset(work: Work): void {
    this.#taken.delete(workKey(work));
  }

  /** The entries of hints that were reset. What was taken again meanwhile stays as it is. */
  restorable(taken: readonly Taken[]): readonly KindedEntry[] {
    return taken
      .filter(({ work, number }) => !this.list(work).some((each) => each.number === number))
      .map((content) => ({ kind: 'hint', key: entryKey(content.work, content.number), content }));
  }

  /** Adds hints whose entries are written already. */
  restore(taken: readonly Taken[]): void {
    for (const each of taken) {
      if (!this.list(each.work).some(({ number }) => number === each.number)) this.#add(each);
    }
  }

  #add(taken: Taken): void {
    const key = workKey(taken.work);
    this.#taken.set(key, [...(this.#taken.get(key) ?? []), taken]);
  }
}

/** When students first asked for their instances, in ms since 1970. */
export class Starts {
  readonly #log: CourseworkLog;
  readonly #started = new Map<string, number>();

  constructor(log: CourseworkLog = EPHEMERAL_COURSEWORK) {
    this.#log = log;
  }

  /** Reads the log. Throws LabError `file.unreadable`. */
  open(): void {
    for (const { content } of this.#log.read('start')) {
      // The digest shows that it is as `begin` has stored it.
      const { work, startedMs } = content as { readonly work: Work; readonly startedMs: number };
      this.#started.set(workKey(work), startedMs);
    }
  }

  /** When the student began; null if that is not known. */
  of(work: Work): number | null {
    return this.#started.get(workKey(work)) ?? null;
  }

  /** Forgets the start of some work, whose entry is removed already. */
  reset(work: Work): void {
    this.#started.delete(workKey(work));
  }

  /** Notes a start, once. A start that cannot be written is not noted: it keeps no student from working. */
  begin(work: Work, startedMs: number): void {
    if (this.of(work) !== null) return;
    try {
      this.#log.put('start', entryKey(work, 0), { work, startedMs });
    } catch (error) {
      if (error instanceof OverloadError) return;
      throw error;
    }
    this.#started.set(workKey(work), startedMs);
  }
}
