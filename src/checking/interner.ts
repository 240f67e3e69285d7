/**
 * @module
 * Numbers for JSON values, so that the search compares integers. Equal values have equal numbers, whatever the
 * order of their members.
 */

/** Numbers of local states, messages and pasts have 16 bits in a packed state. */
export const NUMBERS_MAX = 2 ** 16;

/** A part of the instance has more values than the packed state can distinguish. */
export class TooManyValuesError extends Error {
  override readonly name = 'TooManyValuesError';
  /** choice: a node draws one of too many values. values: the worlds have too many parts. */
  override readonly cause: 'choice' | 'values';

  constructor(message: string, cause: 'choice' | 'values' = 'values') {
    super(message);
    this.cause = cause;
  }
}

/** Numbers values 0, 1, 2, … in the order of their first appearance. */
export class Interner<Value> {
  /** The value of each number. */
  readonly values: Value[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];

  /** The number of a value, which must be JSON data and must not change afterwards. */
  numberOf(value: Value): number {
    const text = canonicalText(value);
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    beforeNumbering();
    const number = this.values.length;
    this.#numbers.set(text, number);
    this.values.push(value);
    this.#texts.push(text);
    return number;
  }

  /** The canonical text of the value of a number that `numberOf` returned. */
  textOf(number: number): string {
    const text = this.#texts[number];
    if (text === undefined)
      throw new RangeError(`"number" expected an interned one, got ${number}`);
    return text;
  }

  /** The value of a number that `numberOf` returned. */
  valueOf(number: number): Value {
    const value = this.values[number];
    if (value === undefined)
      throw new RangeError(`"number" expected an interned one, got ${number}`);
    return value;
  }
}

/** JSON with the members of every object in the order of their names. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part === null || typeof part !== 'object' || Array.isArray(part)) return part;
    return Object.fromEntries(
      Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)),
    );
  });
}

/**
 * Thrown where something would be numbered while nothing may be. All threads of a search must give the same numbers
 * to local states, messages and whatever else is numbered. So no thread numbers anything while it explores alone: it
 * leaves out the world. Afterwards every thread explores the worlds that were left out, in the same order, and
 * numbers what is new in them.
 */
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
