/**
 * @module
 * The options that ZooKeeper's recipe leaves open: which znode a client watches, how long sessions last,
 * how often pings keep them alive, and how much clocks may drift. Store and clients use the same ones.
 */

import type { Flags, FlagValues, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf, TICKS } from '../definition/flags.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, silenceTicks } from '../timing.ts';

/**
 * - herd: whether a client watches the next lower znode or the lowest. If all watch the lowest, its end
 *   is reported to all (the herd effect, which the recipe avoids).
 * - drift: whether a lease is shorter than the session by the drift of clocks.
 */
export const ZK_RECIPE_FLAGS = {
  herd: ['off', 'on'],
  drift: ['corrected', 'ignored'],
} as const satisfies FlagValues;

export const ZK_RECIPE_NUMBERS = {
  sessionTicks: {
    ...TICKS,
    min: 3,
    meaning: 'ticks after which the store ends the session of a client that it has not heard',
    byDefault: silenceTicks,
    shortTicks: 60,
  },
  pingTicks: {
    ...TICKS,
    meaning: 'ticks from one ping of a client to the next',
    // As in ZooKeeper's client: two of three may be lost.
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('sessionTicks') / 3)),
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'by how many millionths any clock may run fast or slow',
    byDefault: () => 10_000,
    shortTicks: null,
  },
} as const satisfies NumberFlags;

export interface ZkRecipeSettings {
  readonly herd: (typeof ZK_RECIPE_FLAGS.herd)[number];
  readonly sessionTicks: number;
  /** How long an answered ping allows the node to lead, from the sending of the ping. */
  readonly leaseTicks: number;
  readonly pingTicks: number;
  /** Time after which a request without an answer is repeated. */
  readonly answerTicks: number;
}

/** The settings by the flags. Throws RangeError for a value that is not listed or out of bounds. */
export function zkRecipeSettings(timing: Timing, flags: Flags = {}): ZkRecipeSettings {
  const { sessionTicks, pingTicks, driftPpm } = numbersOf(ZK_RECIPE_NUMBERS, timing, flags);
  const isCorrected = chosenFlag('drift', ZK_RECIPE_FLAGS.drift, flags) === 'corrected';
  return {
    herd: chosenFlag('herd', ZK_RECIPE_FLAGS.herd, flags),
    sessionTicks,
    leaseTicks: isCorrected ? holderTicks({ leaseTicks: sessionTicks, driftPpm }) : sessionTicks,
    pingTicks,
    answerTicks: answerTicks(timing),
  };
}
