/**
 * @module
 * The syntax of quantities, which is the same on the command line, in threat models and in requests. Counts:
 * 1000, 1e6, 2^20. Probabilities: 0.05, 5%, 1/18. Times: 100ms, 90s, 5m, 2h, 365d; a plain number is seconds. Other numbers
 * (factors, rates): 1.5, 1e6, 2^10. A schema of a quantity accepts the number itself or a text in this syntax,
 * and its output is the number.
 */

import { z } from 'zod';

export type QuantityKind = 'count' | 'probability' | 'time' | 'number';

const DECIMAL = String.raw`(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)`;
const EXPONENT = '(?:[eE][+-]?[0-9]{1,3})?';
const POWER = String.raw`[0-9]+\^[0-9]{1,4}`;

/** The texts of each kind. A value out of the bounds of a member can match too. */
const PATTERNS: Readonly<Record<QuantityKind, RegExp>> = {
  count: new RegExp(String.raw`^(?:[0-9]+|[0-9]+(?:\.[0-9]+)?[eE]\+?[0-9]{1,3}|${POWER})$`),
  probability: new RegExp(`^(?:${DECIMAL}${EXPONENT}%?|[0-9]{1,9}/[1-9][0-9]{0,8})$`),
  time: new RegExp(`^${DECIMAL}${EXPONENT}(?:ms|s|m|h|d)?$`),
  number: new RegExp(String.raw`^(?:${DECIMAL}${EXPONENT}|${DECIMAL}\^-?[0-9]{1,4})$`),
};

/** Examples of each kind, for refusals and help texts. */
export const QUANTITY_EXAMPLES: Readonly<Record<QuantityKind, string>> = {
  count: '1000, 1e6 or 2^20',
  probability: '0.05 or 5%',
  time: '100ms, 90s, 5m or 2h',
  number: '1.5, 1e6 or 2^10',
};

/**
 * Reads a quantity: a count, a probability as a fraction of 1, a time in seconds, or a number. NaN for other texts, and for
 * numbers above 0 that are so small that a double would be 0.
 */
export function parseQuantity(kind: QuantityKind, text: string): number {
  if (!PATTERNS[kind].test(text)) return Number.NaN;
  const value = valueFrom(text);
  if (becomesZero(text, value)) return Number.NaN;
  return kind === 'count' && !Number.isSafeInteger(value) ? Number.NaN : value;
}

/** Whether the text of a number has a digit other than 0, but its value as a double is 0. */
export function becomesZero(text: string, value: number): boolean {
  return value === 0 && /^[-+]?[0.]*[1-9]/.test(text);
}

function valueFrom(text: string): number {
  const [, base, power] = /^([0-9.]+)\^(-?[0-9]+)$/.exec(text) ?? [];
  if (base !== undefined) return Number(base) ** Number(power);
  const [dividend = '', divisor] = text.split('/');
  if (divisor !== undefined) return Number(dividend) / Number(divisor);
  const [, digits, exponent = '0', unit = ''] =
    /^([0-9.]+)(?:e([+-]?[0-9]+))?([a-z%]*)$/i.exec(text) ?? [];
  // The exponent divides without rounding twice: 0.7% is 0.7e-2.
  const shift = Number(exponent) + (SHIFTS.get(unit) ?? 0);
  return Number(`${digits}e${shift}`) * (UNIT_SECONDS.get(unit) ?? 1);
}

/** Powers of ten of the units that are smaller than 1. */
const SHIFTS: ReadonlyMap<string, number> = new Map([
  ['%', -2],
  ['ms', -3],
]);
const UNIT_SECONDS: ReadonlyMap<string, number> = new Map([
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** The kind of quantity whose text a JSON Schema describes. Null for every other schema. */
export function quantityKindOf({ pattern }: { readonly pattern?: string }): QuantityKind | null {
  return KINDS.find((kind) => PATTERNS[kind].source === pattern) ?? null;
}

/** The keys of an object are strings to the compiler: hence the `as`. */
const KINDS = Object.keys(PATTERNS) as readonly QuantityKind[];

/** Bounds of a quantity. `step` is the number of which it must be a multiple. */
export interface QuantityBounds {
  readonly min?: number;
  readonly max?: number;
  /** Below every accepted number. */
  readonly above?: number;
  /** Above every accepted number. */
  readonly below?: number;
  readonly step?: number;
}

/** The schema of a quantity: a number within the bounds, or its text. Every other value is refused with `error`. */
export function quantity(kind: QuantityKind, bounds: QuantityBounds, error: string) {
  const numbers = numbersWithin(kind, bounds, error);
  const texts = z
    .string({ error })
    .regex(PATTERNS[kind], { error, abort: true })
    .refine((text) => numbers.safeParse(parseQuantity(kind, text)).success, { error, abort: true });
  return z
    .union([numbers, texts], { error })
    .transform((value) => (typeof value === 'number' ? value : parseQuantity(kind, value)));
}

function numbersWithin(
  kind: QuantityKind,
  { min, max = mostOf(kind), above, below, step }: QuantityBounds,
  error: string,
): z.ZodNumber {
  let numbers: z.ZodNumber = kind === 'count' ? z.int({ error, abort: true }) : z.number({ error });
  if (min !== undefined) numbers = numbers.min(min, { error });
  if (max !== undefined) numbers = numbers.max(max, { error });
  if (above !== undefined) numbers = numbers.gt(above, { error });
  if (below !== undefined) numbers = numbers.lt(below, { error });
  return step === undefined ? numbers : numbers.multipleOf(step, { error });
}

/** Doubles cannot count further. */
function mostOf(kind: QuantityKind): number | undefined {
  return kind === 'count' ? Number.MAX_SAFE_INTEGER : undefined;
}

/** Examples of counts within the bounds, for a refusal: ` such as 100, 1e3 or 2^10`. Empty for narrow bounds. */
export function countExamples(min: number, max: number): string {
  const [, examples = ''] = COUNT_EXAMPLES.find(([most]) => max >= most && min <= 8) ?? [];
  return examples;
}

const COUNT_EXAMPLES: readonly (readonly [number, string])[] = [
  [2 ** 20, ` such as ${QUANTITY_EXAMPLES.count}`],
  [2 ** 10, ' such as 100, 1e3 or 2^10'],
  [8, ' such as 8 or 2^3'],
];
