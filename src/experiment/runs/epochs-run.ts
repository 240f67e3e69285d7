/**
 * @module
 * Runs over several epochs with drawn identities and beacons: an adversary prepares, registers in every
 * window, and may withhold contributions to the beacon.
 */

import { attemptTime } from '../../mining/ledger.ts';
import { attemptHashes, staticHashes } from '../../mining/policy-cost.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { EpochOutcome, EpochPlan } from '../epochs/epochs.ts';
import { simulateEpochs } from '../epochs/epochs.ts';
import { epochAimOf, isForged } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { choosePlan } from '../response/epoch-plans.ts';
import type { Conduct } from '../theory/epoch-conduct.ts';
import { isTimed, timedAttempts } from './budget.ts';
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
  const { attempts, hashes } = windowOf(model, first, rateMeasured);
  return {
    epochs: epochs.count,
    salt: epochs.salt,
    honest: { nodes: network.honest, testsPerWindow: epochs.honestAttempts ?? null },
    adversary: {
      stockKeys: first?.stockpile ?? 0,
      testsPerWindow: attempts,
      revealChoices: first?.reveals ?? 0,
    },
    conduct: {
      plan: first === undefined ? 'fresh' : choosePlan(model, first).plan,
      ...epochAimOf(PROPERTIES[model.expect.property]),
      count: model.expect.count,
      unspent: epochs.unspent,
      hashes,
    },
    difficultyBits: network.identity.c1,
    retargeting:
      retargeting === undefined
        ? null
        : { targetJoins: retargeting.joins, stepBitsMax: retargeting.stepBits },
    lifetimeEpochs: epochs.lifetime ?? null,
  };
}

/** What the budget of an adversary bounds in a window. Seconds are the time of new keys at its rate. */
function windowOf(
  { network: { identity }, epochs }: ThreatModel,
  adversary: Adversary | undefined,
  rateMeasured: number | null,
): { readonly attempts: number; readonly hashes: Conduct['hashes'] } {
  const isFree = identity.c1 === 0 && epochs?.retargeting === undefined;
  // A network that adapts the difficulty may begin without a puzzle.
  const perPuzzle = isFree ? 0 : staticHashes({ ...identity, c1: Math.max(1, identity.c1) });
  const perId = attemptHashes(identity, 0);
  const none = Number.POSITIVE_INFINITY;
  const prices = { perKey: perId, perId, perPuzzle };
  if (adversary === undefined) return { attempts: 0, hashes: { perWindow: none, ...prices } };
  const { attempts = none, hashes = none } = adversary.budget;
  if (!isTimed(adversary.budget)) return { attempts, hashes: { perWindow: hashes, ...prices } };
  const { cost } = STRATEGIES[adversary.strategy];
  const perKey = attemptTime(cost(identity, identity.scheme, 0));
  const perWindow = timedAttempts(adversary, rateMeasured) * (perKey + perPuzzle);
  return { attempts, hashes: { ...prices, perWindow, perKey } };
}
