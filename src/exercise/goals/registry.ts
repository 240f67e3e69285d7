/**
 * @module
 * The goals of exercises. A document names one of them.
 */

import { z } from 'zod';

import { CHECKS_OF_CLAIMS } from './checks-of-claims.ts';
import { CHURNED_COST } from './churned-cost.ts';
import { CAPTURED_SUCCESSORS, ECLIPSED_KEY, SHARED_SOLUTION, SIBLING_KEYS } from './claims.ts';
import { PHANTOM_CANDIDATE, SILENCED_RING, SPOOFED_LEADER } from './conduct.ts';
import { EXPECTED_COST, SAFE_DIFFICULTY } from './costs.ts';
import { PROTOCOL_FILE } from './files/protocol-file.ts';
import { BEHAVIOUR_FILE, DEFENCE_FILE } from './files/trials.ts';
import { ADMITTED_CLAIM, FORGED_TOP } from './forged-top.ts';
import type { Goal } from './goal.ts';
import { DEFENCE_PRICE, MESSAGE_COUNT, WORST_RING } from './message-counts.ts';
import { COUNTEREXAMPLES } from './runs/counterexample.ts';
import { DEPOSED_LEADER, SLOW_CLOCK } from './runs/disturbed-leaders.ts';
import { ELECTION_STORM } from './runs/election-storm.ts';
import { SALTED_STOCKPILE } from './runs/salted-stockpile.ts';
import { STALE_WRITE } from './runs/stale-write.ts';

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
  PHANTOM_CANDIDATE,
  SILENCED_RING,
  SHARED_SOLUTION,
  SIBLING_KEYS,
  CAPTURED_SUCCESSORS,
  ECLIPSED_KEY,
  CHURNED_COST,
  DEFENCE_PRICE,
  DEPOSED_LEADER,
  SLOW_CLOCK,
  SALTED_STOCKPILE,
  STALE_WRITE,
  ELECTION_STORM,
  COUNTEREXAMPLES,
  PROTOCOL_FILE,
  DEFENCE_FILE,
  BEHAVIOUR_FILE,
] as const;

type GoalName = (typeof GOALS)[number]['name'];

/** The member `goal` of a document. */
export const goalSchema = z
  .discriminatedUnion('type', [GOALS[0].schema, ...GOALS.slice(1).map(({ schema }) => schema)])
  .describe(GOALS.map(({ name, summary }) => `${name}: ${summary}`).join(' '));

/** The goal of a name. */
export function goalNamed(name: GoalName): Goal {
  const found = GOALS.find((goal) => goal.name === name);
  if (found === undefined) throw new TypeError(`"name" expected a goal, got ${name}`);
  return found;
}
