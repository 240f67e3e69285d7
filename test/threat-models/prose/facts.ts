/**
 * @module
 * The derivations that only one document needs, for all documents.
 */

import { CAPTURES } from './captures.ts';
import { DYNAMIC_PUZZLES } from './dynamic-puzzles.ts';
import { EPOCHS } from './epochs.ts';
import type { Facts } from './fact.ts';
import { FORGED_IDS } from './forged-ids.ts';
import { NEWCOMERS } from './newcomers.ts';
import { PARTITIONS } from './partitions.ts';
import { SPOOFING } from './spoofing.ts';
import { STALLING } from './stalling.ts';
import { STOCKPILES } from './stockpiles.ts';
import { SWALLOWING } from './swallowing.ts';
import { TOKENS } from './tokens.ts';
import { ZOMBIES } from './zombies.ts';

export const FACTS: Facts = {
  ...CAPTURES,
  ...DYNAMIC_PUZZLES,
  ...EPOCHS,
  ...FORGED_IDS,
  ...NEWCOMERS,
  ...PARTITIONS,
  ...SPOOFING,
  ...STALLING,
  ...STOCKPILES,
  ...SWALLOWING,
  ...TOKENS,
  ...ZOMBIES,
};
