/**
 * @module
 * The definition of a failure detector: one value that states everything the lab knows about it. Options
 * that several detectors have are here, too.
 */

import { definition } from '../definition/definitions.ts';
import type { Kind, MemberOf } from '../definition/message-definition.ts';
import type { MessageOf } from '../handlers.ts';
import type { Json, Message } from '../machine.ts';
import type { Timing } from '../timing.ts';
import { answerTicks } from '../timing.ts';

import type { AnyDetector, Detector } from './detector.ts';
import type {
  DetectorOption,
  DetectorOptions,
  GivenOptions,
  ReadOption,
} from './detector-options.ts';

/** The facts that do not depend on the types of options and messages. */
interface DetectorFacts {
  /** One sentence: when it suspects, and how reliable that is. */
  readonly rule: string;
  /** In words and formulas. n is the number of members. */
  readonly messageBound: string;
  readonly source: string;
  /** How many nodes may run it. Memory for the messages of one period limits it. */
  readonly nodesMax: number;
}

/** The members that depend on options. */
interface OptionReaders<Option extends string, Made> {
  /** Which options cannot be combined, although each is valid. */
  readonly clash: ((read: ReadOption<Option>, given: GivenOptions) => string | null) | null;
  /** About how many ticks after a crash the last live node suspects it, if no message is lost. */
  readonly detectionTicks: (timing: Timing, read: ReadOption<Option>) => number;
  /** Null if it is not a machine but a script outside the nodes. */
  readonly create: ((timing: Timing, read: ReadOption<Option>) => Made) | null;
}

/** All facts about a detector. A fact that does not apply is null or empty. */
export interface DetectorDefinition<
  Name extends string,
  Options extends DetectorOptions,
  State,
  M extends Message,
> extends DetectorFacts,
    OptionReaders<keyof Options & string, Detector<State, M>> {
  readonly name: Name;
  /** Kind of each member of its messages, by type. */
  readonly messages: {
    readonly [Type in M['type']]: {
      readonly [Member in MemberOf<MessageOf<M, Type>>]: Kind;
    };
  };
  readonly options: Options;
}

/** A detector as drivers see it. */
export interface DetectorEntry<Name extends string = string>
  extends DetectorFacts,
    OptionReaders<string, AnyDetector> {
  readonly name: Name;
  readonly messages: Readonly<Record<string, Readonly<Record<string, Kind>>>>;
  readonly options: DetectorOptions;
}

/** Makes a definition a detector that registries list. */
export function defineDetector<
  const Name extends string,
  Options extends DetectorOptions,
  State extends Json,
  M extends Message,
>(given: DetectorDefinition<Name, Options, State, M>): DetectorEntry<Name> {
  // Drivers pass a detector only the states and messages that it made itself, and its own options.
  return definition('detector', given as unknown as DetectorEntry<Name>);
}

const TICKS_MAX = 1_000_000_000;

/** `fd-heartbeat` took 1.0 GB among this number, `fd-phi-akka` 1.8 GB with its whole window. */
export const BEATING_NODES_MAX = 256;

/** The period of the messages of a detector. */
export const EVERY_OPTION: DetectorOption = {
  ...ticksFrom(1),
  meaning: 'ticks from one beat to the next',
  byDefault: answerTicks,
};

/** An option in ticks. */
export function ticksFrom(min: number) {
  return { type: 'number', min, max: TICKS_MAX, decimal: false, words: [] } as const;
}

/** The problem if the first of two numbers is below the other. */
export function clashIfBelow<Option extends string>(
  [low, high]: readonly [low: NoInfer<Option>, high: NoInfer<Option>],
  read: ReadOption<Option>,
): string | null {
  if (read.number(low) >= read.number(high)) return null;
  return `has ${low}=${read.text(low)}; it must be at least ${high}, which is ${read.text(high)}`;
}

/** Longest time between two heartbeats of a live member within the bound on latency. */
export function honestIntervalTicks(timing: Timing, read: ReadOption<'every'>): number {
  return read.number('every') + timing.latencyTicksMax;
}
