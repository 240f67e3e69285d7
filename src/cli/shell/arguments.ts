/**
 * @module
 * The text forms of arguments: quantities with bounds (src/quantities.ts has their syntax), seeds, lists of
 * ranks. Each reader returns the value or throws commander's InvalidArgumentError, whose message names the
 * accepted form. Commander adds the name of the flag.
 */

import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { InvalidArgumentError } from 'commander';
import { bytesToHex, hexToBytes } from '../../bytes.ts';
import { LabError } from '../../errors.ts';
import { suggestion } from '../../experiment/reading/nearest.ts';
import { NONCE_BYTES } from '../../identity/claim.ts';
import { flagOf } from '../../operations/command-words.ts';
import type { Member } from '../../operations/member.ts';
import type { QuantityKind } from '../../quantities.ts';
import { countExamples, parseQuantity, QUANTITY_EXAMPLES } from '../../quantities.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';

const DURATION_SECONDS_MAX = 1e9;

/** A reader of counts in min..max. */
export function integer(min: number, max: number): (text: string) => number {
  return reader(
    'count',
    (value) => value >= min && value <= max,
    `a whole number in ${min}..${max}${countExamples(min, max)}`,
  );
}

/** A reader of times above 0, in seconds. */
export const duration = reader(
  'time',
  (seconds) => seconds > 0 && seconds <= DURATION_SECONDS_MAX,
  `a time above 0 such as ${QUANTITY_EXAMPLES.time}`,
);

/** A reader of times in seconds, also 0. */
export const durationOrZero = reader(
  'time',
  (seconds) => seconds <= DURATION_SECONDS_MAX,
  `0 or a time such as ${QUANTITY_EXAMPLES.time}`,
);

/** Bytes: 2GB, 512MB, or a number of MB. Node itself takes about 100 MB. */
export function memorySize(text: string): number {
  const [, count = '', unit = 'MB'] = /^([0-9]{1,6})(MB|GB)?$/.exec(text) ?? [];
  const bytes = Number(count) * (unit === 'GB' ? 2 ** 30 : 2 ** 20);
  if (count === '' || bytes < MEMORY_MIN) {
    throw new InvalidArgumentError('must be MB or GB from 256MB to 999999GB, such as 512MB or 2GB');
  }
  return bytes;
}

const MEMORY_MIN = 256 * 2 ** 20;

/** A reader of shares from 0 to 1. */
export const share = reader(
  'probability',
  (value) => value <= 1,
  'a share from 0 to 1 such as 0.25 or 25%',
);

function reader(
  kind: QuantityKind,
  isAccepted: (value: number) => boolean,
  what: string,
): (text: string) => number {
  return (text) => {
    const value = parseQuantity(kind, text);
    // NaN is in no range.
    if (value >= 0 && isAccepted(value)) return value;
    throw new InvalidArgumentError(`expected ${what}`);
  };
}

/** A reader of one value of a closed list. */
export function oneOf<T extends string>(words: readonly T[]): (text: string) => T {
  const read = (text: string) => {
    const word = words.find((each) => each === text);
    if (word !== undefined) return word;
    throw new InvalidArgumentError(`expected one of ${words.join(', ')}${suggestion(words, text)}`);
  };
  LISTS.set(read, words);
  return read;
}

/** The values of each reader of `oneOf` and `someOf`. */
const LISTS = new WeakMap<object, readonly string[]>();

/** The values that a reader of a closed list, or of a part of one, accepts. Undefined for other readers. */
export function listRead(reader: object | undefined): readonly string[] | undefined {
  return reader === undefined ? undefined : LISTS.get(reader);
}

/** A reader of comma-separated values of a closed list. */
export function someOf<T extends string>(words: readonly T[]): (text: string) => T[] {
  const readOne = oneOf(words);
  const read = (text: string) => text.split(',').map(readOne);
  LISTS.set(read, words);
  return read;
}

/** Turns the LabError of a parser into the error that commander expects. */
export function refusing<T>(parse: (text: string) => T): (text: string) => T {
  return (text) => {
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      throw new InvalidArgumentError(error.message.replace(/^must be/, 'expected'));
    }
  };
}

/** A seed: a decimal string of a non-negative integer. */
export const seed: (text: string) => Seed = refusing(parseSeed);

/** Does work. A refusal of a member names its flag. */
export function inFlags<T>(
  members: Readonly<Record<string, Pick<Member, 'isArgument'>>>,
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    const [fault] = error instanceof LabError ? error.faults : [];
    const [, name = ''] = fault?.pointer.split('/') ?? [];
    const member = members[name];
    if (!(error instanceof LabError) || fault === undefined || member === undefined) throw error;
    const flag = member.isArgument ? name : flagOf(name);
    throw new LabError(error.code, `${flag}: ${fault.detail}`, error.faults);
  }
}

/** A nonce that claims sign. */
export function nonceOf(text: string): Uint8Array {
  if (text.length === 2 * NONCE_BYTES && /^[0-9a-f]*$/.test(text)) return hexToBytes(text);
  throw new InvalidArgumentError(`expected ${NONCE_BYTES} bytes in lower-case hex`);
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
