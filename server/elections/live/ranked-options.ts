/**
 * @module
 * The options of a simulation whose ranks differ from those of the request, because nodes joined or ranks
 * are kept for newcomers. Every rank of the request is replaced by the present rank of its node.
 */

import { mapRanks } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { ElectionPlan } from './plan.ts';
import type { Roster } from './roster.ts';

type RankOf = (requested: number) => number;

/** The options of the plan, with the nodes of the roster. */
export function rankedOptions({ options }: ElectionPlan, roster: Roster): SimulationOptions {
  if (roster.isPlain) return options;
  const ranks = roster.requestedRanks();
  const rankOf: RankOf = (requested) => ranks[requested - 1] ?? requested;
  const { attributes, ring, crashedBefore, faults, schedule, byzantine, phantoms } = options;
  const outside = roster.nodes.flatMap(({ rank, joined }) => {
    return joined === null ? [] : [{ rank, waits: joined.waitMs > 0 }];
  });
  return {
    ...options,
    nodes: roster.rankCount,
    attributes: attributes && attributesAt(attributes, ranks, roster.rankCount),
    ring: typeof ring === 'object' ? ringWith(ring.map(rankOf), roster.rankCount) : ring,
    crashedBefore: crashedBefore?.map(rankOf),
    faults: faults?.map((fault) => ({ ...fault, rank: rankOf(fault.rank) })),
    schedule: schedule && {
      ...schedule,
      faults: schedule.faults.map((fault) => mapRanks(fault, rankOf)),
    },
    byzantine: byzantine?.map((each) => ({ ...each, rank: rankOf(each.rank) })),
    phantoms: phantoms?.map(rankOf),
    ...{ outside, openings: roster.vacantRanks },
  };
}

/** The attributes by rank; 0 for nodes that are played from outside. */
function attributesAt(
  attributes: readonly number[],
  ranks: readonly number[],
  rankCount: number,
): readonly number[] {
  const all = Array.from({ length: rankCount }, () => 0);
  for (const [index, rank] of ranks.entries()) all[rank - 1] = attributes[index] ?? 0;
  return all;
}

/** The requested ring, with all other ranks after its last node. */
function ringWith(ring: readonly number[], rankCount: number): readonly number[] {
  const named = new Set(ring);
  const all = Array.from({ length: rankCount }, (_, index) => index + 1);
  return [...ring, ...all.filter((rank) => !named.has(rank))];
}
