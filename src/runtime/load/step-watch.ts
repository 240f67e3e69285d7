/**
 * @module
 * Which code of the user runs now, in memory that another thread watches. A call without an end blocks the main thread,
 * which then reacts to no signal, so that only another thread can say what it waits for.
 */

/** Indexes of the shared integers. */
export const WATCHED = {
  /** How many calls have begun and ended. */
  calls: 0,
  /** The number of what runs; 0 for nothing. */
  running: 1,
} as const;

/** The thread that watches. */
export interface StepWatch {
  readonly cell: Int32Array;
  /** Posts the name of a number to the thread. */
  readonly name: (number: number, what: string) => void;
}

let watch: StepWatch | null = null;
const NUMBERS = new Map<string, number>();

/** From now on each call is written to the memory of the watch. */
export function beginWatch(begun: StepWatch): void {
  watch = begun;
}

/** Calls code of the user. `what` names it. */
export function watched<Result>(what: string, call: () => Result): Result {
  if (watch === null) return call();
  const { cell } = watch;
  const outer = cell[WATCHED.running] ?? 0;
  cell[WATCHED.running] = numberOf(what, watch);
  Atomics.add(cell, WATCHED.calls, 1);
  try {
    return call();
  } finally {
    cell[WATCHED.running] = outer;
    Atomics.add(cell, WATCHED.calls, 1);
  }
}

function numberOf(what: string, { name }: StepWatch): number {
  const known = NUMBERS.get(what);
  if (known !== undefined) return known;
  const number = NUMBERS.size + 1;
  NUMBERS.set(what, number);
  name(number, what);
  return number;
}
