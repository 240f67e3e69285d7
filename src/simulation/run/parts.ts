/**
 * @module
 * Work in parts. Between two parts the caller may do other work, so that long work need not hold a thread.
 * What is refused is refused in the first part, before anything has changed.
 */

/** Work that is done one part at a time, and its result. */
export type Parts<Result = void> = Generator<void, Result, void>;

/** Does all parts at once. */
export function whole<Result>(parts: Parts<Result>): Result {
  for (;;) {
    const step = parts.next();
    if (step.done === true) return step.value;
  }
}
