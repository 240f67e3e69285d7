/**
 * @module
 * The options of a detector as a caller names them, as text: a whole or decimal number, for some options
 * also a word, or one of a few words. A switch is `off` or `on`. An absent option follows from the bound
 * on latency and from the other options.
 */

import type { Timing } from '../timing.ts';

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
