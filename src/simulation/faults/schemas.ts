/**
 * @module
 * Parts of zod schemas for JSON from outside. Their messages follow the pointer of a member:
 * `/faults/0/rank must be a whole number in 1..5`.
 */

import { z } from 'zod';

/** The message for a value that is not `what`, or that is missing. */
export function must(what: string) {
  return {
    error: ({ input }: { readonly input?: unknown }) =>
      input === undefined ? 'is missing' : `must be ${what}`,
  };
}

export function oneOf(names: readonly string[]) {
  return must(`one of ${names.join(', ')}`);
}

export function integer(min: number, max: number) {
  const error = must(`a whole number in ${min}..${max}`);
  return z.int(error).min(min, error).max(max, error);
}

export function list<Item extends z.ZodType>(item: Item, lengthMax: number) {
  return z.array(item, must('a list')).max(lengthMax, must(`a list of at most ${lengthMax}`));
}

/** An object with exactly these members. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  const { error } = must('an object');
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : error(issue)),
  });
}

export const text = z.string(must('a string'));
export const truth = z.boolean(must('true or false'));
