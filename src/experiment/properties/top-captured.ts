/**
 * @module
 * An adversary holds the highest ranks.
 */

import { topRanksTheory } from '../theory/expected-capture.ts';
import type { Ranking } from './property.ts';
import { defineProperty, isForged } from './property.ts';

export const TOP_CAPTURED = defineProperty({
  name: 'top-captured',
  description: 'the adversaries hold all of the highest ranks, as many as `count`',
  happened: (subject, count) =>
    count === 1 ? `${subject} held the highest rank` : `${subject} held the ${count} highest ranks`,
  isCounted: true,
  needsResource: false,
  aim: 'capture',
  epochs: { wants: 'top', when: 'last' },
  underAttack: 'holds',
  judges: {
    election: null,
    top: null,
    watched: null,
    ranking: holdsTop,
    epochs: null,
  },
  closedForms: {
    election: null,
    watched: null,
    ranking: topRanksTheory,
    epochs: null,
  },
});

/** Whether the `count` highest are all forged. False if there are fewer members. */
export function holdsTop({ members, count }: Pick<Ranking, 'members' | 'count'>): boolean {
  return members.length >= count && members.slice(0, count).every(isForged);
}
