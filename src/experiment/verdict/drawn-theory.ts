/**
 * @module
 * The closed forms beside runs that are drawn: captures, and epochs in those forms that have one. Where
 * claims outlive the epoch whose puzzle they solved, or the difficulty moves, there is none.
 */

import { realBits } from '../../mining/policy-cost.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import type { EpochPlan } from '../epochs/epochs.ts';
import { budgetAttempts } from '../runs/budget.ts';
import { epochPlanOf } from '../runs/epochs-run.ts';
import { identitiesMaxOf } from '../runs/population-draw.ts';
import type { Trials } from '../theory/binomial-odds.ts';
import { binomialProbability } from '../theory/binomial-odds.ts';
import { topProbability } from '../theory/closed-forms.ts';
import { epochTopProbability, isPuzzleSalted, isRankSalted } from '../theory/epoch-odds.ts';
import type { CappedForging } from '../theory/expected-capture.ts';
import {
  expectedSuccessors,
  expectedTopRanks,
  forgedProbability,
  RANKS_MAX,
} from '../theory/expected-capture.ts';
import type { Theory } from './theory-answer.ts';

/** The theory of a model that counts whose the places are; `rateMeasured` as in `budgetAttempts`. */
export function captureTheory(model: ThreatModel, rateMeasured: number | null): Theory {
  const { honest, identity } = model.network;
  const { property, places } = model.expect;
  const [first, ...others] = adversariesOf(model).map(([, adversary]) => adversary);
  if (first === undefined) return { probability: 0, formula: 'no adversary' };
  if (others.length > 0) return none('the closed form is for one adversary');
  if (first.goal === 'top') return none('the closed form is for all identities that are found');
  if (model.work === 'mined' && first.budget.attempts === undefined) {
    return none('the closed form is for a budget in attempts');
  }
  const attempts = budgetAttempts(model, first, rateMeasured);
  const difficultyBits = realBits(identity).c1;
  const identitiesMax = identitiesMaxOf(first.goal) ?? attempts;
  const forging = { honest, attempts, difficultyBits, identitiesMax };
  const law = `K ~ Bin(${attempts}, 2^-${difficultyBits}), n = ${honest}`;
  const capped = identitiesMax < attempts ? `${law}, at most ${identitiesMax}` : law;
  if (property === 'majority-captured') {
    const ordinary = first.identities;
    const wanted = Math.max(0, honest + 1 - ordinary);
    const formula = `P(K >= ${wanted}), ${capped}`;
    return { probability: forgedProbability(forging, wanted), formula };
  }
  if (first.identities > 0) return none('ordinary identities have the lowest ranks');
  if (places > RANKS_MAX) return none(`the closed form is for ${RANKS_MAX} places at most`);
  return placesTheory(forging, { property, places, law: capped });
}

function placesTheory(
  forging: CappedForging,
  asked: { readonly property: string; readonly places: number; readonly law: string },
): Theory {
  const { property, places, law } = asked;
  if (property === 'top-captured') {
    const formula = `E[prod (K-i)/(n+K-i), i < ${places}], ${law}`;
    return { probability: expectedTopRanks(forging, places), formula };
  }
  const formula = `E[prod (K-i)/(n-1+K-i), i < ${places}], ${law}`;
  return { probability: expectedSuccessors(forging, places), formula };
}

/** The theory of a model with epochs; `rateMeasured` as in `budgetAttempts`. */
export function epochTheory(model: ThreatModel, rateMeasured: number | null): Theory {
  const plan = epochPlanOf(model, rateMeasured);
  const { property } = model.expect;
  if (plan.retargeting !== null) return none('the difficulty moves');
  if (plan.honest.testsPerWindow !== null) return none('honest nodes may be without a claim');
  if (property === 'adversary-leads') return lastTheory(plan);
  if (property === 'adversary-leads-once') return onceTheory(plan);
  return none(`there is no closed form for ${property} over epochs`);
}

/** Of the last epoch. */
function lastTheory(plan: EpochPlan): Theory {
  const { epochs, salt, adversary, difficultyBits, honest } = plan;
  // A solution that does not expire is renewed with its ID.
  const isKept = !isPuzzleSalted(salt);
  const isRenewed = isPuzzleSalted(salt) && plan.lifetimeEpochs === 1;
  const draws = isRankSalted(salt) ? 2 ** adversary.revealChoices : 1;
  if (epochs > 1 && !isKept && !isRenewed) return none('claims outlive the epoch of their puzzle');
  if (salt === 'puzzle') {
    const forging = { ...preparation(plan), salt };
    const formula = `sum over the tests of ${adversary.stockKeys} keys from the top down`;
    return { probability: epochTopProbability(forging), formula };
  }
  const windows = isKept ? epochs : 1;
  const made = salt === 'both' ? 0 : adversary.stockKeys;
  const trials = made + windows * adversary.testsPerWindow;
  return drawnTop({ trials, difficultyBits, honest: honest.nodes, draws });
}

/** Of any epoch. */
function onceTheory(plan: EpochPlan): Theory {
  const { epochs, salt, adversary, difficultyBits, honest } = plan;
  const choices = 2 ** adversary.revealChoices;
  if (salt === 'both' && plan.lifetimeEpochs === 1) {
    const each = drawnTop({
      ...{ trials: adversary.testsPerWindow, difficultyBits },
      ...{ honest: honest.nodes, draws: choices },
    });
    if (each.probability === null) return each;
    const probability = -Math.expm1(epochs * Math.log1p(-each.probability));
    return { probability, formula: `1-(1-P)^${epochs}, P = ${each.formula}` };
  }
  if (isPuzzleSalted(salt) || plan.lifetimeEpochs !== null || adversary.testsPerWindow > 0) {
    return none('the epochs depend on each other');
  }
  const draws = salt === 'rank' ? epochs * choices : 1;
  return drawnTop({ trials: adversary.stockKeys, difficultyBits, honest: honest.nodes, draws });
}

/** P(top) where the best of several independent draws of the ranks counts: 1 − E[(n/(n+K))^draws]. */
function drawnTop(drawn: {
  readonly trials: number;
  readonly difficultyBits: number;
  readonly honest: number;
  readonly draws: number;
}): Theory {
  const { trials, difficultyBits, honest, draws } = drawn;
  const law = `K ~ Bin(${trials}, 2^-${difficultyBits}), n = ${honest}`;
  if (draws === 1) {
    const probability = topProbability({ honest, attempts: trials, difficultyBits });
    return { probability, formula: `E[K/(n+K)], ${law}` };
  }
  const lost = (forged: number) => Math.exp(-draws * Math.log1p(forged / honest));
  const mean = meanOver({ trials, probability: 2 ** -difficultyBits }, lost);
  if (mean === null) return none('too many identities to add up');
  return { probability: 1 - mean, formula: `1-E[(n/(n+K))^${draws}], ${law}` };
}

/** Terms of one sum. */
const TERMS_MAX = 1_000_000;

/** E[f(K)] for f within [0, 1], to about 1e-12: what is left out is 12 deviations away. Null if too long. */
function meanOver(law: Trials, value: (count: number) => number): number | null {
  const mean = law.trials * law.probability;
  const reach = 12 * Math.sqrt(mean) + 60;
  const first = Math.max(0, Math.floor(mean - reach));
  const last = Math.min(law.trials, Math.ceil(mean + reach));
  if (last - first > TERMS_MAX) return null;
  let sum = 0;
  for (let count = first; count <= last; count += 1) {
    sum += binomialProbability(law, count) * value(count);
  }
  return sum;
}

function preparation({ honest, difficultyBits, adversary }: EpochPlan) {
  const { stockKeys, testsPerWindow } = adversary;
  return { honest: honest.nodes, difficultyBits, stockKeys, windowTests: testsPerWindow };
}

function none(reason: string): Theory {
  return { probability: null, formula: `none: ${reason}` };
}
