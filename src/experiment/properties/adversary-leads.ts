/**
 * @module
 * An adversary leads: by rank, by misbehaviour for a while, or in the last of several epochs.
 */

import { topTheory } from '../theory/answer.ts';
import { lastEpochTheory } from '../theory/epoch-odds.ts';
import { defineProperty } from './property.ts';
import { isSeen } from './sighting.ts';

export const ADVERSARY_LEADS = defineProperty({
  name: 'adversary-leads',
  description: 'an adversary leads (with behaviours: for a while; with epochs: in the last one)',
  happened: (subject) => `${subject} led`,
  needsResource: false,
  isCounted: false,
  aim: 'lead',
  epochs: { wants: 'top', when: 'last' },
  underAttack: 'holds',
  judges: {
    election: ({ winner }) => winner === 'adversary',
    top: (owner) => owner === 'adversary',
    watched: (seen) => isSeen('usurped', seen),
    ranking: null,
    epochs: (epochs) => epochs.at(-1)?.leader === 'adversary',
  },
  closedForms: {
    election: (forging) => ('formula' in forging ? forging : topTheory(forging)),
    watched: topTheory,
    ranking: null,
    epochs: lastEpochTheory,
  },
});
