/**
 * @module
 * What each guide shows and says.
 */

import type { GuideName, Part } from '../guide.ts';
import { FIRST_ELECTION } from './first-election.ts';
import { LIE_STORY } from './lie.ts';
import { RING } from './ring.ts';
import { ZOMBIE } from './zombie.ts';

export const STORIES: Readonly<Record<GuideName, readonly Part[]>> = {
  'first-election': FIRST_ELECTION,
  ring: RING,
  lie: LIE_STORY,
  zombie: ZOMBIE,
};
