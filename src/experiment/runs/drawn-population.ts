/**
 * @module
 * The population of a run, drawn instead of mined. Rank keys are uniform, and each candidate that an
 * adversary tests is valid with the puzzle's probability. Its response decides which of them it registers.
 * A beacon draws all ranks again after registration, so that a forged identity has no advantage of its own.
 */

import { winProbability } from '../../mining/odds.ts';
import type { Random } from '../../random.ts';
import { createRandom } from '../../random.ts';
import { CAPTURED_MAX } from '../document/limits.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { drawBinomial } from '../theory/binomial-odds.ts';
import { budgetAttempts, spentOf } from './budget.ts';
import type { Owners, Registrant } from './registration.ts';
import { ordinaryOwners, registrantOf, registrationOf } from './registration.ts';
import type { Populate } from './runner.ts';

/** A node by its place among all keys. */
export interface DrawnMember {
  /** The smaller the depth, the higher the rank. */
  readonly depth: number;
  readonly owner: string | null;
}

/** Draws populations. `rateMeasured` as in `budgetAttempts`. */
export function drawnPopulation(model: ThreatModel, rateMeasured: number | null): Populate {
  const ordinary = ordinaryOwners(model);
  const spent = spentOf(model, rateMeasured);
  const { isBeaconRanked } = registrationOf(model);
  const drawForged = forgedDrawer(model, rateMeasured);
  return (runSeed) => {
    const random = createRandom(runSeed, 'population');
    const registered = drawOrdinary(random, ordinary);
    const honestTop = registered.findLast(({ owner }) => owner === null)?.depth ?? 0;
    const forged = drawForged(random, honestTop);
    const members = isBeaconRanked
      ? [...drawOrdinary(random, ordinary), ...forged.map(({ owner }) => drawMember(random, owner))]
      : [...registered, ...forged];
    const owners = members
      .sort((left, right) => right.depth - left.depth)
      .map((member) => member.owner);
    const identities = owners.filter((owner) => owner !== null).length;
    const observations = { ...spent, nodes: owners.length, identities };
    return { owners, forges: [], honestLedger: null, observations };
  };
}

/** The lowest first. The owner of an ordinary identity follows from its rank among them. */
function drawOrdinary(random: Random, ordinary: Owners): readonly DrawnMember[] {
  const depths = ordinary.map(() => drawBestDepth(random, 1)).sort((left, right) => right - left);
  return depths.map((depth, index) => ({ depth, owner: ordinary[index] ?? null }));
}

/** All forged identities that join. */
function forgedDrawer(model: ThreatModel, rateMeasured: number | null) {
  const validProbability = winProbability(model.network.identity, { type: 'any' });
  const adversaries = adversariesOf(model).map(([name, adversary]) => ({
    name,
    attempts: budgetAttempts(model, adversary, rateMeasured),
    registrant: drawableRegistrant(model, adversary),
  }));
  return (random: Random, honestTop: number): readonly DrawnMember[] =>
    adversaries.flatMap(({ name, attempts, registrant: { most, one } }) => {
      const valid = drawBinomial(random, attempts, validProbability);
      if (one !== 'any') {
        const depth = drawBestDepth(random, valid);
        const joins = one === 'above' ? depth < honestTop : valid > 0;
        return joins ? [{ depth, owner: name }] : [];
      }
      const length = Math.min(valid, most, CAPTURED_MAX);
      return Array.from({ length }, () => drawMember(random, name));
    });
}

function drawMember(random: Random, owner: string | null): DrawnMember {
  return { depth: drawBestDepth(random, 1), owner };
}

/**
 * The depth −ln(key) of the best of `count` uniform keys, which is exponential with mean 1/count. Infinity
 * if there is none. Depths distinguish keys near 1, which doubles no longer can if `count` is large.
 */
export function drawBestDepth(random: Random, count: number): number {
  return count === 0 ? Number.POSITIVE_INFINITY : -Math.log1p(-random.unit()) / count;
}

/** Throws TypeError for a goal that sampled work refuses. */
export function drawableRegistrant(model: ThreatModel, adversary: Adversary): Registrant {
  const registrant = registrantOf(model, adversary);
  if (registrant !== null) return registrant;
  throw new TypeError(`"goal" expected top, any, all or count, got ${adversary.goal}`);
}
