/**
 * @module
 * Numbers as the lab shows them. Groups of three digits are apart by a narrow space that does not break a line.
 */

const GROUPED = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const ONE_DECIMAL = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });
const NARROW_SPACE = '\u202f';

/** An integer, such as 8 192. */
export function count(value: number): string {
  return spaced(GROUPED.format(value));
}

/** A number with at most one decimal, such as 8 192.5. */
export function decimal(value: number): string {
  return spaced(ONE_DECIMAL.format(value));
}

/** An expected number with two digits, such as 0.52, 8.0 or 13 000. */
export function about(value: number): string {
  if (value >= 100) return count(Number(value.toPrecision(2)));
  if (value === 0) return '0';
  if (value < 0.001) return value.toExponential(1);
  return value >= 10 ? value.toFixed(0) : value.toPrecision(2);
}

/** A probability as a percentage; never 0 % or 100 % if it is not. */
export function percent(probability: number): string {
  const value = 100 * probability;
  if (value > 0 && value < 0.1) return 'less than 0.1 %';
  if (value < 100 && value > 99.9) return 'more than 99.9 %';
  return `${value < 1 || value > 99 ? value.toFixed(1) : value.toFixed(0)} %`;
}

/** For example "1 valid ID" or "3 valid IDs". */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** Seconds with the digits that can be told apart. */
export function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(value < 1 ? 2 : 1)} s` : `${value.toFixed(0)} s`;
}

const UNITS_OF_TIME: readonly (readonly [name: string, seconds: number])[] = [
  ['years', 365.25 * 86_400],
  ['days', 86_400],
  ['hours', 3_600],
  ['minutes', 60],
  ['s', 1],
];

/** A time in the largest unit of which it has two, such as 3.6 hours. */
export function duration(value: number): string {
  if (value < 1) return `${about(value * 1_000)} ms`;
  const [name, size] = UNITS_OF_TIME.find(([, each]) => value >= 2 * each) ?? ['s', 1];
  const units = value / size;
  return `${units < 100 ? decimal(units) : count(units)} ${name}`;
}

const DAY_AND_TIME = { dateStyle: 'medium', timeStyle: 'medium' } as const;

/** A time of the server's clock, such as 26 Nov 2026, 11:10:28, in a time zone: by default that of the reader. */
export function dayAndTime(iso: string, timeZone?: string): string {
  return new Intl.DateTimeFormat('en-GB', { ...DAY_AND_TIME, timeZone }).format(new Date(iso));
}

/** A text whose numbers, such as 1 296, are not broken over two lines. */
export function unbroken(text: string): string {
  return text.replace(/(?<=\b\d{1,3}) (?=\d{3}\b)/g, NARROW_SPACE);
}

function spaced(text: string): string {
  return text.replaceAll(',', NARROW_SPACE);
}
