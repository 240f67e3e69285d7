/**
 * @module
 * The text forms of arguments: numbers with bounds, durations with units, seeds, lists of ranks. Each
 * reader returns the value or throws commander's InvalidArgumentError, whose message names the accepted
 * form. Commander adds the name of the flag.
 */

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { bytesToHex } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';

/** A reader of integers in min..max, decimal digits only. */
export function integer(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`expected a whole number in ${min}..${max}`);
  };
}

/** A duration in seconds: `500ms`, `5s`, `2min`, `1h`; a bare number is seconds. */
export function duration(text: string): number {
  const [, number = '', unit = 's'] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|min|h)?$/.exec(text) ?? [];
  const seconds = Number(number) * (UNIT_SECONDS.get(unit) ?? Number.NaN);
  if (seconds > 0 && seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError('expected a time above 0 such as 500ms, 5s, 2min or 1h');
}

/** `0.01`, `.01`, `1e-9` or `1%`. */
const PROBABILITY = /^(0?\.[0-9]+|[0-9]+(\.[0-9]+)?(e-?[0-9]+|%))$/i;

/** A reader of probabilities strictly between 0 and 1. */
export function probability(example: string): (text: string) => number {
  return (text) => {
    const number = PROBABILITY.test(text) ? Number(text.replace('%', '')) : Number.NaN;
    const value = text.endsWith('%') ? number / 100 : number;
    if (value > 0 && value < 1) return value;
    const detail = `expected a probability above 0 and below 1, such as ${example} or 5%`;
    throw new InvalidArgumentError(detail);
  };
}

export const confidence = probability('0.95');

/** A reader of one value of a closed list. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  return (text) => {
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`expected one of ${words.join(', ')}`);
  };
}

/** A reader of comma-separated values of a closed list. */
export function someOf<T extends string>(words: readonly T[]): (text: string) => T[] {
  const read = oneOf(words);
  return (text) => text.split(',').map(read);
}

/** A comma-separated list of different ranks, each at least 1. */
export function ranks(text: string): number[] {
  const list = /^[0-9]+(,[0-9]+)*$/.test(text) ? text.split(',').map(Number) : [0];
  if (list.every((rank) => rank >= 1 && Number.isSafeInteger(rank))) {
    if (new Set(list).size === list.length) return list;
    throw new InvalidArgumentError('expected different ranks, but one appears twice');
  }
  throw new InvalidArgumentError('expected ranks such as 3,1,2');
}

/** A seed: a decimal string of a non-negative integer. */
export function seed(text: string): Seed {
  try {
    return parseSeed(text);
  } catch (error) {
    if (error instanceof LabError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}

/** Default number of worker threads. */
export const THREADS_DEFAULT = availableParallelism();

/** A 32-bit seed from the operating system, for experiments. It is printed, so that any user can replay. */
export function chosenSeed(): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(randomBytes(4))}`).toString());
}

/** 256 bits from the operating system for commands that make keys: the seed is the key. */
export function secretSeed(): Seed {
  return parseSeed(BigInt(`0x${bytesToHex(randomBytes(32))}`).toString());
}

const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['ms', 1e-3],
  ['s', 1],
  ['min', 60],
  ['h', 3600],
]);
const DURATION_SECONDS_MAX = 1e9;
