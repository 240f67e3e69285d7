/**
 * @module
 * All threads of a search must give the same numbers to local states, messages and whatever else is numbered. So no
 * thread numbers anything while it explores alone: it leaves out the world. Afterwards every thread explores the worlds
 * that were left out, in the same order, and numbers what is new in them.
 */

/** Thrown where something would be numbered while nothing may be. */
export class NotNumberedError extends Error {
  override readonly name = 'NotNumberedError';
}

let isFrozen = false;
let count = 0;
/** One object, because it is thrown often and its stack is of no use. */
const NOT_NUMBERED = new NotNumberedError('nothing may be numbered now');

/** Must be called before something is numbered. Throws NotNumberedError while nothing may be. */
export function beforeNumbering(): void {
  if (isFrozen) throw NOT_NUMBERED;
  count += 1;
}

/** How often something was numbered in this thread. */
export function numberedSoFar(): number {
  return count;
}

/** Does work in which nothing may be numbered. */
export function withoutNumbering<Result>(work: () => Result): Result {
  isFrozen = true;
  try {
    return work();
  } finally {
    isFrozen = false;
  }
}
