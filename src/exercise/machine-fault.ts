/**
 * @module
 * What goes wrong in a submitted machine: it throws, breaks its contract, or has ended. It is a fault of the submission,
 * not a bug.
 */

/** A fault of a submitted machine. The message says what happened, in words for the student. */
export class MachineFault extends Error {}

/** What is missing according to `test`, or what went wrong in the submitted machine. */
export function attempted(test: () => string | null): string | null {
  try {
    return test();
  } catch (error) {
    if (error instanceof MachineFault) return error.message;
    throw error;
  }
}
