/**
 * @module
 * Runs over several epochs with identities and beacons that are drawn, or mined: an adversary prepares, registers in
 * every window, and may withhold contributions to the beacon.
 */

import { attemptHashes, realBits, staticHashes } from '../../mining/policy-cost.ts';
import { STRATEGIES } from '../../mining/strategies.ts';
import type { Seed } from '../../random.ts';
import { deriveSeed } from '../../random.ts';
import type { Adversary, SearchRates, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { divisionOf } from '../epochs/division.ts';
import type { EpochOutcome, EpochPlan } from '../epochs/epochs.ts';
import { forgerPlanOf, honestNodes, simulateEpochs, victimOf } from '../epochs/epochs.ts';
import { inflatingQuota } from '../epochs/inflating.ts';
import { sparingQuota } from '../epochs/sparing.ts';
import { epochAimOf, isForged } from '../properties/property.ts';
import { PROPERTIES } from '../properties/registry.ts';
import { choosePlan } from '../response/epoch-plans.ts';
import type { Conduct } from '../theory/epoch-conduct.ts';
import {
  addWork,
  affordable,
  bySide,
  isPuzzleSalted,
  isRankSalted,
  NO_WORK,
} from '../theory/epoch-conduct.ts';
import { isTimed, keyTime, timedAttempts } from './budget.ts';
import type { Runner } from './runner.ts';
import type { EpochTally } from './tally.ts';

/** The runner of a model with epochs. Identities are drawn if none are given. */
export function epochsRunner(
  model: ThreatModel,
  rateMeasured: SearchRates,
  identities?: Parameters<typeof simulateEpochs>[2],
): Runner {
  const plan = epochPlanOf(model, rateMeasured);
  return ({ seed, run }) => {
    const runSeed = deriveSeed(seed, 'run', run);
    const ended = simulateEpochs(plan, runSeed, identities);
    const members = ended.at(-1)?.ranking ?? [];
    const epochs = tallies(model, plan, ended, runSeed);
    const { honest, adversary } = epochs
      .map(({ spent }) => spent)
      .reduce((one, other) => bySide(one, other, addWork));
    const observations = {
      attempts: adversary.attempts,
      hashes: adversary.hashes,
      honestAttempts: honest.attempts,
      honestHashes: honest.hashes,
      honestJoins: epochs.reduce((sum, { joins }) => sum + joins.honest, 0),
      nodes: members.length,
      identities: members.filter(isForged).length,
      epochsLed: ended.filter(({ leader }) => leader === 'adversary').length,
    };
    const outcomes = [{ won: epochs.at(-1)?.wins === 1, elections: [] }];
    return { run, outcomes, forges: [], honestLedger: null, observations, epochs };
  };
}

/** What was done before the first epoch and in each epoch of a run. */
function tallies(
  model: ThreatModel,
  plan: EpochPlan,
  ended: readonly EpochOutcome[],
  runSeed: Seed,
): readonly EpochTally[] {
  const { judges } = PROPERTIES[model.expect.property];
  const { count } = model.expect;
  const { perId, perPuzzle } = plan.conduct.hashes;
  const keys = plan.adversary.stockKeys;
  // Without a salt, the puzzle of a key in stock is solved before the first epoch.
  const hashes = keys * (isPuzzleSalted(plan.salt) ? perId : perId + perPuzzle);
  const stock = { attempts: keys, hashes, keys, cpuSeconds: 0 };
  const square = (_: number, attempts: number) => attempts ** 2;
  let sum = { honest: 0, adversary: keys };
  const none = { honest: 0, adversary: 0 };
  const before = { honest: NO_WORK, adversary: stock };
  const first = { spent: before, joins: none, squares: bySide(none, sum, square), wins: 0 };
  const seen: EpochOutcome[] = [];
  const all = ended.map((epoch): EpochTally => {
    seen.push(epoch);
    sum = bySide(sum, epoch.work, (attempts, work) => attempts + work.attempts);
    const members = epoch.ranking;
    const victim = () => victimOf(plan, members, runSeed);
    const won =
      judges.epochs?.(seen, honestNodes(plan, epoch.epoch)) ??
      judges.ranking?.({ members, count, victim });
    const squares = bySide(none, sum, square);
    return { spent: epoch.work, joins: epoch.joins, squares, wins: won === true ? 1 : 0 };
  });
  return [first, ...all];
}

/** The honest nodes of the last epoch, and what the adversary follows, for closed forms. */
export function lastForging(plan: EpochPlan) {
  return { ...forgerPlanOf(plan), honest: honestNodes(plan, plan.epochs - 1) };
}

/** The epochs of a document, which has at most one adversary. */
export function epochPlanOf(model: ThreatModel, rateMeasured: SearchRates): EpochPlan {
  const { epochs, network } = model;
  if (epochs === undefined) throw new TypeError('"epochs" expected a map, got none');
  const [first, ...others] = adversariesOf(model).map(([, adversary]) => adversary);
  if (others.length > 0) throw new TypeError('"adversaries" expected at most one, got several');
  const { retargeting } = epochs;
  const { attempts, hashes } = windowOf(model, first, rateMeasured);
  const plan = first === undefined ? 'fresh' : choosePlan(model, first).plan;
  const isShared = model.expect.property === 'leads-more-than-share' && !isRankSalted(epochs.salt);
  const whole: EpochPlan = {
    epochs: epochs.count,
    salt: epochs.salt,
    honest: {
      nodes: network.honest,
      churn: epochs.churn,
      newcomers: epochs.newcomers,
      testsPerWindow: epochs.honestAttempts ?? null,
    },
    adversary: {
      stockKeys: first?.stockpile ?? 0,
      testsPerWindow: attempts,
      revealChoices: first?.reveals ?? 0,
      isAboveOnly: isShared && plan === 'informed',
    },
    conduct: {
      plan,
      ...epochAimOf(PROPERTIES[model.expect.property]),
      count: model.expect.count,
      unspent: epochs.unspent,
      hashes,
    },
    difficultyBits: realBits(network.identity).c1,
    retargeting:
      retargeting === undefined
        ? null
        : { targetJoins: retargeting.joins, stepBitsMax: retargeting.stepBits },
    lifetimeEpochs: epochs.lifetime ?? null,
  };
  const division = divisionOf(whole) ?? undefined;
  const divided = { ...whole, conduct: { ...whole.conduct, division } };
  return { ...divided, adversary: { ...whole.adversary, ...steeringOf(divided) } };
}

/** Keys of a window from which on an adversary that bets on epochs counts its savings in keys. */
const KEYS_LEAST = 4;

/** The quota of a plan that depends on what has happened so far. */
function steeringOf(plan: EpochPlan): Pick<EpochPlan['adversary'], 'quota' | 'isSaving'> {
  const { adversary, conduct, retargeting, difficultyBits, salt } = plan;
  const isSaving = conduct.unspent === 'saved' && isPuzzleSalted(salt);
  const { perWindow, perKey, perPuzzle } = conduct.hashes;
  const work = { attempts: adversary.testsPerWindow, hashes: perWindow };
  const income = affordable(work, perKey + perPuzzle);
  if (conduct.plan === 'inflating' && retargeting !== null) {
    const keeps = isPuzzleSalted(salt) ? (isSaving ? 'tests' : 'nothing') : 'keys';
    const stock = keeps === 'keys' ? adversary.stockKeys : 0;
    const quota = inflatingQuota({ ...plan, retargeting, difficultyBits, stock, income, keeps });
    return { quota, isSaving };
  }
  if (conduct.plan !== 'sparing') return {};
  const { honest } = plan;
  // The mean cost of keys is not enough to know if a window pays for few.
  const isCounted = difficultyBits === 0 || income * 2 ** -difficultyBits >= KEYS_LEAST;
  const isBetting = isSaving && isCounted;
  const quota = sparingQuota({
    ...{ ...forgerPlanOf(plan), difficultyBits },
    beacons: 2 ** adversary.revealChoices,
    ...{ nodes: honest.nodes, newcomers: honest.newcomers, isSaving: isBetting },
  });
  return { quota, isSaving: isBetting };
}

/** What the budget of an adversary bounds in a window. Seconds are the time of new keys at its rate. */
function windowOf(
  model: ThreatModel,
  adversary: Adversary | undefined,
  rateMeasured: SearchRates,
): { readonly attempts: number; readonly hashes: Conduct['hashes'] } {
  const { identity } = model.network;
  const isFree = identity.c1 === 0 && model.epochs?.retargeting === undefined;
  // A network that adapts the difficulty may begin without a puzzle.
  const perPuzzle = isFree ? 0 : staticHashes({ ...identity, c1: Math.max(1, identity.c1) });
  const perId = attemptHashes(identity, 0);
  const none = Number.POSITIVE_INFINITY;
  const prices = { perKey: perId, perId, perPuzzle };
  if (adversary === undefined) return { attempts: 0, hashes: { perWindow: none, ...prices } };
  const { attempts = none, hashes = none } = adversary.budget;
  if (!isTimed(adversary.budget)) return { attempts, hashes: { perWindow: hashes, ...prices } };
  const { cost } = STRATEGIES[adversary.strategy];
  const perKey = keyTime(adversary, cost(identity, identity.scheme, 0), perPuzzle);
  const perWindow = timedAttempts(model, adversary, rateMeasured) * (perKey + perPuzzle);
  return { attempts, hashes: { ...prices, perWindow, perKey } };
}
