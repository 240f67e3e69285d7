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

/**
 * The options of a detector as a caller names them, as text: a whole or decimal number, for some options also a
 * word, or one of a few words. A switch is `off` or `on`. An absent option follows from the bound on latency and
 * from the other options.
 */
export type DetectorOption =
  | {
      readonly type: 'number';
      readonly min: number;
      readonly max: number;
      readonly decimal: boolean;
      /** Words that are allowed instead. */
      readonly words: readonly string[];
      /** In words, with its unit. */
      readonly meaning: string;
      readonly byDefault: (timing: Timing, read: ReadOption) => number | string;
    }
  /** The default first. */
  | { readonly type: 'word'; readonly values: readonly string[]; readonly meaning: string };

export type DetectorOptions = Readonly<Record<string, DetectorOption>>;

/** The options that a caller gave, by name. */
export type GivenOptions = Readonly<Record<string, string>>;

/** The values of all options. Throws RangeError for an unknown option. */
export interface ReadOption<Name extends string = string> {
  readonly number: (name: Name) => number;
  readonly text: (name: Name) => string;
  readonly isOn: (name: Name) => boolean;
}

const SWITCH = ['off', 'on'];

/** A switch, off unless named. */
export function switchOption(meaning: string): DetectorOption {
  return { type: 'word', values: SWITCH, meaning };
}

/** Whether the name alone is enough: it turns a switch on. */
export function isSwitch(option: DetectorOption): boolean {
  return option.type === 'word' && option.values === SWITCH;
}

/** What is valid for an option whose `value` is not. Null if it is valid. */
export function optionFault(option: DetectorOption, value: string): string | null {
  if (option.type === 'word') {
    return option.values.includes(value) ? null : `must be ${option.values.join(' or ')}`;
  }
  const { min, max, decimal, words } = option;
  const form = decimal ? /^\d{1,15}(\.\d{1,9})?$/ : /^\d{1,15}$/;
  const isFit = form.test(value) && Number(value) >= min && Number(value) <= max;
  if (isFit || words.includes(value)) return null;
  const others = words.map((word) => ` or ${word}`).join('');
  return `must be a ${decimal ? '' : 'whole '}number in ${min}..${max}${others}`;
}

/** The value of every option: the given one, which must be valid, or its default. */
export function readOptions(
  options: DetectorOptions,
  given: GivenOptions,
  timing: Timing,
): ReadOption {
  const read: ReadOption = {
    number: (name) => Number(read.text(name)),
    isOn: (name) => read.text(name) === 'on',
    text(name) {
      const option = Object.hasOwn(options, name) ? options[name] : undefined;
      if (option === undefined) throw new RangeError(`"name" expected an option, got ${name}`);
      const value = Object.hasOwn(given, name) ? given[name] : undefined;
      if (value !== undefined) return value;
      if (option.type === 'word') return option.values[0] ?? '';
      return String(option.byDefault(timing, read));
    },
  };
  return read;
}
