/**
 * @module
 * The odds of captures as exact fractions, for few attempts. The doubles of the product must agree.
 */

import { assertInteger } from '../../../../src/experiment/theory/assertions.ts';
import type { CappedForging } from '../../../../src/experiment/theory/closed-forms.ts';
import { forgedProbability } from '../../../../src/experiment/theory/expected-capture.ts';
import {
  EXACT_ATTEMPTS_MAX,
  EXACT_BITS_MAX,
  successorsCaptured,
  topRanks,
} from './capture-odds.ts';
import type { Fraction } from './fraction.ts';
import { fraction, ONE, plus, times, ZERO } from './fraction.ts';

/** P(more than half of all n+K identities are forged) = P(K ≥ n+1): a quorum of Sybils alone. */
export function majorityProbability(forging: CappedForging): number {
  return forgedProbability(forging, forging.honest + 1);
}

/** `expectedTopRanks` exactly, within the limits of `topExactly`. */
export function expectedTopRanksExactly(forging: CappedForging, ranks: number): Fraction {
  const { honest } = forging;
  return meanExactly(forging, (forged) => topRanks({ honest, forged }, ranks));
}

/** `expectedSuccessors` exactly, within the limits of `topExactly`. */
export function expectedSuccessorsExactly(forging: CappedForging, successors: number): Fraction {
  const { honest } = forging;
  return meanExactly(forging, (forged) => successorsCaptured({ honest, forged }, successors));
}

/** `forgedProbability` exactly, within the limits of `topExactly`. */
export function forgedExactly(forging: CappedForging, count: number): Fraction {
  return meanExactly(forging, (forged) => (forged >= count ? ONE : ZERO));
}

/** `majorityProbability` exactly, within the limits of `topExactly`. */
export function majorityExactly(forging: CappedForging): Fraction {
  return forgedExactly(forging, forging.honest + 1);
}

/** Σ P(K = k) f(min(k, M)). */
function meanExactly(forging: CappedForging, value: (forged: number) => Fraction): Fraction {
  const { attempts, difficultyBits, identitiesMax = attempts } = forging;
  assertInteger('attempts', attempts, { least: 0, most: EXACT_ATTEMPTS_MAX });
  assertInteger('difficultyBits', difficultyBits, { least: 0, most: EXACT_BITS_MAX });
  const outcomes = 1n << BigInt(difficultyBits);
  let sum = ZERO;
  let choices = 1n;
  for (let valid = 0; valid <= attempts; valid += 1) {
    const weight = fraction(choices * (outcomes - 1n) ** BigInt(attempts - valid), 1);
    sum = plus(sum, times(weight, value(Math.min(valid, identitiesMax))));
    choices = (choices * BigInt(attempts - valid)) / BigInt(valid + 1);
  }
  return times(sum, fraction(1, outcomes ** BigInt(attempts)));
}
