/**
 * @module
 * The largest share of IDs that each adversary reaches under a defence, with two laws of sessions.
 */

import { CHURN_ADVERSARIES } from '../../../src/experiment/churn/adversaries.ts';
import { ChurnNetwork } from '../../../src/experiment/churn/network.ts';
import { parseChurnDefence } from '../../../src/experiment/churn/registry.ts';
import { parseSessionLaw, sessionsOf } from '../../../src/experiment/churn/sessions.ts';
import type { Seed } from '../../../src/random.ts';

/** Nodes at the beginning. */
const NODES = 500;

const LAWS = ['exp:12h', 'weibull:0.59:8h'] as const;
const RATES = [0.1, 3, 100] as const;

/**
 * Each share with what led to it. The days of an adversary are divided among laws and rates. `power` is the share of the
 * adversary in the computing power.
 */
export function largestShares(
  defence: string,
  { days, power, seed }: { readonly days: number; readonly power: number; readonly seed: Seed },
): readonly (readonly [what: string, share: number])[] {
  const { rules } = parseChurnDefence(defence);
  return LAWS.flatMap((law) =>
    CHURN_ADVERSARIES.flatMap((adversary) =>
      RATES.map((rate) => {
        const sessions = sessionsOf(parseSessionLaw(law), NODES, seed);
        const seconds = (days * 86_400) / (LAWS.length * RATES.length);
        const network = new ChurnNetwork({ rules, adversary, sessions, rate, power, seconds });
        while (!network.run(100_000));
        const what = `${defence}, ${law}, ${adversary.name}, ${rate}`;
        return [what, network.measures().largestShare] as const;
      }),
    ),
  );
}
