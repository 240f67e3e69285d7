/**
 * @module
 * This folder identifies the caller of a request and limits what each caller may use. This file defines on
 * whose behalf the code runs. It is set once around each request. Outside of any request (a restart, a
 * test of one part) everything is visible and free.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';

/** Who sent a request. */
export interface Asker {
  /** What budgets go by: the name of a token, or an address. */
  readonly caller: string;
  /** Whose token came with it; null where none is demanded, and everything is everybody's. */
  readonly holder: string | null;
  /** Whether others' things are seen too. */
  readonly isAdmin: boolean;
  /** Milliseconds until the caller's elections have time again on the thread that answers. */
  readonly waitMs: () => number;
  /** Told what the caller's elections took of the thread that answers. */
  readonly charge: (ms: number) => void;
}

const CURRENT = new AsyncLocalStorage<Asker>();

/** Does something, and all that it starts, on behalf of someone. */
export function onBehalfOf<T>(asker: Asker, work: () => T): T {
  return CURRENT.run(asker, work);
}

/** Keeps on whose behalf this runs for work that is called from elsewhere, such as a stream that is pulled. */
export function keptAsker(): <T>(work: () => T) => T {
  const asker = currentAsker();
  return (work) => (asker === null ? work() : onBehalfOf(asker, work));
}

/** On whose behalf this runs; null for nobody's. */
export function currentAsker(): Asker | null {
  return CURRENT.getStore() ?? null;
}

/** Whom something that is made now belongs to; undefined is everybody. */
export function currentOwner(): string | undefined {
  return currentAsker()?.holder ?? undefined;
}

/** Whether who asks may know of something of this owner; undefined is everybody's. */
export function sees(owner: string | undefined): boolean {
  const { holder = null, isAdmin = false } = currentAsker() ?? {};
  return owner === undefined || holder === null || isAdmin || owner === holder;
}

/** Does a slice of work for an election and charges who asked for it. */
export function charged<T>(work: () => T): T {
  const asker = currentAsker();
  if (asker === null) return work();
  const startedMs = performance.now();
  try {
    return work();
  } finally {
    asker.charge(performance.now() - startedMs);
  }
}
