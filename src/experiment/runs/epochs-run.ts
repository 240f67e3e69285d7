/**
 * @module
 * Runs over several epochs, whose identities and beacons are drawn: an adversary prepares, registers in
 * every window, and may withhold from the beacon what does not suit it.
 */

import type { Random } from '../../random.ts';
import { createRandom, deriveSeed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { EpochOutcome, EpochPlan } from '../epochs/epochs.ts';
import { simulateEpochs } from '../epochs/epochs.ts';
import { budgetAttempts } from './budget.ts';
import { holdsSuccessors, holdsTop } from './capture.ts';
import type { Runner, Services } from './runner.ts';

/** The runner of a model with epochs. */
export function epochsRunner(model: ThreatModel, { rateMeasured }: Services): Runner {
  const plan = epochPlanOf(model, rateMeasured);
  const attempts = plan.adversary.stockKeys + plan.epochs * plan.adversary.testsPerWindow;
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const outcomes = simulateEpochs(plan, runSeed);
    const last = outcomes.at(-1);
    if (last === undefined) throw new TypeError('"outcomes" expected at least one epoch, got none');
    const observations = {
      attempts,
      nodes: last.ranking.length,
      identities: last.ranking.filter(({ owner }) => owner === 'adversary').length,
      epochs_led: outcomes.filter(({ leader }) => leader === 'adversary').length,
    };
    const won = hasProperty(model, outcomes, last, createRandom(runSeed, 'victim'));
    return { run, won, elections: [], forges: [], honestLedger: null, observations };
  };
}

/** The epochs of a document: all its adversaries are one, which they are together. */
export function epochPlanOf(model: ThreatModel, rateMeasured: number | null): EpochPlan {
  const { epochs, network } = model;
  if (epochs === undefined) throw new TypeError('"epochs" expected a map, got none');
  const [first, ...others] = adversariesOf(model).map(([, adversary]) => adversary);
  if (others.length > 0) throw new TypeError('"adversaries" expected at most one, got several');
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
      epochs.retargeting === undefined
        ? null
        : { targetJoins: epochs.retargeting.joins, stepBitsMax: epochs.retargeting.stepBits },
    lifetimeEpochs: epochs.lifetime ?? null,
  };
}

function hasProperty(
  model: ThreatModel,
  outcomes: readonly EpochOutcome[],
  last: EpochOutcome,
  random: Random,
): boolean {
  const { property, places } = model.expect;
  const { honest } = model.network;
  const { ranking } = last;
  switch (property) {
    case 'adversary-leads':
      return last.leader === 'adversary';
    case 'adversary-leads-once':
      return outcomes.some(({ leader }) => leader === 'adversary');
    case 'honest-priced-out':
      return 2 * ranking.filter(({ owner }) => owner === 'honest').length < honest;
    case 'top-captured':
      return holdsTop(ranking, places);
    case 'successors-captured': {
      const left = ranking.filter(({ owner }) => owner === 'honest');
      const victim = left[random.below(Math.max(1, left.length))]?.number ?? 0;
      return holdsSuccessors(ranking, { victim, successors: places });
    }
    case 'majority-captured':
      return 2 * ranking.filter(({ owner }) => owner === 'adversary').length > ranking.length;
    case 'highest-leads':
    case 'no-leader':
    case 'split':
    case 'stale-writes':
      throw new TypeError(`"property" expected one of epochs, got ${property}`);
    default:
      return property satisfies never;
  }
}
