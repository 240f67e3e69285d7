/**
 * @module
 * The hints that students have taken. A hint is charged once, however often it is asked for.
 */

import type { CourseworkLog } from './coursework-log.ts';
import { EPHEMERAL_COURSEWORK } from './coursework-log.ts';
import type { Work } from './submission-log.ts';
import { entryKey, workKey } from './submission-log.ts';

interface Taken {
  readonly work: Work;
  /** Its position in the exercise, from 1. */
  readonly number: number;
  readonly takenMs: number;
  readonly cost: number;
}

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

  #add(taken: Taken): void {
    const key = workKey(taken.work);
    this.#taken.set(key, [...(this.#taken.get(key) ?? []), taken]);
  }
}
