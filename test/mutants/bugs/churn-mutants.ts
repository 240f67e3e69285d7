/**
 * @module
 * Seeded bugs in the defences under churn, and the check that finds each.
 */

import type { CheckName } from '../checks/checks.ts';
import type { Mutant } from '../mutation.ts';

export const CHURN_MUTANTS = [
  {
    name: 'purge-late',
    bug: 'A purge follows only after twice the share of joins and departures.',
    file: 'src/experiment/churn/network.ts',
    inside: 'ChurnNetwork.settle',
    kind: 'comparison',
    of: '>',
    nth: 2,
    becomes: '{left} > 2 * {right}',
    killedBy: 'churn: the minority of Ergo',
  },
  {
    name: 'purge-keeps-all',
    bug: 'The adversary keeps all IDs for which it can pay, whatever its power is.',
    file: 'src/experiment/churn/network.ts',
    inside: 'ChurnNetwork.keptMost',
    kind: 'comparison',
    of: '!==',
    nth: 1,
    becomes: 'false',
    killedBy: 'churn: the minority of Ergo',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
