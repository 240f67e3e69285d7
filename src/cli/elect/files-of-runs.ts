/**
 * @module
 * The files of many elections: `--out` takes a row per run, `--chart` a picture of the measure.
 */

import { LabError } from '../../errors.ts';
import type { ElectionPicture } from '../../experiment/elections/chart.ts';
import { runTable } from '../../experiment/elections/tables.ts';
import { TABLE_FORMATS } from '../../runtime/sweep/files.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

/** The files of the options. */
export interface RunFiles {
  readonly out?: string;
  readonly chart?: string;
  readonly force?: true | undefined;
}

/** Checks the targets before the elections. Throws LabError. */
export async function refuseFiles({ out, chart, force }: RunFiles): Promise<void> {
  if (out !== undefined && formatOf(out) === undefined) {
    throw new LabError('arguments', `--out: expected a file that ends in .csv, .jsonl or .parquet`);
  }
  if (chart !== undefined && !chart.endsWith('.svg')) {
    throw new LabError('arguments', `--chart: expected a file that ends in .svg`);
  }
  for (const path of [out, chart]) if (path !== undefined) await refuseTarget(path, force === true);
}

function formatOf(path: string) {
  return TABLE_FORMATS.find((format) => path.endsWith(`.${format}`));
}

/** Writes the files that the options name. */
export async function writeFiles(
  picture: ElectionPicture,
  { out, chart, force }: RunFiles,
  terminal: Terminal,
): Promise<void> {
  const format = out === undefined ? undefined : formatOf(out);
  if (out !== undefined && format !== undefined) {
    const { openTable } = await import('../../runtime/sweep/table-writers.ts');
    const table = runTable(picture.axes, picture.cells);
    const writer = openTable(out, format, table.columns);
    for (const row of table.rows()) writer.write(row);
    writer.finish();
    writer.publish();
    terminal.note(`runs written to ${out}`);
  }
  if (chart === undefined) return;
  const { electionPicture } = await import('../../experiment/elections/chart.ts');
  const svg = electionPicture(picture);
  if (svg === null) terminal.note(`no chart: no run has the measure ${picture.asked}`);
  else {
    await writeWhole(chart, svg, { force: force === true, isPrivate: false });
    terminal.note(`chart written to ${chart}`);
  }
}
