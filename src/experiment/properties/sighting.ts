/**
 * @module
 * What was seen of an election that was watched tick by tick, and the signs of harm in it, judged by the
 * honest live nodes.
 */

import type { Truth } from '../../election/properties.ts';

/** What was seen. Ticks are counted from 0 to the end unless the member says otherwise. */
export interface Sighting {
  /** The tick at which watching stopped because there was too much to watch. Null if it was watched to the end. */
  readonly brokenOffAt: number | null;
  readonly ticks: number;
  /** Ticks in which all honest live nodes followed the same node of the adversary. */
  readonly usurpedTicks: number;
  /** Ticks in which they all followed the same live node, whichever node that was. */
  readonly agreedTicks: number;
  /** Nodes of adversaries that took part. */
  readonly adversaryNodes: number;
  /** Whether they did so at the end. */
  readonly isUsurped: boolean;
  /** Rank of the live node that all of them followed at the end. Null if there was none. */
  readonly leader: number | null;
  /** How often they followed another live leader than the one before, whatever was between. */
  readonly leaderChanges: number;
  /** Among the judged ticks, the longest row in which all honest live nodes followed one live leader. */
  readonly longestAgreedTicks: number;
  /** Among the judged ticks, those in which two of them followed different live nodes. */
  readonly splitTicksJudged: number;
  readonly splitTicks: number;
  readonly judgedTicks: number;
  /** Most honest nodes that led in one epoch. Null for protocols without numbered epochs. */
  readonly leadersPerEpochMax: number | null;
  /** Accepted writes of leaders that another node had replaced. */
  readonly staleWrites: number;
  /** Accepted writes that came after an operation of a later leader, which a fence prevents. */
  readonly lateWrites: number;
  /** Whether the history of the clients is linearizable. Null without clients. */
  readonly linearizable: Truth | null;
  readonly messages: number;
  /** The longest time that a change of leaders takes. */
  readonly handOverTicks: number;
}

/** The signs of harm. */
export const FINDINGS = ['usurped', 'leaderless', 'split', 'epoch-shared', 'late-writes'] as const;
export type Finding = (typeof FINDINGS)[number];

/** The share of the judged ticks for which all nodes must follow a leader, so that it counts as one. */
const LASTING_SHARE = 1 / 4;

/** Whether a sighting shows a sign. */
export function isSeen(finding: Finding, seen: Sighting): boolean {
  switch (finding) {
    case 'usurped':
      return seen.usurpedTicks > 0;
    case 'leaderless':
      return lacksLeader(seen) && seen.splitTicksJudged < seen.judgedTicks / 2;
    case 'split':
      return seen.splitTicks > seen.handOverTicks;
    // Two leaders of one epoch are a sign however short their time was.
    case 'epoch-shared':
      return (seen.leadersPerEpochMax ?? 0) > 1;
    case 'late-writes':
      return seen.lateWrites > 0;
    default:
      return finding satisfies never;
  }
}

/** Whether no leader lasted. */
export function lacksLeader({
  longestAgreedTicks,
  judgedTicks,
}: Pick<Sighting, 'longestAgreedTicks' | 'judgedTicks'>): boolean {
  return longestAgreedTicks < LASTING_SHARE * judgedTicks;
}
