/**
 * @module
 * Agreement at the end, as election/properties.ts defines it.
 */

import type { CheckedProperty } from '../property.ts';
import { followedIn, followingText } from './followers.ts';

export const AGREEMENT: CheckedProperty = {
  name: 'agreement',
  kind: 'always',
  description: 'at rest no two honest live nodes follow different leaders',
  claim: { unsupportedReason: () => null, matrix: ['S2'] },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  isSymmetric: true,
  holds: (view) => !view.isAtRest || [...followedIn(view)].filter((rank) => rank > 0).length < 2,
  breach: (view) => `at rest, ${followingText(view)}`,
};
