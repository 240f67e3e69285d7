/**
 * @module
 * Which election signatures are for, in a run: one, or another with every member who joins.
 */

import { ALGORITHMS } from '../election/registry.ts';

import { absentAtFirst } from './faults/schedule.ts';
import type { Plan } from './options.ts';
import { ONE_ELECTION } from './outside-places.ts';

/**
 * Whether members who join make another election, for signatures that are for one: in rings, which hand on
 * who stands and number nothing; elsewhere a term or an epoch does it, or nobody speaks of a leader but itself.
 */
export function isNumbered({ algorithm, level, schedule, openings }: Plan): boolean {
  const { family, successors } = ALGORITHMS[algorithm];
  if (level !== 'L3' || family !== 'ring' || successors > 1) return false;
  return openings.length > 0 || (schedule !== null && absentAtFirst(schedule).length > 0);
}

/** The name of the election that goes on among so many members, the dead included. */
export function electionName(plan: Plan, members: number): string {
  if (!isNumbered(plan)) return plan.election;
  return plan.election === ONE_ELECTION ? String(members) : `${plan.election}.${members}`;
}
