/**
 * @module
 * A sweep as operations ask for it: its cells, and its tables in files if the user named one.
 */

import { LabError } from '../../errors.ts';
import { pictureCell } from '../../experiment/charts/cells.ts';
import type { PictureCell } from '../../experiment/charts/data.ts';
import { cellColumns } from '../../experiment/sweep/columns.ts';
import type { AskedSweep, Machine, OperationProgress } from '../../operations/machine.ts';
import { codeVersion } from '../files/code-version.ts';
import type { SweepProgress } from './driver.ts';
import type { SweepFiles } from './files.ts';
import { runSweep } from './run.ts';

/** What is kept of a sweep. Without files, only its cells. */
export interface Keeping {
  readonly files: SweepFiles | null;
  /** Whether pictures are drawn beside the tables. */
  readonly pictures?: boolean;
  /** Whether files of another sweep are replaced. */
  readonly force?: boolean;
  /** What starts usurp in printed commands, and the options that load the files of the user. */
  readonly program?: string;
  readonly loading?: readonly string[];
  /** The command with these files, from one without. */
  readonly commandOf?: (replay: string) => string;
  /** Receives a line for the user about what was kept. */
  readonly note?: (line: string) => void;
}

/** The cells of a sweep: all of a complete one, the finished ones of an interrupted one without files. */
export async function sweepCells(
  { name: id, model, outline, seed, replay, comparison }: AskedSweep,
  { threads, signal, onProgress }: Parameters<Machine['sweep']>[1],
  keeping: Keeping,
): Promise<readonly PictureCell[]> {
  const { files, pictures = false, force = false, program = 'usurp', loading = [] } = keeping;
  const note = (line: string) => keeping.note?.(line);
  const { axes, runs } = outline;
  if (outline.cells === 0) {
    if (files === null) return [];
    const detail =
      '--out: there are no runs to write, because every cell is a closed form; leave --out out to print them, with --format csv as a table';
    throw new LabError('arguments', detail);
  }
  const cells: PictureCell[] = [];
  const columns = cellColumns(axes);
  const spec = { seed, seedRule: 'paired', codeVersion: codeVersion() } as const;
  const command = keeping.commandOf?.(replay) ?? replay;
  const result = await runSweep(
    { program, loading, id, model, outline, spec, command, comparison },
    {
      files,
      pictures,
      force,
      retryFailed: false,
      threads,
      signal,
      onProgress: (progress) => onProgress(progressOf(progress)),
      onCell: ({ cell, results }) => {
        // An interrupted sweep also reports cells that lack some of their runs.
        const isWhole = results.every(({ sum: { n, failures } }) => n + failures === runs);
        if (cell.refusal === null && !isWhole) return;
        for (const { row } of results) cells.push(pictureCell(cell, { columns, row }));
      },
    },
  );
  if (files === null) return cells;
  if (!result.isComplete) {
    note(`interrupted: ${files.journal} keeps ${result.rows} rows; the same command continues`);
    return cells;
  }
  note(`written: ${files.runs}, ${files.cells}, ${files.manifest}`);
  if (result.pictures.length > 0) note(`drawn: ${result.pictures.join(', ')}`);
  return cells;
}

function progressOf(progress: SweepProgress): OperationProgress {
  switch (progress.phase) {
    case 'computing':
      return { now: 'runs', done: progress.rowsDone, total: progress.rows };
    case 'planning':
      return { now: 'cells planned', done: progress.cells, total: progress.cellsTotal };
    case 'writing':
      return { now: 'rows written', done: progress.rows, total: progress.rowsTotal };
    default:
      return progress satisfies never;
  }
}
