/**
 * @module
 * How many steps a network under churn takes, before it runs.
 */

import type { ChurnRules } from './defence.ts';
import { QUIET_SHARE } from './network.ts';

/** What is known of the sessions in the time asked for. */
export interface SessionCounts {
  readonly joins: number;
  /** Fewest and most that are under way at a time. */
  readonly least: number;
  readonly most: number;
}

/** The largest number of steps, nearly: events, purchases, and hashes if puzzles have so many each. */
export function stepsOf(
  { window, purgeAt, everyS, lifetimeS, hardness }: ChurnRules,
  { joins, least, most }: SessionCounts,
  { rate, seconds, hashes }: { rate: number; seconds: number; hashes: number },
): number {
  const spent = rate * seconds;
  const retired = (most * seconds) / (lifetimeS ?? Number.POSITIVE_INFINITY);
  // An adversary whose IDs leave at once changes the members twice.
  const changes = 2 * (joins + spent);
  const purges = purgeAt === null ? 0 : changes / Math.max(1, purgeAt * least);
  const tests = seconds / (everyS ?? Number.POSITIVE_INFINITY);
  const quiet = spent / Math.max(1, QUIET_SHARE * least);
  // An adversary makes GoodJEst shorten the window.
  const windows = window === 'estimate' ? 16 * joins : window === null ? 0 : seconds / window;
  const puzzles = hardness * (joins + retired) + (purges + tests) * most + changes;
  return most + 2 * (joins + retired + windows) + purges + tests + quiet + hashes * puzzles;
}
