/**
 * @module
 * The verdict on a run in two phases. Safety is judged throughout: at no moment did two live nodes
 * lead, and at the end no two follow different leaders. Liveness is judged at the deadline of the
 * calm: every live node follows one live leader. What each protocol gets to recover by is a
 * detector's word (`trust` at a return, a resumption, a healed link) and, if the calm restarts, one
 * more start; nobody repeats what a network has lost.
 */

import type { Truth } from '../../election/properties.ts';

import type { ElectionOptions, ElectionOutcome } from './simulate.ts';
import { simulateElection } from './simulate.ts';

export interface PhasedOutcome extends ElectionOutcome {
  /**
   * One agreed leader; none at rest; several followed at rest; or no rest before the deadline, with
   * or without leaders.
   */
  readonly end: 'leader' | 'no-leader' | 'split' | 'until';
  readonly safety: Truth;
  readonly liveness: Truth;
}

/** Runs an election under its schedule to the deadline of its calm at the latest. */
export function simulatePhases(options: ElectionOptions): PhasedOutcome {
  return judgePhases(simulateElection(options));
}

export function judgePhases(outcome: ElectionOutcome): PhasedOutcome {
  const { uniqueness, agreement, termination } = outcome.verdict.properties;
  const safety = both(uniqueness.value, agreement.value);
  const liveness = both(termination.value, agreement.value);
  return { ...outcome, end: endOf(outcome), safety, liveness };
}

function endOf({ agreed, bound, verdict }: ElectionOutcome): PhasedOutcome['end'] {
  if (agreed) return 'leader';
  if (bound !== 'idle') return 'until';
  return verdict.properties.agreement.value === 'false' ? 'split' : 'no-leader';
}

function both(one: Truth, other: Truth): Truth {
  if (one === 'false' || other === 'false') return 'false';
  return one === 'unknown' || other === 'unknown' ? 'unknown' : 'true';
}
