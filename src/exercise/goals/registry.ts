/**
 * @module
 * The goals of exercises. A document names one of them.
 */

import { z } from 'zod';

import { CHECKS_OF_CLAIMS } from './checks-of-claims.ts';
import { CAPTURED_SUCCESSORS, SHARED_SOLUTION, SIBLING_KEYS } from './claims.ts';
import { PHANTOM_CANDIDATE, SILENCED_RING, SPOOFED_LEADER } from './conduct.ts';
import { EXPECTED_COST, SAFE_DIFFICULTY } from './costs.ts';
import { PROTOCOL_FILE } from './files/protocol-file.ts';
import { BEHAVIOUR_FILE, DEFENCE_FILE } from './files/trials.ts';
import { ADMITTED_CLAIM, FORGED_TOP } from './forged-top.ts';
import type { Goal } from './goal.ts';
import { MESSAGE_COUNT, WORST_RING } from './message-counts.ts';
import { COUNTEREXAMPLES } from './runs/counterexample.ts';
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
  .discriminatedUnion('type', [
    CHECKS_OF_CLAIMS.schema,
    ADMITTED_CLAIM.schema,
    EXPECTED_COST.schema,
    MESSAGE_COUNT.schema,
    WORST_RING.schema,
    SAFE_DIFFICULTY.schema,
    SPOOFED_LEADER.schema,
    FORGED_TOP.schema,
    PHANTOM_CANDIDATE.schema,
    SILENCED_RING.schema,
    SHARED_SOLUTION.schema,
    SIBLING_KEYS.schema,
    CAPTURED_SUCCESSORS.schema,
    SALTED_STOCKPILE.schema,
    STALE_WRITE.schema,
    ELECTION_STORM.schema,
    COUNTEREXAMPLES.schema,
    PROTOCOL_FILE.schema,
    DEFENCE_FILE.schema,
    BEHAVIOUR_FILE.schema,
  ])
  .describe(GOALS.map(({ name, summary }) => `${name}: ${summary}`).join(' '));

/** The goal of a name. */
export function goalNamed(name: GoalName): Goal {
  const found = GOALS.find((goal) => goal.name === name);
  if (found === undefined) throw new TypeError(`"name" expected a goal, got ${name}`);
  return found;
}
