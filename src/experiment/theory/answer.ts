/**
 * @module
 * The answer of theory: a probability and its formula in words, or the reason why there is none.
 */

import type { Trials } from './binomial-odds.ts';
import { binomialProbability } from './binomial-odds.ts';
import type { CappedForging, Forging } from './closed-forms.ts';
import { topProbability } from './closed-forms.ts';

export interface Theory {
  /** Null if there is no closed form. Then the formula is the reason. */
  readonly probability: number | null;
  readonly formula: string;
}

export function noClosedForm(reason: string): Theory {
  return { probability: null, formula: `none: ${reason}` };
}

/** The law of the number K of forged identities, in words. */
export function lawText(forging: CappedForging): string {
  const { honest, attempts, difficultyBits, identitiesMax = attempts } = forging;
  const trials = shownCount(attempts);
  const valid = difficultyBits === 0 ? '1' : `2^-${difficultyBits}`;
  const cap = identitiesMax < attempts ? `, at most ${identitiesMax}` : '';
  return `K ~ Bin(${trials}, ${valid}), n = ${honest}${cap}`;
}

function shownCount(attempts: number): string {
  return Number.isInteger(attempts) ? String(attempts) : attempts.toFixed(1);
}

/**
 * P(top) if the best of `draws` independent draws of the ranks counts: 1 − E[(n/(n+K))^draws]. For one
 * draw it is E[K/(n+K)].
 */
export function topTheory(forging: Forging, draws = 1): Theory {
  const law = lawText(forging);
  const { honest, attempts, difficultyBits, attemptsAt } = forging;
  if (attemptsAt !== undefined && draws === 1) {
    const [least, most] = [attemptsAt(1), attemptsAt(Number.MIN_VALUE)].map(shownCount);
    const formula = `E[1-(1-p*q)^N], q the share of IDs above all n = ${honest}, p = 2^-${difficultyBits}, N from ${least} (q = 1) to ${most} (q = 0): a puzzle is evaluated only above them`;
    return { probability: topProbability(forging), formula };
  }
  if (draws === 1) return { probability: topProbability(forging), formula: `E[K/(n+K)], ${law}` };
  const lost = (forged: number) => Math.exp(-draws * Math.log1p(forged / honest));
  const mean = meanOver({ trials: attempts, probability: 2 ** -difficultyBits }, lost);
  if (mean === null) return noClosedForm('too many identities to add up');
  return { probability: 1 - mean, formula: `1-E[(n/(n+K))^${draws}], ${law}` };
}

/** Terms of one sum. */
const TERMS_MAX = 1_000_000;

/**
 * E[f(K)] for f within [0, 1], to about 1e-12: the omitted terms are 12 standard deviations away. Null if
 * the sum is too long.
 */
export function meanOver(law: Trials, value: (count: number) => number): number | null {
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
