/**
 * @module
 * The names that a packed world contains, such as ids of requests. A new name is the smallest that is free, so that
 * worlds with other names do not differ.
 */

import type { Layout } from '../layout.ts';
import type { LocalSteps } from '../local-steps.ts';
import { NAMES_FROM, NAMES_STRIDE } from '../local-steps.ts';

/** The smallest name from which nothing in the world comes. */
export function freshName(
  steps: LocalSteps,
  { endpoints, fixed }: Layout,
  words: Uint16Array,
  length: number,
): number {
  const used = new Set<number>();
  for (let rank = 1; rank <= endpoints; rank += 1) {
    for (const name of steps.factsOf(rank, words[rank - 1] ?? 0).names) used.add(name);
  }
  for (let at = fixed; at < length; at += 1) {
    for (const name of steps.namesOf[words[at] ?? 0] ?? []) used.add(name);
  }
  let fresh = NAMES_FROM;
  while (used.has(fresh)) fresh += NAMES_STRIDE;
  return fresh;
}
