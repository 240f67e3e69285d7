/**
 * @module
 * Durations, counts and probabilities as text for people, and the table of cumulative work over epochs. They do not
 * depend on a locale.
 */

import type { SpendRates, WorkRow } from '../experiment/verdict/work-rows.ts';
import type { Block, Report } from './report.ts';

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

/** Epochs that the table shows. JSON and HTTP have all of them. */
const ROWS_MAX = 10;

/** What honest nodes and the adversary have spent up to each epoch, and the share of the runs with the property after it. */
export function workBlocks(rows: readonly WorkRow[]): Report {
  const shown = rows.filter((_, index) => index < ROWS_MAX - 1 || index === rows.length - 1);
  const isTimed = rows.some(({ sum }) =>
    [sum.honest, sum.adversary].some(({ cpuSeconds }) => cpuSeconds !== null),
  );
  const work = ['attempts', 'hashes', 'group ops', ...(isTimed ? ['CPU time'] : [])];
  const numbers = ['joins', ...work.map((unit) => `honest ${unit}`), ...work, 'ratio'];
  const table: Block = {
    type: 'table',
    title: 'Work so far, and how often the property holds after the epoch',
    columns: [
      { name: 'up to epoch', isNumber: true },
      ...numbers.map((name) => ({ name, isNumber: true })),
      { name: 'chance' },
    ],
    rows: shown.map((row) => [
      row.epoch === 0 ? 'before' : String(row.epoch),
      figure(row.joins.honest),
      ...(['honest', 'adversary'] as const).flatMap((side) => {
        const { attempts, hashes, groupOperations, cpuSeconds } = row.sum[side];
        const time = cpuSeconds === null ? '–' : formatSeconds(cpuSeconds);
        const [low = 0, high = low] = row.interval[side] ?? [];
        const reach = (high - low) / 2;
        return [
          reach === 0 ? figure(attempts) : `${figure(attempts)} ± ${figure(reach, 2)}`,
          figure(hashes),
          figure(groupOperations),
          ...(isTimed ? [time] : []),
        ];
      }),
      row.ratio === null ? '–' : figure(row.ratio, 3),
      row.chance === null
        ? '–'
        : `${formatPercent(row.chance)} (${row.chanceInterval?.map(formatPercent).join(' to ')})`,
    ]),
  };
  const note =
    'chance: the share of the runs in which the property holds after the epoch, although the adversary plans for the last one';
  return [table, { type: 'notes', notes: [note] }];
}

/** The spend rates as a sentence. */
export function spendText({ honest, adversary, joins, ergo }: SpendRates): string {
  const [a, t, j, bound] = [honest, adversary, joins, ergo].map((rate) => figure(rate));
  return `on average over the epochs, honest nodes make A = ${a} attempts, and the adversary with any stock T = ${t}; joins need J = ${j}, and √(TJ)+J = ${bound}`;
}

function figure(value: number, digits = 6): string {
  return String(Number(value.toPrecision(digits)));
}
