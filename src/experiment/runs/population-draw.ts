/**
 * @module
 * Who holds which rank, drawn instead of mined: rank keys are uniform, and of the candidates that an
 * adversary tests each is valid with the puzzle's probability. With the goal top only its best
 * identity joins, and only above every honest one, as a search for the top ends there; with count:<k>
 * at most k join. Where membership is frozen nobody joins, and where a beacon ranks whoever has
 * registered, all ranks are drawn anew: whether an identity was forged says nothing of its own.
 */

import { parseWish } from '../../adversary/goals.ts';
import { winProbability } from '../../mining/odds.ts';
import type { Random, Seed } from '../../random.ts';
import { createRandom } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { Registration } from '../epochs/registration.ts';
import { registrationOf } from '../epochs/registration.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { budgetAttempts } from './budget.ts';
import type { Owners } from './membership.ts';
import { ordinaryOwners } from './membership.ts';
import type { Observations } from './observations.ts';
import { drawBestDepth, spentOf } from './sampled-run.ts';

/** What is the same in every run. */
export interface PopulationDraw {
  readonly ordinary: Owners;
  readonly forgers: readonly Forger[];
  readonly validProbability: number;
  readonly spent: Observations;
  readonly registration: Registration;
}

interface Forger {
  readonly name: string;
  readonly attempts: number;
  /** The most identities that it registers; null for the one that is on top. */
  readonly identitiesMax: number | null;
}

/** Works out what all runs share; `rateMeasured` as in `budgetAttempts`. */
export function planPopulation(model: ThreatModel, rateMeasured: number | null): PopulationDraw {
  const forgers = adversariesOf(model).map(([name, adversary]) => ({
    name,
    attempts: budgetAttempts(model, adversary, rateMeasured),
    identitiesMax: identitiesMaxOf(adversary.goal),
  }));
  return {
    ordinary: ordinaryOwners(model),
    forgers,
    validProbability: winProbability(model.network.identity, { type: 'any' }),
    spent: spentOf(model, rateMeasured),
    registration: registrationOf(model),
  };
}

/** The population of one run. */
export function drawPopulation(
  plan: PopulationDraw,
  runSeed: Seed,
): { readonly owners: Owners; readonly observations: Observations } {
  const { ordinary, registration, spent } = plan;
  const random = createRandom(runSeed, 'population');
  const registered = withOrdinary(random, ordinary);
  const honestTop = registered.findLast(({ owner }) => owner === null)?.depth ?? 0;
  const forged = registration.isFrozen ? [] : drawForged(random, plan, honestTop);
  const members = registration.isBeaconRanked
    ? [...withOrdinary(random, ordinary), ...forged.map(({ owner }) => drawn(random, owner))]
    : [...registered, ...forged];
  const owners = members
    .sort((left, right) => right.depth - left.depth)
    .map((member) => member.owner);
  const identities = owners.filter((owner) => owner !== null).length;
  return { owners, observations: { ...spent, nodes: owners.length, identities } };
}

interface Member {
  /** The smaller the higher its rank key. */
  readonly depth: number;
  readonly owner: string | null;
}

/** The lowest first; whose each is, is decided by rank among them. */
function withOrdinary(random: Random, ordinary: Owners): readonly Member[] {
  const depths = ordinary.map(() => depthOf(random)).sort((left, right) => right - left);
  return depths.map((depth, index) => ({ depth, owner: ordinary[index] ?? null }));
}

/** Everybody who joins, by forger. */
function drawForged(
  random: Random,
  { forgers, validProbability }: PopulationDraw,
  honestTop: number,
): readonly Member[] {
  const members: Member[] = [];
  for (const { name, attempts, identitiesMax } of forgers) {
    const valid = drawBinomial(random, attempts, validProbability);
    if (identitiesMax === null) {
      const depth = drawBestDepth(random, valid);
      if (depth < honestTop) members.push({ depth, owner: name });
    } else {
      for (let joined = 0; joined < Math.min(valid, identitiesMax); joined += 1) {
        members.push(drawn(random, name));
      }
    }
  }
  return members;
}

function drawn(random: Random, owner: string | null): Member {
  return { depth: depthOf(random), owner };
}

/** Of one uniform key: exponential with mean 1, and the smaller the higher the key. */
function depthOf(random: Random): number {
  return drawBestDepth(random, 1);
}

/** What a document with sampled work may say of goals, as a number. */
export function identitiesMaxOf(goal: string): number | null {
  const wish = parseWish(goal);
  switch (wish?.type) {
    case 'top':
      return null;
    case 'any':
      return 1;
    case 'count':
      return wish.identities;
    default:
      throw new TypeError(`"goal" expected top, any or count, got ${goal}`);
  }
}
