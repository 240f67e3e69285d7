/**
 * @module
 * The outcome of an election in one word, and its failures.
 */

import type { PropertyName } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import type { Status } from '../run/status.ts';

/** One agreed leader; no leader or several, finally; or a bound that came first. */
export const OUTCOMES = ['leader', 'no-leader', 'split', 'until'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The outcome. It is final at rest or at the deadline of the calm, and `until` before that. */
export function outcomeOf({ agreed, verdict }: Status): Outcome {
  const { agreement, termination } = verdict.properties;
  if (termination.value === 'unknown') return 'until';
  if (agreed) return 'leader';
  return agreement.value === 'false' ? 'split' : 'no-leader';
}

/** The failures of a run: a violated property, or a bound that came first. */
export type Failing = PropertyName | 'until';

/** All failures of a run. Empty for one agreed leader without violations. */
export function failingsOf(status: Status): Failing[] {
  const { properties } = status.verdict;
  const violated = PROPERTY_NAMES.filter((name) => properties[name].value === 'false');
  return outcomeOf(status) === 'until' ? [...violated, 'until'] : violated;
}
