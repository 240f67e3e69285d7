/**
 * @module
 * An adversary holds the highest ranks.
 */

import { topRanksTheory } from '../theory/expected-capture.ts';
import type { Ranking } from './property.ts';
import { defineProperty, isForged, NO_CLOSED_FORMS, NO_JUDGES } from './property.ts';

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
  judges: { ...NO_JUDGES, ranking: holdsTop },
  closedForms: { ...NO_CLOSED_FORMS, ranking: topRanksTheory },
});

/** Whether the `count` highest are all forged. False if there are fewer members. */
export function holdsTop({ members, count }: Pick<Ranking, 'members' | 'count'>): boolean {
  return members.length >= count && members.slice(0, count).every(isForged);
}
