/**
 * @module
 * Which election signatures are for, in a run: one, or another with every member who joins.
 */

import { ELECTIONS_UNDER_WAY } from '../../election/defences/numbered-elections.ts';
import { PROTOCOLS } from '../../election/registry.ts';

import { absentAtFirst } from '../faults/schedule.ts';
import { ONE_ELECTION } from '../plan/outside-nodes.ts';
import type { Plan } from '../plan/plan.ts';

/**
 * Whether members who join make another election, for signatures that are for one: in rings, which hand on
 * who stands and number nothing; elsewhere a term or an epoch does it, or nobody speaks of a leader but itself.
 */
export function isNumbered({ protocol, level, schedule, openings }: Plan): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  if (level !== 'L3' || family !== 'ring' || successors > 1) return false;
  return openings.length > 0 || (schedule !== null && absentAtFirst(schedule).length > 0);
}

/** The name of the election that goes on among so many members, the dead included. */
export function electionName(plan: Plan, members: number): string {
  if (!isNumbered(plan)) return plan.election;
  return plan.election === ONE_ELECTION ? String(members) : `${plan.election}.${members}`;
}

/**
 * The names of the elections before that one of which something may be under way, the newest first. Its
 * answer is for the same one: who stands was shown in that one alone.
 */
export function earlierNames(plan: Plan, members: number): readonly string[] {
  if (!isNumbered(plan)) return [];
  const first = plan.nodes - plan.absent.length;
  const count = Math.min(ELECTIONS_UNDER_WAY - 1, members - first);
  return Array.from({ length: count }, (_, index) => electionName(plan, members - 1 - index));
}
