/**
 * @module
 * How many steps a network under churn takes, before it runs.
 */

import type { ChurnRules } from './defence.ts';
import { QUIET_SHARE } from './network.ts';
import type { SessionCounts } from './sessions.ts';

/** About the largest number of steps: events, purchases, and hashes. A puzzle of hardness 1 takes `hashes` of them. */
export function stepsOf(
  { window, estimateAt, purgeAt, everyS, lifetimeS, hardness, renewal }: ChurnRules,
  { joins, least, most }: SessionCounts,
  asked: { rate: number; power: number; seconds: number; hashes: number },
): number {
  const { rate, power, seconds, hashes } = asked;
  const spent = rate * seconds;
  const retired = (most * seconds) / (lifetimeS ?? Number.POSITIVE_INFINITY);
  // IDs of the adversary differ twice: those that it gives up, and those that it has instead.
  const ownShare = 2 * (power / (1 - power) + (purgeAt ?? 1));
  const estimated = estimateAt > ownShare ? (2 * joins) / (estimateAt - ownShare) : spent;
  const windowsMost = window === 'estimate' ? estimated : seconds / (window ?? seconds);
  const windows = window === null ? 0 : Math.min(spent, windowsMost);
  // In a window the k-th ID costs at least k.
  const bought = window === null ? spent : Math.min(spent, Math.sqrt(2 * spent * (windows + 1)));
  // An adversary whose IDs leave at once changes the members twice.
  const changes = 2 * (joins + bought);
  const purges = purgeAt === null ? 0 : changes / Math.max(1, purgeAt * least);
  const tests = seconds / (everyS ?? Number.POSITIVE_INFINITY);
  const events = most + 2 * joins + retired + tests;
  const purchases = windows + bought / Math.max(1, QUIET_SHARE * least);
  // IDs that were bought at one moment are renewed at one moment.
  const renewed =
    renewal === null
      ? 0
      : Math.min(spent / renewal, ((events + purchases) * seconds) / (lifetimeS ?? seconds));
  // An event may lead to a purchase and to a look at the market, and what was bought retires.
  const each = rate === 0 ? 1 : lifetimeS === null ? 3 : 5;
  const again = (renewal ?? hardness) * retired + (renewal ?? 0) * renewed;
  const puzzles = hardness * joins + again + (purges + tests) * most + changes;
  return each * (events + purchases + renewed) + purges + hashes * puzzles;
}
