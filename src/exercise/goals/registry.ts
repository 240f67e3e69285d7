/**
 * @module
 * The goals of exercises. A document names one of them.
 */

import { z } from 'zod';
import { ADMITTED_CLAIM } from './admitted-claim.ts';
import { CHECKS_OF_CLAIMS } from './checks-of-claims.ts';
import { EXPECTED_COST } from './expected-cost.ts';
import { FORGED_TOP } from './forged-top.ts';
import type { Goal } from './goal.ts';
import { MESSAGE_COUNT } from './message-count.ts';
import { SAFE_DIFFICULTY } from './safe-difficulty.ts';
import { SPOOFED_LEADER } from './spoofed-leader.ts';
import { WORST_RING } from './worst-ring.ts';

/** All goals. */
export const GOALS = [
  CHECKS_OF_CLAIMS,
  ADMITTED_CLAIM,
  EXPECTED_COST,
  MESSAGE_COUNT,
  WORST_RING,
  SAFE_DIFFICULTY,
  SPOOFED_LEADER,
  FORGED_TOP,
] as const;

type GoalName = (typeof GOALS)[number]['name'];

/** The member `goal` of a document. */
export const goalSchema = z
  .discriminatedUnion('type', [
    CHECKS_OF_CLAIMS.schema,
    ADMITTED_CLAIM.schema,
    EXPECTED_COST.schema,
    MESSAGE_COUNT.schema,
    WORST_RING.schema,
    SAFE_DIFFICULTY.schema,
    SPOOFED_LEADER.schema,
    FORGED_TOP.schema,
  ])
  .describe(GOALS.map(({ name, summary }) => `${name}: ${summary}`).join(' '));

/** The goal of a name. */
export function goalNamed(name: GoalName): Goal {
  const found = GOALS.find((goal) => goal.name === name);
  if (found === undefined) throw new TypeError(`"name" expected a goal, got ${name}`);
  return found;
}
