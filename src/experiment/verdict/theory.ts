/**
 * @module
 * The closed form that stands beside a measurement, where there is one, and its formula in words.
 * Several adversaries of one network add up: some adversary leads exactly if the best of all their
 * identities does, and binomials with one p add.
 */

import { realBits, requiredBits } from '../../mining/policy-cost.ts';
import { runKindOf } from '../document/run-kind.ts';
import type { Adversary, ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { budgetAttempts, isTimed } from '../runs/budget.ts';
import type { Tally } from '../runs/tally.ts';
import { forgeTally } from '../runs/tally.ts';
import { topProbability } from '../theory/closed-forms.ts';
import { captureTheory, epochTheory } from './drawn-theory.ts';
import type { Theory } from './theory-answer.ts';

/** N of the closed form: a number, with a remark where it was measured; or why there is none. */
type Attempts =
  | { readonly outcome: 'known'; readonly attempts: number; readonly remark: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** The probability that a run has the expected property; `rateMeasured` as in `budgetAttempts`. */
export function theoryOf(model: ThreatModel, tally: Tally, rateMeasured: number | null): Theory {
  const kind = runKindOf(model);
  switch (kind) {
    case 'ranking':
      return model.expect.property === 'highest-leads'
        ? { probability: 1, formula: '1, as no fault keeps the highest ID from leading' }
        : leadTheory(model, tally, rateMeasured);
    case 'capture':
      return captureTheory(model, rateMeasured);
    case 'epochs':
      return epochTheory(model, rateMeasured);
    case 'watched':
      return { probability: null, formula: 'none: the elections decide, which are watched' };
    default:
      return kind satisfies never;
  }
}

function leadTheory(model: ThreatModel, tally: Tally, rateMeasured: number | null): Theory {
  const adversaries = adversariesOf(model);
  if (adversaries.length === 0) return { probability: 0, formula: 'no adversary' };
  let attempts = 0;
  const remarks = new Set<string>();
  for (const [name, adversary] of adversaries) {
    const spent = attemptsOf(model, { name, adversary, tally, rateMeasured });
    if (spent.outcome === 'unknown') return { probability: null, formula: `none: ${spent.reason}` };
    attempts += spent.attempts;
    if (spent.remark !== '') remarks.add(spent.remark);
  }
  const { honest, identity } = model.network;
  const difficultyBits = realBits(identity).c1;
  const trials = Number(attempts.toPrecision(6)) === attempts ? attempts : attempts.toFixed(1);
  const law = `K ~ Bin(${trials}, ${difficultyBits === 0 ? '1' : `2^-${difficultyBits}`})`;
  const formula = [`E[K/(n+K)], ${law}, n = ${honest}`, ...remarks].join(', ');
  return { probability: topProbability({ honest, attempts, difficultyBits }), formula };
}

function attemptsOf(
  model: ThreatModel,
  spending: {
    readonly name: string;
    readonly adversary: Adversary;
    readonly tally: Tally;
    readonly rateMeasured: number | null;
  },
): Attempts {
  const { name, adversary, tally, rateMeasured } = spending;
  const timed = isTimed(adversary.budget);
  if (adversary.goal !== 'top') {
    return {
      outcome: 'unknown',
      reason: `the closed form is for the goal top, not ${adversary.goal}`,
    };
  }
  if (adversary.strategy === 'stockpile') {
    return {
      outcome: 'unknown',
      reason: 'keys in stock are tested from the top, not as they come',
    };
  }
  const dynamic = requiredBits(model.network.identity).c2 > 0;
  if (dynamic && (timed || adversary.budget.hashes !== undefined)) {
    return { outcome: 'unknown', reason: 'hashes and seconds also pay for dynamic solutions' };
  }
  if (model.work === 'sampled' || !timed) {
    const attempts = budgetAttempts(model, adversary, rateMeasured);
    return { outcome: 'known', attempts, remark: '' };
  }
  const exhausted = forgeTally(tally, name)?.exhausted;
  if (exhausted === undefined || exhausted.runs === 0) {
    return {
      outcome: 'unknown',
      reason: 'no run used its seconds up, so their worth is not known',
    };
  }
  const remark = 'N the mean of the runs that used their seconds up';
  return { outcome: 'known', attempts: exhausted.attempts / exhausted.runs, remark };
}
