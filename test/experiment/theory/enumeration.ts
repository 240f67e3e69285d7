/**
 * @module
 * Probabilities by counting: every order of few identities, every pattern of which attempts are
 * valid. Nothing here uses a formula.
 */

import type { Forging, Population } from '../../../src/experiment/theory/closed-forms.ts';
import type { Fraction } from './exact/fraction.ts';
import { fraction, plus, times, ZERO } from './exact/fraction.ts';

export type Role = 'honest' | 'forged';

/** The share of all orders of the identities, the highest first, that `holds` accepts. */
export function shareOfOrders(
  { honest, forged }: Population,
  holds: (order: readonly Role[]) => boolean,
): Fraction {
  let [all, good] = [0, 0];
  const extend = (order: readonly Role[], left: Population) => {
    if (left.honest === 0 && left.forged === 0) {
      all += 1;
      if (holds(order)) good += 1;
    }
    // Identities of one role are alike, so each pattern of roles stands for equally many orders.
    if (left.honest > 0) extend([...order, 'honest'], { ...left, honest: left.honest - 1 });
    if (left.forged > 0) extend([...order, 'forged'], { ...left, forged: left.forged - 1 });
  };
  extend([], { honest, forged });
  return fraction(good, all);
}

/** P(top) over every pattern of valid attempts, each weighed, and every order. */
export function topByPatterns({ honest, attempts, difficultyBits }: Forging): Fraction {
  const valid = fraction(1, 2 ** difficultyBits);
  const invalid = fraction(2 ** difficultyBits - 1, 2 ** difficultyBits);
  let sum = ZERO;
  for (let pattern = 0; pattern < 2 ** attempts; pattern += 1) {
    let [weight, forged] = [fraction(1, 1), 0];
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const isValid = (pattern >> attempt) % 2 === 1;
      weight = times(weight, isValid ? valid : invalid);
      if (isValid) forged += 1;
    }
    const onTop = shareOfOrders({ honest, forged }, (order) => order[0] === 'forged');
    sum = plus(sum, times(weight, onTop));
  }
  return sum;
}
