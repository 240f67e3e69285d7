/**
 * @module
 * The table of cumulative work over epochs, for people: in a terminal and on the page of a threat model.
 */

import type { SpendRates, WorkRow } from '../experiment/verdict/work-row.ts';
import { formatPercent, formatSeconds } from './figures.ts';
import type { Block } from './report.ts';

/** Epochs that the table shows. JSON and HTTP have all of them. */
const ROWS_MAX = 10;

/** What honest nodes and the adversary have spent up to each epoch, and the chance of the adversary so far. */
export function workTable(rows: readonly WorkRow[]): Extract<Block, { type: 'table' }> {
  const shown = rows.filter((_, index) => index < ROWS_MAX - 1 || index === rows.length - 1);
  const isTimed = rows.some(({ sum }) =>
    [sum.honest, sum.adversary].some(({ cpuSeconds }) => cpuSeconds !== null),
  );
  const work = ['attempts', 'hashes', 'group ops', ...(isTimed ? ['CPU time'] : [])];
  const numbers = ['joins', ...work.map((unit) => `honest ${unit}`), ...work, 'ratio'];
  return {
    type: 'table',
    title: 'Work so far, and the chance of the adversary if the epochs ended there',
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
}

/** The spend rates as a sentence. */
export function spendText({ honest, adversary, joins, ergo }: SpendRates): string {
  const [a, t, j, bound] = [honest, adversary, joins, ergo].map((rate) => figure(rate));
  return `in an epoch honest nodes make A = ${a} attempts, the adversary T = ${t}; joins need J = ${j}, and √(TJ)+J = ${bound}`;
}

function figure(value: number, digits = 6): string {
  return String(Number(value.toPrecision(digits)));
}
