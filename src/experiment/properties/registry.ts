/**
 * @module
 * The list of properties. The schema of threat models, its documentation and the verdicts read this list.
 */

import { namesOf, registry } from '../../election/definition/definitions.ts';
import { ADVERSARY_LEADS } from './adversary-leads.ts';
import { ADVERSARY_LEADS_ONCE } from './adversary-leads-once.ts';
import { HIGHEST_LEADS } from './highest-leads.ts';
import { HONEST_PRICED_OUT } from './honest-priced-out.ts';
import { LATE_WRITES } from './late-writes.ts';
import { LEADS_MORE_THAN_SHARE } from './leads-more-than-share.ts';
import { MAJORITY_CAPTURED } from './majority-captured.ts';
import { MAJORITY_DENIED } from './majority-denied.ts';
import { NO_LEADER } from './no-leader.ts';
import type { Judges, Property } from './property.ts';
import { SPLIT } from './split.ts';
import { STALE_WRITES } from './stale-writes.ts';
import { SUCCESSORS_CAPTURED } from './successors-captured.ts';
import { TOP_CAPTURED } from './top-captured.ts';

const LISTED = [
  ADVERSARY_LEADS,
  LEADS_MORE_THAN_SHARE,
  HIGHEST_LEADS,
  NO_LEADER,
  SPLIT,
  STALE_WRITES,
  LATE_WRITES,
  TOP_CAPTURED,
  SUCCESSORS_CAPTURED,
  MAJORITY_CAPTURED,
  MAJORITY_DENIED,
  ADVERSARY_LEADS_ONCE,
  HONEST_PRICED_OUT,
] as const;

export const PROPERTIES = registry<typeof LISTED, Property>('property', LISTED);

export type PropertyName = keyof typeof PROPERTIES;

export const PROPERTY_NAMES = namesOf(PROPERTIES);

/** Whether a property is about what adversaries have, so that its sentence names them. */
export function isAboutAdversaries(name: PropertyName): boolean {
  const { happened } = PROPERTIES[name];
  return happened('one', 1) !== happened('another', 1);
}

/** The names of the properties that some kind of evidence can show. */
export function namesJudgedBy(...kinds: readonly (keyof Judges)[]): readonly PropertyName[] {
  return PROPERTY_NAMES.filter((name) =>
    kinds.some((kind) => PROPERTIES[name].judges[kind] !== null),
  );
}
