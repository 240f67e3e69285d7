/**
 * @module
 * Durations, counts and probabilities as text for people. They do not depend on a locale.
 */

/** A time in the largest fitting unit, with three significant digits. */
export function formatSeconds(seconds: number): string {
  if (!Number.isFinite(seconds)) return 'never';
  for (const [unit, size] of UNITS) {
    if (seconds >= size) return `${formatDigits(seconds / size)} ${unit}`;
  }
  return `${formatDigits(seconds * 1e3)} ms`;
}

/** A count, exact below a million, otherwise with three significant digits. */
export function formatCount(count: number): string {
  if (!Number.isFinite(count)) return 'never';
  return count < 1e6 ? String(Math.round(count)) : count.toExponential(2);
}

/** A count with its noun: "1 node", "2 nodes". */
export function counted(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A probability in percent, with one decimal. */
export function formatPercent(probability: number): string {
  return `${(100 * probability).toFixed(1)} %`;
}

function formatDigits(value: number): string {
  if (value >= 1e6) return value.toExponential(2);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

const UNITS: readonly (readonly [string, number])[] = [
  ['years', 365.25 * 86_400],
  ['days', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];
