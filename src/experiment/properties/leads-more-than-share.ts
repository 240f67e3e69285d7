/**
 * @module
 * Adversaries lead for a greater part of the time than their part of the identities. In one term that is to
 * lead at all. Where the rank has no meaning, each identity is equally likely to lead, so that adversaries
 * which follow the protocol lead a term with probability E[K/(n+K)].
 */

import { topTheory } from '../theory/answer.ts';
import { defineProperty, isForged } from './property.ts';

export const LEADS_MORE_THAN_SHARE = defineProperty({
  name: 'leads-more-than-share',
  description:
    'honest nodes follow adversaries for a greater part of the time with a leader than the part of the identities that adversaries hold; in a single term, an adversary leads',
  happened: (subject) => `${subject} led more often than its share of the identities`,
  needsResource: false,
  isCounted: false,
  aim: 'lead',
  epochs: { wants: 'top', when: 'each' },
  underAttack: 'holds',
  judges: {
    election: null,
    top: null,
    watched: ({ usurpedTicks, agreedTicks, adversaryNodes }, nodes) =>
      usurpedTicks * nodes > agreedTicks * adversaryNodes,
    ranking: null,
    epochs(epochs) {
      const led = epochs.filter(({ leader }) => leader === 'adversary').length;
      const shares = epochs.map(({ ranking }) => ranking.filter(isForged).length / ranking.length);
      return led > shares.reduce((sum, share) => sum + (share || 0), 0);
    },
  },
  closedForms: {
    election: null,
    watched: topTheory,
    ranking: null,
    epochs: null,
  },
});
