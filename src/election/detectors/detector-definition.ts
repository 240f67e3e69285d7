/**
 * @module
 * The definition of a failure detector: one value that states everything the lab knows about it. Options
 * that several detectors have are here, too.
 */

import { definition } from '../definition/definitions.ts';
import type { Kind } from '../definition/message-definition.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';

import type { AnyDetector } from './detector.ts';
import type {
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-options.ts';

/** All facts about a detector. A fact that does not apply is null or empty. */
export interface DetectorDefinition {
  readonly name: string;
  /** One sentence: when it suspects, and what that is worth. */
  readonly rule: string;
  /** In words and formulas. n is the number of members. */
  readonly messageBound: string;
  readonly source: string;
  /** Kind of each member of its messages, by type. */
  readonly messages: Readonly<Record<string, Readonly<Record<string, Kind>>>>;
  readonly options: DetectorOptions;
  /** Which options cannot be combined, although each is right. */
  readonly clash: ((read: ReadOption, given: GivenOptions) => string | null) | null;
  /** How many nodes may run it. Memory for the messages of one period limits it. */
  readonly nodesMax: number;
  /** About how many ticks after a crash the last live node suspects it, if no message is lost. */
  readonly detectionTicks: (timing: Timing, read: ReadOption) => number;
  /** Null if it is not a machine but a script outside the nodes. */
  readonly create: ((timing: Timing, read: ReadOption) => AnyDetector) | null;
}

/** A detector as drivers see it. */
export type DetectorEntry = DetectorDefinition;

/** Makes a definition a detector that registries list. */
export function defineDetector<const Name extends string>(
  given: DetectorDefinition & { readonly name: Name },
): DetectorEntry & { readonly name: Name } {
  return definition('detector', given);
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
