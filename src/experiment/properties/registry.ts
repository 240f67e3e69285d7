/**
 * @module
 * The list of properties. The schema of threat models, its documentation and the verdicts read this list.
 */

import { ADVERSARY_LEADS } from './adversary-leads.ts';
import { ADVERSARY_LEADS_ONCE } from './adversary-leads-once.ts';
import { HIGHEST_LEADS } from './highest-leads.ts';
import { HONEST_PRICED_OUT } from './honest-priced-out.ts';
import { MAJORITY_CAPTURED } from './majority-captured.ts';
import { NO_LEADER } from './no-leader.ts';
import type { Judges, Property } from './property.ts';
import { SPLIT } from './split.ts';
import { STALE_WRITES } from './stale-writes.ts';
import { SUCCESSORS_CAPTURED } from './successors-captured.ts';
import { TOP_CAPTURED } from './top-captured.ts';

export const PROPERTIES = [
  ADVERSARY_LEADS,
  HIGHEST_LEADS,
  NO_LEADER,
  SPLIT,
  STALE_WRITES,
  TOP_CAPTURED,
  SUCCESSORS_CAPTURED,
  MAJORITY_CAPTURED,
  ADVERSARY_LEADS_ONCE,
  HONEST_PRICED_OUT,
] as const;

export type PropertyName = (typeof PROPERTIES)[number]['name'];

export const PROPERTY_NAMES: readonly PropertyName[] = PROPERTIES.map(({ name }) => name);

/** The property of that name. */
export function propertyOf(name: PropertyName): Property {
  const found = PROPERTIES.find((property) => property.name === name);
  if (found !== undefined) return found;
  throw new TypeError(`"name" expected a property, got ${name}`);
}

/** The names of the properties that some kind of evidence can show. */
export function namesJudgedBy(...kinds: readonly (keyof Judges)[]): readonly PropertyName[] {
  return PROPERTY_NAMES.filter((name) =>
    kinds.some((kind) => propertyOf(name).judges[kind] !== undefined),
  );
}
