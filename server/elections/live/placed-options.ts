/**
 * @module
 * The options of a simulation whose ranks are not those of the request: nodes joined, or places are
 * kept for some. Whatever names a node of the request is made to name it where it is now.
 */

import type { Schedule } from '../../../src/simulation/faults/schedule.ts';
import { mapRanks } from '../../../src/simulation/faults/schedule.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { ElectionPlan } from './plan.ts';
import type { Roster } from './roster.ts';

/** What the plan's simulation is made of, with the nodes of the roster. */
export function placedOptions({ options }: ElectionPlan, roster: Roster): SimulationOptions {
  if (roster.isPlain) return options;
  const ranks = roster.ranks();
  const place = (rank: number): number => ranks[rank - 1] ?? rank;
  const { attributes, ring, crashedBefore, faults, schedule, byzantine, phantoms } = options;
  const outside = roster.seats.flatMap(({ rank, joined }) => {
    return joined === null ? [] : [{ rank, waits: joined.waitMs > 0 }];
  });
  return {
    ...options,
    nodes: roster.places,
    attributes: attributes && attributesAt(attributes, ranks, roster.places),
    ring: typeof ring === 'object' ? ringWith(ring.map(place), roster.places) : ring,
    crashedBefore: crashedBefore?.map(place),
    faults: faults?.map((fault) => ({ ...fault, rank: place(fault.rank) })),
    schedule: schedule && placedSchedule(schedule, place),
    byzantine: byzantine?.map((each) => ({ ...each, rank: place(each.rank) })),
    phantoms: phantoms?.map(place),
    outside,
    openings: roster.kept,
  };
}

/** Of who is played elsewhere nothing is claimed here. */
function attributesAt(
  attributes: readonly number[],
  ranks: readonly number[],
  places: number,
): readonly number[] {
  const all = Array.from({ length: places }, () => 0);
  for (const [index, rank] of ranks.entries()) all[rank - 1] = attributes[index] ?? 0;
  return all;
}

/** The ring as it was asked for, everybody else after its last node. */
function ringWith(ring: readonly number[], places: number): readonly number[] {
  const named = new Set(ring);
  const all = Array.from({ length: places }, (_, index) => index + 1);
  return [...ring, ...all.filter((rank) => !named.has(rank))];
}

function placedSchedule(schedule: Schedule, place: (rank: number) => number): Schedule {
  return { ...schedule, faults: schedule.faults.map((fault) => mapRanks(fault, place)) };
}
