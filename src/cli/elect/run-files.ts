/**
 * @module
 * The files of many elections: `--out` takes a row per run, `--chart` a picture of the measure.
 */

import { LabError } from '../../errors.ts';
import type { ElectionPicture } from '../../experiment/elections/chart.ts';
import { askedLabel, electionPicture } from '../../experiment/elections/chart.ts';
import type { Asked, ElectionCell } from '../../experiment/elections/tables.ts';
import {
  distributionOf,
  isProperty,
  runTable,
  valuesOf,
} from '../../experiment/elections/tables.ts';
import type { Axis } from '../../experiment/sweep/grid.ts';
import { formatPercent } from '../../operations/figures.ts';
import { parseSeed } from '../../random.ts';
import { TABLE_FORMATS } from '../../runtime/sweep/files.ts';
import { openTable } from '../../runtime/sweep/table-writers.ts';
import { replayWords } from '../../simulation/request/replay-words.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ElectRequest } from './options.ts';

interface FileOptions {
  readonly out?: string;
  readonly chart?: string;
  readonly force?: true | undefined;
}

/** The title and the settings of a picture: those of the request, without the flags of `axes`. */
export function captionOf(
  request: ElectRequest,
  axes: readonly Axis[],
  runs: string,
): Pick<ElectionPicture, 'title' | 'sentence'> {
  const words = replayWords(request, request.options.seed ?? ANY_SEED);
  const pairs = words.flatMap((word, index) =>
    word.startsWith('--') ? [[word.slice(2), words[index + 1] ?? ''] as const] : [],
  );
  const own = [['protocol', request.protocol] as const, ...pairs].filter(([name, value]) => {
    const path = name === 'flag' ? `flag.${value.split('=', 1)[0]}` : name;
    return name !== 'seed' && axes.every((axis) => axis.path !== path);
  });
  const [titles, others] = [true, false].map((isTitle) =>
    own
      .filter(([name]) => ['protocol', 'nodes'].includes(name) === isTitle)
      .map(([name, value]) => {
        if (name === 'nodes') return `${value} nodes`;
        return name === 'protocol' ? value : `${name} ${value}`;
      })
      .join(', '),
  );
  return { title: `elections: ${titles || 'see the axes'}`, sentence: `${others}; ${runs}` };
}

const ANY_SEED = parseSeed('0');

/** Checks the targets before the elections. Throws LabError. */
export async function refuseFiles({ out, chart, force }: FileOptions): Promise<void> {
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
  { out, chart, force }: FileOptions,
  terminal: Terminal,
): Promise<void> {
  const format = out === undefined ? undefined : formatOf(out);
  if (out !== undefined && format !== undefined) {
    const table = runTable(picture.axes, picture.cells);
    const writer = openTable(out, format, table.columns);
    for (const row of table.rows()) writer.write(row);
    writer.finish();
    writer.publish();
    terminal.note(`runs written to ${out}`);
  }
  if (chart === undefined) return;
  const svg = electionPicture(picture);
  if (svg === null) terminal.note(`no chart: no run has the measure ${picture.asked}`);
  else {
    await writeWhole(chart, svg, { force: force === true, isPrivate: false });
    terminal.note(`chart written to ${chart}`);
  }
}

/** The measure of the options, or the first of downtime, time to agreement and messages that the runs have. */
export function askedOf(given: Asked | undefined, cells: readonly ElectionCell[]): Asked {
  const usual = ['downtimeTicks', 'agreementTicks'] as const;
  const has = (name: (typeof usual)[number]) =>
    cells.some(({ runs }) => valuesOf(runs, name).length > 0);
  return given ?? usual.find(has) ?? 'messages';
}

const BARS = 10;
const BAR_WIDTH = 40;

/** The distribution function of a measure as text; no text for a property, or without values. */
export function distributionText(asked: Asked, { runs }: ElectionCell): string[] {
  if (isProperty(asked)) return [];
  const steps = distributionOf(valuesOf(runs, asked), Number.POSITIVE_INFINITY);
  const [low, high] = [steps[0]?.value, steps.at(-1)?.value];
  if (low === undefined || high === undefined) return [];
  const bars = low === high ? 0 : BARS;
  const rows = Array.from({ length: bars + 1 }, (_, index) => {
    const value = Math.round(bars === 0 ? high : low + ((high - low) * index) / bars);
    const share = steps.findLast((step) => step.value <= value)?.share ?? 0;
    return [`at most ${value}`, formatPercent(share), '#'.repeat(Math.round(BAR_WIDTH * share))];
  });
  return [columns([[askedLabel(asked), 'runs', ''], ...rows])];
}
