/**
 * @module
 * An adversary holds the nodes after a victim on a ring in the order of ranks. The successor of a node is
 * the next higher one, and that of the highest is the lowest.
 */

import { successorsTheory } from '../theory/expected-capture.ts';
import type { Ranking } from './property.ts';
import { defineProperty, isForged } from './property.ts';

export const SUCCESSORS_CAPTURED = defineProperty({
  name: 'successors-captured',
  description:
    'the adversaries hold all nodes after an honest victim on a ring in the order of ranks, as many as `count`',
  happened: (subject, count) =>
    count === 1
      ? `${subject} held the successor of the victim`
      : `${subject} held the ${count} successors of the victim`,
  isCounted: true,
  needsResource: false,
  aim: 'capture',
  underAttack: 'holds',
  epochs: null,
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: holdsSuccessors,
    epochs: null,
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: successorsTheory,
    epochs: null,
  },
});

/** Whether they are all forged. False if the victim is no member, and if the ring is too small. */
export function holdsSuccessors({ members, count, victim }: Ranking): boolean {
  const number = victim();
  const at = members.findIndex((member) => member.owner === 'honest' && member.number === number);
  if (at < 0 || members.length <= count) return false;
  const above = members.slice(0, at).toReversed();
  const below = members.slice(at + 1).toReversed();
  return [...above, ...below].slice(0, count).every(isForged);
}
