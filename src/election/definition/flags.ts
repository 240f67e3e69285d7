/**
 * @module
 * The variants of a protocol as a caller names them, as text. A flag has one of a few values, where
 * published descriptions differ. A number flag has a whole number, where a description leaves a time or a
 * bound open. An absent flag has its default.
 */

import { LabError } from '../../errors.ts';
import type { Timing } from '../timing.ts';

/** A value for some of a protocol's flags, by name. */
export type Flags = Readonly<Record<string, string>>;

/** Each flag and the values it takes, the default first. */
export type FlagValues = Readonly<Record<string, readonly string[]>>;

export interface NumberFlag {
  readonly min: number;
  readonly max: number;
  /** In words, with its unit. */
  readonly meaning: string;
  /** May depend on the other numbers, without a cycle. */
  readonly byDefault: (timing: Timing, numberOf: NumberOf) => number;
  /** Value in runs of the fault matrix, whose faults last 200 ticks. Null for the usual one. */
  readonly shortTicks: number | null;
}

/** The facts of a number of ticks. */
export const TICKS = { min: 1, max: 1_000_000_000, shortTicks: null } as const;

/** The value of a number, given or by default. Throws RangeError for one that is not listed. */
export type NumberOf = (name: string) => number;

export type NumberFlags = Readonly<Record<string, NumberFlag>>;

export interface FlagFault {
  readonly flag: string;
  readonly detail: string;
}

/** Reads `name=value` items, separated by commas, each name once. Throws LabError `arguments`. */
export function parseFlags(text: string): Flags {
  const flags = new Map<string, string>();
  for (const item of text.split(',')) {
    const [, name, value] = /^([^=]+)=([^=]+)$/.exec(item) ?? [];
    if (name === undefined || value === undefined || flags.has(name)) {
      throw new LabError('arguments', 'must be a list such as rejoin=naive, each name once');
    }
    flags.set(name, value);
  }
  return Object.fromEntries(flags);
}

/** The flags as `parseFlags` reads them, in the order of their names. */
export function flagsText(flags: Flags): string {
  const items = Object.entries(flags).map(([name, value]) => `${name}=${value}`);
  return items.toSorted().join();
}

/** The first invalid flag and its problem. Null if all are valid. */
export function faultOfFlags(
  listed: { readonly name: string; readonly flags: FlagValues; readonly numbers: NumberFlags },
  flags: Flags,
): FlagFault | null {
  for (const [flag, value] of Object.entries(flags)) {
    const detail = faultOfFlag(listed, flag, value);
    if (detail !== null) return { flag, detail };
  }
  return null;
}

function faultOfFlag(
  listed: Parameters<typeof faultOfFlags>[0],
  flag: string,
  value: string,
): string | null {
  if (Object.hasOwn(listed.flags, flag)) {
    const values = listed.flags[flag] ?? [];
    return values.includes(value)
      ? null
      : `must be ${values.join(' or ')}, not ${JSON.stringify(value)}`;
  }
  const number = Object.hasOwn(listed.numbers, flag) ? listed.numbers[flag] : undefined;
  if (number !== undefined) {
    // One spelling for each number, as for seeds, so that equal runs have equal texts.
    const isFit = /^(0|[1-9]\d{0,14})$/.test(value) && within(number, Number(value));
    const form = /^0\d/.test(value) ? ' without leading zeros' : '';
    return isFit
      ? null
      : `must be a whole number in ${number.min}..${number.max}${form}, not ${JSON.stringify(value)}`;
  }
  const names = [...Object.keys(listed.flags), ...Object.keys(listed.numbers)];
  const known = names.length === 0 ? 'which has none' : `which has ${names.join(', ')}`;
  return `is no flag of ${listed.name}, ${known}`;
}

function within({ min, max }: NumberFlag, value: number): boolean {
  return value >= min && value <= max;
}

/** The value of a flag. Throws RangeError for one that is not listed. */
export function chosenFlag<Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
  flags: Flags,
): Value {
  const given = flags[name];
  if (given === undefined) return values[0];
  const value = values.find((listed) => listed === given);
  if (value === undefined) throw new RangeError(`"${name}" expected ${values}, got ${given}`);
  return value;
}

/** All numbers. Absent ones follow from the bound on latency and the others. */
export function readNumbers(numbers: NumberFlags, timing: Timing, flags: Flags): NumberOf {
  const numberOf: NumberOf = (name) => {
    const number = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
    if (number === undefined) throw new RangeError(`"name" expected a number flag, got ${name}`);
    const given = flags[name];
    const value = given === undefined ? number.byDefault(timing, numberOf) : Number(given);
    if (Number.isSafeInteger(value) && within(number, value)) return value;
    throw new RangeError(`"${name}" expected ${number.min}..${number.max}, got ${value}`);
  };
  return numberOf;
}

/** The value of every number flag, by name. Throws RangeError for one out of bounds. */
export function numbersOf<Names extends NumberFlags>(
  numbers: Names,
  timing: Timing,
  flags: Flags,
): { readonly [Name in keyof Names]: number } {
  const numberOf = readNumbers(numbers, timing, flags);
  const values = Object.keys(numbers).map((name) => [name, numberOf(name)]);
  // The names are those of `numbers`, which fromEntries forgets.
  return Object.fromEntries(values) as { readonly [Name in keyof Names]: number };
}

/** Why a given number is invalid, if the first of two numbers is not below the other. */
export function faultUnlessBelow(
  [low, high]: readonly [low: string, high: string],
  numberOf: NumberOf,
  flags: Flags,
): FlagFault | null {
  const [lower, higher] = [numberOf(low), numberOf(high)];
  if (lower < higher) return null;
  return flags[low] === undefined
    ? { flag: high, detail: `must be more than ${low}, which is ${lower}, not ${higher}` }
    : { flag: low, detail: `must be less than ${high}, which is ${higher}, not ${lower}` };
}
