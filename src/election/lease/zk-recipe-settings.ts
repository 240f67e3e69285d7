/**
 * @module
 * What ZooKeeper's recipe leaves open, as flags: whom a client watches, how long sessions last, how
 * often they are kept alive, and how far clocks are trusted. Store and clients read the same.
 */

import type { Flags, FlagValues, NumberFlags } from '../flags.ts';
import { chosenFlag, numbersOf } from '../flags.ts';
import { holderTicks } from '../lease-interval.ts';
import type { Timing } from '../timing.ts';
import { silenceTicks } from '../timing.ts';

/**
 * - herd: who is told of a znode's end, its successor alone or everybody (the effect that the recipe
 *   avoids): whether a client watches the next lower znode or the lowest.
 * - drift: whether a lease is shorter than the session by as much as clocks may differ.
 */
export const ZK_RECIPE_FLAGS = {
  herd: ['off', 'on'],
  drift: ['corrected', 'ignored'],
} as const satisfies FlagValues;

const TICKS_MAX = 1_000_000_000;

export const ZK_RECIPE_NUMBERS = {
  sessionTicks: {
    min: 3,
    max: TICKS_MAX,
    meaning: 'ticks after which the store ends the session of a client that it has not heard',
    byDefault: silenceTicks,
  },
  pingTicks: {
    min: 1,
    max: TICKS_MAX,
    meaning: 'ticks from one ping of a client to the next',
    // As ZooKeeper's client: two of three may be lost.
    byDefault: (_timing, numberOf) => Math.max(1, Math.floor(numberOf('sessionTicks') / 3)),
  },
  driftPpm: {
    min: 0,
    max: 500_000,
    meaning: 'by how many millionths any clock may run fast or slow',
    byDefault: () => 10_000,
  },
} as const satisfies NumberFlags;

export interface ZkRecipeSettings {
  readonly herd: (typeof ZK_RECIPE_FLAGS.herd)[number];
  readonly sessionTicks: number;
  /** How long the answer to a ping is worth leading on, from the sending of the ping. */
  readonly leaseTicks: number;
  readonly pingTicks: number;
}

/** What the flags say, with the defaults for the rest. Throws RangeError for what they cannot be. */
export function zkRecipeSettings(timing: Timing, flags: Flags = {}): ZkRecipeSettings {
  const { sessionTicks, pingTicks, driftPpm } = numbersOf(ZK_RECIPE_NUMBERS, timing, flags);
  const isCorrected = chosenFlag('drift', ZK_RECIPE_FLAGS.drift, flags) === 'corrected';
  return {
    herd: chosenFlag('herd', ZK_RECIPE_FLAGS.herd, flags),
    sessionTicks,
    leaseTicks: isCorrected ? holderTicks({ leaseTicks: sessionTicks, driftPpm }) : sessionTicks,
    pingTicks,
  };
}
