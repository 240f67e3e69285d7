/**
 * @module
 * Runs over several epochs with drawn identities and beacons: an adversary prepares, registers in every
 * window, and may withhold contributions to the beacon.
 */

import { createRandom, deriveSeed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { EpochOutcome, EpochPlan } from '../epochs/epochs.ts';
import { simulateEpochs } from '../epochs/epochs.ts';
import { isForged } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { budgetAttempts } from './budget.ts';
import type { Runner, Services } from './runner.ts';

/** The runner of a model with epochs. */
export function epochsRunner(model: ThreatModel, { rateMeasured }: Services): Runner {
  const plan = epochPlanOf(model, rateMeasured);
  const attempts = plan.adversary.stockKeys + plan.epochs * plan.adversary.testsPerWindow;
  const { judges } = PROPERTIES[model.expect.property];
  const { count } = model.expect;
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const ended = simulateEpochs(plan, runSeed);
    const members = ended.at(-1)?.ranking ?? [];
    const observations = {
      attempts,
      nodes: members.length,
      identities: members.filter(isForged).length,
      epochsLed: ended.filter(({ leader }) => leader === 'adversary').length,
    };
    const victim = () => victimOf(members, createRandom(runSeed, 'victim'));
    const won =
      judges.epochs?.(ended, plan.honest.nodes) ?? judges.ranking?.({ members, count, victim });
    const outcomes = [{ won: won === true, elections: [] }];
    return { run, outcomes, forges: [], honestLedger: null, observations };
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
  return {
    epochs: epochs.count,
    salt: epochs.salt,
    honest: { nodes: network.honest, testsPerWindow: epochs.honestAttempts ?? null },
    adversary: {
      stockKeys: first?.stockpile ?? 0,
      testsPerWindow: first === undefined ? 0 : budgetAttempts(model, first, rateMeasured),
      revealChoices: first?.reveals ?? 0,
    },
    difficultyBits: network.identity.c1,
    retargeting:
      retargeting === undefined
        ? null
        : { targetJoins: retargeting.joins, stepBitsMax: retargeting.stepBits },
    lifetimeEpochs: epochs.lifetime ?? null,
  };
}
