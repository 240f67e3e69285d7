/**
 * @module
 * Numbers of a race in words.
 */

const COUNTS = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 0 });

/** An integer with its thousands apart, such as 8,192. */
export function count(value: number): string {
  return COUNTS.format(value);
}

/** An expected number with two digits, such as 0.52, 8.0 or 13,000. */
export function about(value: number): string {
  if (value >= 100) return COUNTS.format(Number(value.toPrecision(2)));
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

/** A phrase with a capital letter at its beginning. */
export function sentence(phrase: string): string {
  return phrase.charAt(0).toUpperCase() + phrase.slice(1);
}

/** Seconds with the digits that can be told apart. */
export function seconds(value: number): string {
  return value < 10 ? `${value.toFixed(value < 1 ? 2 : 1)} s` : `${value.toFixed(0)} s`;
}
