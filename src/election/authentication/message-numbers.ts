/**
 * @module
 * Which message numbers of one sender have been used: each counts once, in any order, as long as none is
 * overtaken by more than a window (as in RFC 4303, section 3.4.3). The numbers of a
 * node that has returned are far above those of before, which with its first message count as used.
 */

export type Numbers = {
  /** The highest used number. 0 before the first. */
  highest: number;
  /** Lower unused numbers, ascending. Numbers outside the window count as used. */
  missing: number[];
};

/** Number of messages that may overtake one. */
export const NUMBERS_WINDOW = 1024;

export function noNumbers(): Numbers {
  return { highest: 0, missing: [] };
}

/** Whether a message with this number counts. */
export function isFresh({ highest, missing }: Numbers, number: number): boolean {
  return number > highest ? Number.isSafeInteger(number) : missing.includes(number);
}

/** Marks a number as used. */
export function noteNumber(numbers: Numbers, number: number): void {
  if (number <= numbers.highest) {
    numbers.missing = numbers.missing.filter((each) => each !== number);
    return;
  }
  const first = Math.max(numbers.highest + 1, number - NUMBERS_WINDOW);
  for (let skipped = first; skipped < number; skipped += 1) numbers.missing.push(skipped);
  numbers.missing = numbers.missing.filter((each) => each >= number - NUMBERS_WINDOW);
  numbers.highest = number;
}
