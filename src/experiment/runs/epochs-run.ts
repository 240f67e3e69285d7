/**
 * @module
 * Runs over several epochs with drawn identities and beacons: an adversary prepares, registers in every
 * window, and may withhold contributions to the beacon.
 */

import { attemptHashes, staticHashes } from '../../mining/policy-cost.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { EpochOutcome, EpochPlan } from '../epochs/epochs.ts';
import { simulateEpochs } from '../epochs/epochs.ts';
import { epochAimOf, isForged } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { choosePlan } from '../response/epoch-plans.ts';
import type { Work } from '../theory/epoch-conduct.ts';
import { rateOf } from './budget.ts';
import type { Runner, Services } from './runner.ts';
import { addEpochWork, NO_WORK } from './tally.ts';

/** The runner of a model with epochs. */
export function epochsRunner(
  model: ThreatModel,
  { rateMeasured }: Pick<Services, 'rateMeasured'>,
): Runner {
  const plan = epochPlanOf(model, rateMeasured);
  const { judges } = PROPERTIES[model.expect.property];
  const { count } = model.expect;
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const ended = simulateEpochs(plan, runSeed);
    const members = ended.at(-1)?.ranking ?? [];
    const work = ended.map((each) => each.work);
    const spent = work.reduce(addEpochWork, NO_WORK);
    const observations = {
      attempts: plan.adversary.stockKeys + spent.adversary.attempts,
      hashes: spent.adversary.hashes,
      honestAttempts: spent.honest.attempts,
      honestHashes: spent.honest.hashes,
      nodes: members.length,
      identities: members.filter(isForged).length,
      epochsLed: ended.filter(({ leader }) => leader === 'adversary').length,
    };
    const victim = () => victimOf(members, createRandom(runSeed, 'victim'));
    const won =
      judges.epochs?.(ended, plan.honest.nodes) ?? judges.ranking?.({ members, count, victim });
    const outcomes = [{ won: won === true, elections: [] }];
    return { run, outcomes, forges: [], honestLedger: null, observations, work };
  };
}

/** The number of an honest node with a claim, drawn. */
function victimOf(
  members: EpochOutcome['ranking'],
  random: ReturnType<typeof createRandom>,
): number {
  const honest = members.filter((member) => !isForged(member));
  return honest[random.below(Math.max(1, honest.length))]?.number ?? 0;
}

/** The epochs of a document, which has at most one adversary. */
export function epochPlanOf(model: ThreatModel, rateMeasured: number | null): EpochPlan {
  const { epochs, network } = model;
  if (epochs === undefined) throw new TypeError('"epochs" expected a map, got none');
  const [first, ...others] = adversariesOf(model).map(([, adversary]) => adversary);
  if (others.length > 0) throw new TypeError('"adversaries" expected at most one, got several');
  const { retargeting } = epochs;
  const window = windowOf(model, first, rateMeasured);
  return {
    epochs: epochs.count,
    salt: epochs.salt,
    honest: { nodes: network.honest, testsPerWindow: epochs.honestAttempts ?? null },
    adversary: {
      stockKeys: first?.stockpile ?? 0,
      testsPerWindow: window.attempts,
      revealChoices: first?.reveals ?? 0,
    },
    conduct: {
      plan: first === undefined ? 'fresh' : choosePlan(model, first).plan,
      ...epochAimOf(PROPERTIES[model.expect.property]),
      count: model.expect.count,
      unspent: epochs.unspent,
      hashes: { perWindow: window.hashes, ...keyHashes(model) },
    },
    difficultyBits: network.identity.c1,
    retargeting:
      retargeting === undefined
        ? null
        : { targetJoins: retargeting.joins, stepBitsMax: retargeting.stepBits },
    lifetimeEpochs: epochs.lifetime ?? null,
  };
}

/** Hash evaluations for the ID of a key, and for its static puzzle. */
function keyHashes({ network: { identity }, epochs }: ThreatModel) {
  const isFree = identity.c1 === 0 && epochs?.retargeting === undefined;
  // A network that adapts the difficulty may begin without a puzzle.
  const perPuzzle = isFree ? 0 : staticHashes({ ...identity, c1: Math.max(1, identity.c1) });
  return { perId: attemptHashes(identity, 0), perPuzzle };
}

/** What the budget of an adversary bounds in a window. Seconds are the hashes of new keys at its rate. */
function windowOf(
  model: ThreatModel,
  adversary: Adversary | undefined,
  rateMeasured: number | null,
): Work {
  if (adversary === undefined) return { attempts: 0, hashes: Number.POSITIVE_INFINITY };
  const none = Number.POSITIVE_INFINITY;
  const {
    attempts = none,
    hashes = none,
    cpuSeconds = none,
    wallSeconds = none,
  } = adversary.budget;
  const seconds = Math.min(cpuSeconds, wallSeconds);
  if (seconds === none) return { attempts, hashes };
  const { perId, perPuzzle } = keyHashes(model);
  const keys = Math.floor(seconds * rateOf(adversary, rateMeasured));
  if (perId + perPuzzle === 0) return { attempts: Math.min(attempts, keys), hashes };
  return { attempts, hashes: Math.min(hashes, keys * (perId + perPuzzle)) };
}
