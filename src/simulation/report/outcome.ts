/**
 * @module
 * The outcome of an election in one word, and its failures.
 */

import type { Truth } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import type { Status } from '../run/status.ts';

/** One agreed leader; no leader or several, finally; or a bound that came first. */
export const OUTCOMES = ['leader', 'no-leader', 'split', 'until'] as const;
export type Outcome = (typeof OUTCOMES)[number];

type Judged = Pick<Status, 'agreed' | 'verdict'>;

/** The outcome. It is final at rest or at the deadline of the calm, and `until` before that. */
export function outcomeOf({ agreed, verdict }: Judged): Outcome {
  const { agreement, termination } = verdict.properties;
  if (termination.value === 'unknown') return 'until';
  if (agreed) return 'leader';
  return agreement.value === 'false' ? 'split' : 'no-leader';
}

/** The failures of a run: a violated property, a history of clients that is not linearizable, or a bound that came first. */
export const FAILINGS = [...PROPERTY_NAMES, 'linearizable', 'until'] as const;
export type Failing = (typeof FAILINGS)[number];

/** All failures of a run. Empty for one agreed leader without violations. `linearizable` is null without clients. */
export function failingsOf(status: Judged, linearizable: Truth | null): Failing[] {
  const { properties } = status.verdict;
  const violated: Failing[] = PROPERTY_NAMES.filter((name) => properties[name].value === 'false');
  if (linearizable === 'false') violated.push('linearizable');
  return outcomeOf(status) === 'until' ? [...violated, 'until'] : violated;
}
