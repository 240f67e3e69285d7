/**
 * @module
 * Exact odds over several epochs: the number of epochs won, its variance, and the last revealer.
 */

import { assertInteger } from '../../../../src/experiment/theory/assertions.ts';
import { REVEAL_CHOICES_MAX } from '../../../../src/experiment/theory/epoch-odds.ts';
import type { Fraction } from './fraction.ts';
import { complement, fraction, power, times, ZERO } from './fraction.ts';

/** E epochs, in each of which the adversary holds the share q = k/(n+k) of the committed IDs. */
export interface EpochSeries {
  readonly share: Fraction;
  readonly epochs: number;
  /** One draw for ever where it is false; where it is true, one for each epoch. */
  readonly rankSalted: boolean;
}

/** P(the adversary has the top rank in exactly `wins` of the epochs): Bin(E, q), or all or nothing. */
export function epochWins({ share, epochs, rankSalted }: EpochSeries, wins: number): Fraction {
  if (!(wins >= 0 && wins <= epochs)) return ZERO;
  if (!rankSalted) {
    if (wins === epochs) return share;
    return wins === 0 ? complement(share) : ZERO;
  }
  let choices = 1n;
  for (let index = 0; index < wins; index += 1) {
    choices = (choices * BigInt(epochs - index)) / BigInt(index + 1);
  }
  const pattern = times(power(share, wins), power(complement(share), epochs - wins));
  return times(fraction(choices, 1), pattern);
}

/** The variance of the wins, Eq(1−q) salted and E²q(1−q) not; the mean is Eq either way. */
export function epochWinsVariance({ share, epochs, rankSalted }: EpochSeries): Fraction {
  const scale = rankSalted ? epochs : epochs ** 2;
  return times(fraction(scale, 1), times(share, complement(share)));
}

/**
 * P(the adversary has the top rank) where it reveals last and may withhold t contributions to the
 * beacon, each independently: it sees 2^t beacons and takes one that suits it, 1 − (1−q)^(2^t).
 */
export function lastRevealerTop(share: Fraction, choices: number): Fraction {
  assertInteger('choices', choices, { least: 0, most: REVEAL_CHOICES_MAX });
  return complement(power(complement(share), 2 ** choices));
}
