/**
 * @module
 * Types of members of a threat model, each with an error that states what is valid, and texts of lists and
 * counts.
 */

import { z } from 'zod';
import { countExamples, QUANTITY_EXAMPLES, quantity } from '../../quantities.ts';
import { BUDGET_SECONDS_MAX } from './limits.ts';

const PROSE_CHARACTERS_MAX = 4000;

/** A count. */
export function integer(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}${countExamples(min, max)}`;
  return quantity('count', { min, max }, error);
}

/** A time in seconds. */
export function seconds() {
  const error = `must be a time from 0 to ${BUDGET_SECONDS_MAX} seconds such as ${QUANTITY_EXAMPLES.time}`;
  return quantity('time', { min: 0, max: BUDGET_SECONDS_MAX }, error);
}

/** A probability from 0 to 1. */
export function probability() {
  const error = `must be a probability from 0 to 1 such as ${QUANTITY_EXAMPLES.probability}`;
  return quantity('probability', { min: 0, max: 1 }, error);
}

export function oneOf<const Names extends readonly string[]>(names: Names) {
  return z.enum(names, { error: `must be ${alternatives(names)}` });
}

/** Some of the names. That each occurs once is checked with the whole document. */
export function someOf<const Names extends readonly string[]>(names: Names) {
  const error = listError(names);
  return z.array(oneOf(names), { error }).max(names.length, { error });
}

export function prose(description: string) {
  const error = `must be text of 1 to ${PROSE_CHARACTERS_MAX} characters`;
  return z
    .string({ error })
    .min(1, { error })
    .max(PROSE_CHARACTERS_MAX, { error })
    .meta({ description });
}

export function listError(names: readonly string[]): string {
  return `must be a list of ${alternatives(names)}, for example [${names.slice(0, 2).join(', ')}]`;
}

/** `a, b or c`. */
export function alternatives(names: readonly string[]): string {
  return names.length === 1 ? `${names[0]}` : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** `1 attempt`, `2 attempts`, `3 hashes`, `4 identities`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  const plural = noun.replace(/(?:([^aeiou])y|(sh|s))$/, (_, consonant?: string, hiss?: string) =>
    consonant === undefined ? `${hiss}es` : `${consonant}ies`,
  );
  return `${count} ${plural === noun ? `${noun}s` : plural}`;
}
