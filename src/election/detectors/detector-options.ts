/**
 * @module
 * The options of a detector as a caller names them, text to text: a whole or decimal number, some of
 * which also take a word, or one of a few words; one of `off` and `on` is a switch. What is not given
 * follows from the bound on latency and from the other options.
 */

import type { Timing } from '../timing.ts';

export type DetectorOption =
  | {
      readonly type: 'number';
      readonly min: number;
      readonly max: number;
      readonly decimal: boolean;
      /** Words that it takes instead. */
      readonly words: readonly string[];
      /** In words, with its unit. */
      readonly meaning: string;
      readonly byDefault: (timing: Timing, read: ReadOption) => number | string;
    }
  /** The default first. */
  | { readonly type: 'word'; readonly values: readonly string[]; readonly meaning: string };

export type DetectorOptions = Readonly<Record<string, DetectorOption>>;

/** Those that a caller gave, by name. */
export type GivenOptions = Readonly<Record<string, string>>;

/** The values in force. Throws RangeError for an option that is not there. */
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

/** Whether naming the option alone says everything: it turns a switch on. */
export function isSwitch(option: DetectorOption): boolean {
  return option.type === 'word' && option.values === SWITCH;
}

/** What would be right for an option that is not given as `value`; null where it is. */
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

/** Every option's value: the one given, which must be a right one, or its default. */
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
