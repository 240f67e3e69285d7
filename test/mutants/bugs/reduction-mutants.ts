/**
 * @module
 * Seeded bugs in the reduction of the model checker: one for each of its conditions, and the check that finds it.
 */

import type { CheckName } from '../checks/checks.ts';
import type { Mutant } from '../mutation.ts';

const file = 'src/checking/reduction.ts';

export const REDUCTION_MUTANTS = [
  {
    name: 'reduction-visible',
    bug: 'Actions that properties can see are explored alone.',
    ...{ file, inside: 'isHidden', kind: 'negation', becomes: 'true' },
    killedBy: 'reduction: visible actions in any order',
  },
  {
    name: 'reduction-first-message',
    bug: 'A node is explored alone although another one can still send it the first message of a link.',
    ...{ file, inside: 'isAmple', kind: 'comparison', of: '!==', nth: 4, becomes: 'false' },
    killedBy: 'reduction: a message before the start',
  },
  {
    name: 'reduction-unknown-link',
    bug: 'The search is not repeated when a message is sent on an unknown link.',
    ...{ file, inside: 'revised', kind: 'assignment', of: 'isBroken', nth: 1, becomes: 'false' },
    killedBy: 'reduction: a message before the start',
  },
  {
    name: 'reduction-order',
    bug: 'Links without order are taken for FIFO links.',
    ...{ file, inside: 'isAmple', kind: 'comparison', of: '===', nth: 4, becomes: 'true' },
    killedBy: 'reduction: a message that overtakes',
  },
  {
    name: 'reduction-for-ever',
    bug: 'A node is explored alone although nothing new comes of it.',
    ...{ file, inside: 'leadsOn', kind: 'call', of: 'isOpen', becomes: 'true' },
    killedBy: 'reduction: a node that works for ever',
  },
  {
    name: 'reduction-quiet',
    bug: 'Timers that wait until nothing is in flight are explored alone.',
    ...{ file, inside: 'isAmple', kind: 'comparison', of: '===', nth: 3, becomes: 'true' },
    killedBy: 'reduction: a timer that delays others',
  },
  {
    name: 'reduction-timers',
    bug: 'Timers are explored alone although others may use up their bound.',
    ...{ file, inside: 'isAmple', kind: 'comparison', of: '!==', nth: 3, becomes: 'false' },
    killedBy: 'reduction: a timer that uses up the bound',
  },
  {
    name: 'reduction-return',
    bug: 'A message to a node that may return is dropped at once.',
    ...{ file, inside: 'TOUCHING', kind: 'conditional', becomes: '[]' },
    killedBy: 'reduction: a message to a node that returns',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
