/**
 * @module
 * Prints the cells of a sweep on stdout, and its progress. CSV and JSON lines are printed as soon as a cell
 * is finished. The table for people has fewer columns and is printed at the end.
 */

import { pictureCell } from '../../experiment/charts/cells.ts';
import type { PictureCell } from '../../experiment/charts/data.ts';
import { visible } from '../../experiment/charts/lettering.ts';
import {
  refusalsOf,
  refusalText,
  resultTable,
  seedNote,
} from '../../experiment/charts/result-table.ts';
import type { Column } from '../../experiment/sweep/columns.ts';
import { cellColumns } from '../../experiment/sweep/columns.ts';
import { formatSeconds } from '../../operations/figures.ts';
import type { SweepProgress } from '../../runtime/sweep/driver.ts';
import type { SweepJob } from '../../runtime/sweep/job.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import type { FinishedCell } from '../../runtime/sweep/tables.ts';
import { fittingTable, WIDTH_MAX } from '../shell/fitting-table.ts';
import { columns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';

export const PRINT_FORMATS = ['table', 'csv', 'jsonl', 'json'] as const;
export type PrintFormat = (typeof PRINT_FORMATS)[number];

export interface CellPrinter {
  add(finished: FinishedCell): void;
  /** Call after the last cell. */
  end(): void;
}

/** The limits of the table for people. */
export interface TableLimits {
  readonly cellsMax: number;
  /** Where all cells and columns are: a file or an option. */
  readonly whole: string;
}

const NO_LIMITS: TableLimits = { cellsMax: Number.POSITIVE_INFINITY, whole: '--format csv' };

export function cellPrinter(
  format: PrintFormat,
  job: SweepJob,
  terminal: Pick<Terminal, 'print' | 'note'>,
  limits: TableLimits = NO_LIMITS,
): CellPrinter {
  const print = (text: string) => terminal.print(text);
  const { axes } = job.outline;
  switch (format) {
    case 'table':
      return new ResultPrinter(job, terminal, limits);
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

/** Prints the cells for people: a table that fits, notes, and the refusals. */
class ResultPrinter implements CellPrinter {
  readonly #job: SweepJob;
  readonly #terminal: Pick<Terminal, 'print' | 'note'>;
  readonly #limits: TableLimits;
  readonly #columns: readonly Column[];
  readonly #cells: PictureCell[] = [];
  #all = 0;

  constructor(job: SweepJob, terminal: Pick<Terminal, 'print' | 'note'>, limits: TableLimits) {
    this.#job = job;
    this.#terminal = terminal;
    this.#limits = limits;
    this.#columns = cellColumns(job.outline.axes);
  }

  add({ cell, results }: FinishedCell): void {
    this.#all += 1;
    if (this.#all > this.#limits.cellsMax) return;
    for (const { row } of results) {
      this.#cells.push(pictureCell(cell, { columns: this.#columns, row }));
    }
  }

  end(): void {
    const { axes } = this.#job.outline;
    const cells = this.#cells;
    const { table, notes } = fittingTable(axes, resultTable(axes, cells));
    const shown = `${this.#limits.cellsMax} of ${this.#all} cells`;
    const seeds = seedNote(this.#job.spec.seedRule, cells);
    const all = [
      ...(this.#all > this.#limits.cellsMax
        ? [`${shown} are printed; ${this.#limits.whole} has all`]
        : []),
      ...notes.map((note) => `${note}; ${this.#limits.whole} has all`),
      ...(seeds === null ? [] : [`seeds ${seeds} --seeds independent draws each cell alone.`]),
    ];
    const refusals = refusalsOf(axes, cells).flatMap((refusal) =>
      lines(refusalText(refusal), '  '),
    );
    const list = refusals.length === 0 ? [] : ['\nrefused by the document:\n', ...refusals];
    this.#terminal.print([columns(table), ...list].join(''));
    for (const note of all) this.#terminal.note(note);
  }
}

/** A text in lines that are no wider than the table. Each begins with the indent. */
function lines(text: string, indent: string): string[] {
  const found: string[] = [];
  let line = indent;
  for (const word of visible(text).split(' ')) {
    if (line !== indent && line.length + word.length >= WIDTH_MAX) {
      found.push(line);
      line = indent;
    }
    line += line === indent ? word : ` ${word}`;
  }
  return [...found, line].map((each) => `${each}\n`);
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
