/**
 * @module
 * The election that the signatures of a run are for: one, or another one with every member that joins.
 */

import { ELECTIONS_UNDER_WAY } from '../../election/authentication/numbered-elections.ts';
import { PROTOCOLS } from '../../election/registry.ts';

import { absentAtFirst } from '../faults/schedule.ts';
import { ONE_ELECTION } from '../plan/outside-nodes.ts';
import type { Plan } from '../plan/plan.ts';

/**
 * Whether each join makes another election, for signatures that are for one election: in rings, which relay
 * candidates and number nothing. Elsewhere a term or an epoch does it, or only the leader itself names a leader.
 */
export function isNumbered({ protocol, level, schedule, openings }: Plan): boolean {
  const { family, successors } = PROTOCOLS[protocol];
  if (level !== 'L3' || family !== 'ring' || successors > 1) return false;
  return openings.length > 0 || (schedule !== null && absentAtFirst(schedule).length > 0);
}

/** The name of the election among this number of members, dead members included. */
export function electionName(plan: Plan, members: number): string {
  if (!isNumbered(plan)) return plan.election;
  return plan.election === ONE_ELECTION ? String(members) : `${plan.election}.${members}`;
}

/**
 * The names of earlier elections of which messages may be in flight, the newest first. An answer belongs to
 * the election of its question, in which alone the candidates were shown.
 */
export function earlierNames(plan: Plan, members: number): readonly string[] {
  if (!isNumbered(plan)) return [];
  const first = plan.nodes - plan.absent.length;
  const count = Math.min(ELECTIONS_UNDER_WAY - 1, members - first);
  return Array.from({ length: count }, (_, index) => electionName(plan, members - 1 - index));
}
