/**
 * @module
 * When Check and Timeout of bully-gm82 run: by the clock, as H. Garcia-Molina (1982) has them, or only for a
 * reason, where a detector vouches for what is normal.
 */

import type { Flags, NumberFlags } from '../definition/flags.ts';
import { chosenFlag, numbersOf, TICKS } from '../definition/flags.ts';
import type { Timing } from '../timing.ts';
import { answerTicks, reorganisationTicks, silenceTicks } from '../timing.ts';

/** A node that has received no Check of its coordinator for this many of them asks it. */
export const TIMEOUT_CHECKS = 2;

/** Whether Check and Timeout run by the clock, as in the paper, or only for a reason. */
export const GM82_FLAGS = { checks: ['report', 'clock'] } as const;

export const GM82_NUMBERS = {
  checkTicks: {
    ...TICKS,
    meaning:
      'ticks from one Check of a coordinator to the next, of which a node waits for two before its Timeout; only with checks=clock',
    byDefault: silenceTicks,
    shortTicks: 15,
  },
} as const satisfies NumberFlags;

export interface GarciaMolinaSettings {
  readonly timing: Timing;
  /** Null if Check and Timeout do not run by the clock. */
  readonly checkTicks: number | null;
}

/** Long enough for a node to miss its coordinator, to ask it, and to hold an election. */
export function gm82SteadyTicks(timing: Timing, flags: Flags, nodes: number): number | null {
  const { checkTicks } = gm82Settings(timing, flags);
  if (checkTicks === null) return null;
  return TIMEOUT_CHECKS * checkTicks + answerTicks(timing) + reorganisationTicks(timing, nodes);
}

export function gm82Settings(timing: Timing, flags: Flags): GarciaMolinaSettings {
  const isClocked = chosenFlag('checks', GM82_FLAGS.checks, flags) === 'clock';
  const { checkTicks } = numbersOf(GM82_NUMBERS, timing, flags);
  return { timing, checkTicks: isClocked ? checkTicks : null };
}
