/**
 * @module
 * The moments of a race in a guide: before the first attempt, after each valid ID of the forger, and at its end.
 */

import type { Honest, Result, Rules, Search } from '../race/contest.ts';
import type { RacePlan } from '../race/plan.ts';
import type { Scene } from '../race/scene.ts';
import { sceneOf } from '../race/scene.ts';

/** A race that is over. */
export interface FinishedRace {
  readonly rules: Rules;
  readonly honest: Honest;
  readonly search: Search;
  readonly result: Result;
}

/** The race of a plan; null if it was not run. */
export function raceOf(races: readonly FinishedRace[], plan: RacePlan | null): FinishedRace | null {
  const key = JSON.stringify(plan);
  return races.find(({ rules }) => JSON.stringify(rules.plan) === key) ?? null;
}

interface Shown {
  readonly plan: RacePlan;
  /** The plan of a race whose best forged ID is in the last scene, valid or not; null for none. */
  readonly offers: RacePlan | null;
}

/** The scenes of a race. */
export function scenesOf(races: readonly FinishedRace[], { plan, offers }: Shown): Scene[] {
  const race = raceOf(races, plan);
  if (race === null) return [];
  const offered = raceOf(races, offers);
  const { search } = race;
  const { ledger, forged, foundAfter } = search;
  const underWay = [0, ...foundAfter].map((attempts, count) =>
    sceneOf({
      ...race,
      search: { ...search, ledger: { ...ledger, attempts }, forged: forged.slice(0, count) },
      result: null,
    }),
  );
  const best = offered === null ? null : bestOf(offered);
  const withOffer = best === null ? [] : [offerOf(race, best)];
  return [...underWay, sceneOf(race), ...withOffer].filter((scene) => scene !== null);
}

function bestOf(race: FinishedRace): string | null {
  return sceneOf(race)?.forged.at(-1)?.nodeId ?? null;
}

/** The scene with one more ID, which counts as a key only if it has enough zero bits. */
function offerOf(race: FinishedRace, nodeId: string): Scene | null {
  const { search } = race;
  const scene = sceneOf({ ...race, search: { ...search, forged: [...search.forged, nodeId] } });
  if (scene === null) return null;
  const isValid = ({ bits }: Scene['forged'][number]) => (bits ?? 0) >= scene.c1;
  return { ...scene, keys: scene.forged.filter(isValid).length };
}
