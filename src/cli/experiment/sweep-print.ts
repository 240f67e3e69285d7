/**
 * @module
 * Prints the cells of a sweep on stdout, and its progress. CSV and JSON lines are printed as soon as a cell
 * is finished. The table for people has fewer columns and is printed at the end.
 */

import { visible } from '../../experiment/charts/lettering.ts';
import { axisName, cellColumns } from '../../experiment/sweep/columns.ts';
import type { SweepProgress } from '../../runtime/sweep/driver.ts';
import type { SweepJob } from '../../runtime/sweep/job.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import type { CellResult, FinishedCell } from '../../runtime/sweep/tables.ts';
import { columns, formatPercent, formatSeconds } from '../shell/layout.ts';

export const PRINT_FORMATS = ['table', 'csv', 'jsonl', 'json'] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

export interface CellPrinter {
  add(finished: FinishedCell): void;
  /** Call after the last cell. */
  end(): void;
}

export function cellPrinter(
  format: PrintFormat,
  job: SweepJob,
  print: (text: string) => void,
): CellPrinter {
  const { axes } = job.outline;
  switch (format) {
    case 'table': {
      const head = [...axes.map((axis) => axisName(axis.path)), ...TABLE_HEAD];
      const rows: string[][] = [];
      return {
        add: (finished) => rows.push(...tableRows(finished).map((row) => row.map(visible))),
        end: () => print(columns([head, ...rows])),
      };
    }
    case 'csv':
    case 'jsonl': {
      const form = textForm(format, cellColumns(axes));
      print(form.head);
      const add = ({ results }: FinishedCell) => {
        for (const { row } of results) print(form.line(row));
      };
      return { add, end: () => undefined };
    }
    case 'json': {
      const form = textForm('jsonl', cellColumns(axes));
      const { seed, seedRule, codeVersion } = job.spec;
      const { runs } = job.outline;
      const head = { threatModel: job.id, seed, seedRule, codeVersion, runs };
      print(`${JSON.stringify(head).slice(0, -1)},"cells":[\n`);
      let separator = '';
      return {
        add({ results }) {
          for (const { row } of results) {
            print(`${separator}${form.line(row).trimEnd()}`);
            separator = ',\n';
          }
        },
        end: () => print('\n]}\n'),
      };
    }
    default:
      return format satisfies never;
  }
}

const TABLE_HEAD = ['protocol', 'n', 'k', 'p', 'interval', 'theory', 'verdict', 'failed'];

function tableRows({ cell, results }: FinishedCell): string[][] {
  return results.map((result) => tableRow(cell, result));
}

function tableRow(cell: FinishedCell['cell'], { sum, row }: CellResult): string[] {
  const values = cell.values.map(String);
  if (cell.refusal !== null) {
    return [...values, '', '0', '0', '', '', '', `refused: ${cell.refusal.replaceAll('\n', ' ')}`];
  }
  // After the cell's number and the axes: protocol, n, k, p, interval, theory, verdict.
  const [protocol] = row.slice(cell.values.length + 1);
  const [p, low, high, theory, verdict] = row.slice(cell.values.length + 4);
  const interval = low === null ? '' : `${percent(low)} to ${percent(high)}`;
  return [
    ...values,
    String(protocol ?? ''),
    ...[String(sum.n), String(sum.k), percent(p), interval, percent(theory)],
    ...[String(verdict), String(sum.failures)],
  ];
}

function percent(value: CellResult['row'][number] | undefined): string {
  return typeof value === 'number' ? formatPercent(value) : '';
}

/** One line with the rows done, the rate and the remaining time. */
export function progressText(id: string, progress: SweepProgress): string {
  switch (progress.phase) {
    case 'computing': {
      const { cells, cellsDone, rows, rowsDone, reused, failed } = progress;
      const left =
        progress.secondsLeft === null ? '' : `, ${formatSeconds(progress.secondsLeft)} left`;
      return (
        `${id}: ${cellsDone} of ${cells} cells, ${rowsDone} of ${rows} rows ` +
        `(${reused} reused, ${failed} failed), ` +
        `${progress.rowsPerSecond.toPrecision(3)} rows/s${left}, ${progress.engine}`
      );
    }
    case 'planning':
      return `${id}: ${progress.cells} of ${progress.cellsTotal} cells planned`;
    case 'writing':
      return `${id}: ${progress.rows} of ${progress.rowsTotal} rows written`;
    default:
      return progress satisfies never;
  }
}
