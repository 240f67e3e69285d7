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
    name: 'purge-keeps-too-many',
    bug: 'The adversary keeps as many IDs as there are honest nodes, whatever its power is.',
    file: 'src/experiment/churn/network.ts',
    inside: 'ChurnNetwork.keptMost',
    kind: 'arithmetic',
    of: '/',
    becomes: '1',
    killedBy: 'churn: the minority of Ergo',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
