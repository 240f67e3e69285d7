/**
 * @module
 * What the registry says of a detector, and the options that several of them have.
 */

import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';

import type { AnyDetector } from './detector.ts';
import type {
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-options.ts';

export interface DetectorEntry {
  readonly name: string;
  /** One sentence: when it suspects, and what that is worth. */
  readonly rule: string;
  /** In words and formulas, n the number of members. */
  readonly messageBound: string;
  readonly source: string;
  /** What it sends, in the order of first use. */
  readonly messageTypes: readonly string[];
  readonly options: DetectorOptions;
  /** What is wrong, of options that are each right but cannot work together; null where all can. */
  readonly clash?: ((read: ReadOption, given: GivenOptions) => string | null) | undefined;
  /** How many nodes may run it, as far as memory goes: what is in flight in one period. */
  readonly nodesMax: number;
  /** About how long after a crash the last live node suspects it, all going well. */
  readonly detectionTicks: (timing: Timing, read: ReadOption) => number;
  /** Null where it is no machine. */
  readonly create: ((timing: Timing, read: ReadOption) => AnyDetector) | null;
}

const TICKS_MAX = 1_000_000_000;

/** `fd-heartbeat` took 1.0 GB among so many, `fd-phi-akka` 1.8 GB with its whole window. */
export const BEATING_NODES_MAX = 256;

/** The period of what a detector sends. */
export const EVERY_OPTION: DetectorOption = {
  ...ticksFrom(1),
  meaning: 'ticks from one beat to the next',
  byDefault: answerTicks,
};

/** An option in ticks. */
export function ticksFrom(min: number) {
  return { type: 'number', min, max: TICKS_MAX } as const;
}

/** What is wrong where the first of two numbers is below the other. */
export function clashIfBelow(
  [low, high]: readonly [low: string, high: string],
  read: ReadOption,
): string | null {
  if (read.number(low) >= read.number(high)) return null;
  return `has ${low}=${read.text(low)}; it must be at least ${high}, which is ${read.text(high)}`;
}

/** The longest time between two beats of a member that is up, where latencies keep their bound. */
export function honestIntervalTicks(timing: Timing, read: ReadOption): number {
  return read.number('every') + timing.latencyTicksMax;
}
