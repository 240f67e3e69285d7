/**
 * @module
 * The derivations that only one document needs, for all documents.
 */

import { DYNAMIC_PUZZLES } from './dynamic-puzzles.ts';
import type { Facts } from './fact.ts';
import { FORGED_IDS } from './forged-ids.ts';
import { PARTITIONS } from './partitions.ts';
import { SPOOFING } from './spoofing.ts';
import { STOCKPILES } from './stockpiles.ts';
import { SWALLOWING } from './swallowing.ts';
import { ZOMBIES } from './zombies.ts';

export const FACTS: Facts = {
  ...DYNAMIC_PUZZLES,
  ...FORGED_IDS,
  ...PARTITIONS,
  ...SPOOFING,
  ...STOCKPILES,
  ...SWALLOWING,
  ...ZOMBIES,
};
