/**
 * @module
 * `usurp elect --vary FLAG=VALUES`: the election of `--runs` at every point of a grid of flags. Each value is read as
 * the flag would be. Prints a row per cell; `--out` takes a row per run.
 */

import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import { detectorText } from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import { askedLabel } from '../../experiment/elections/chart.ts';
import type { Asked, ElectionCell } from '../../experiment/elections/tables.ts';
import { cellTable } from '../../experiment/elections/tables.ts';
import { readAxis } from '../../experiment/sweep/axes.ts';
import type { Column, TableRow, TableValue } from '../../experiment/sweep/columns.ts';
import type { Axis, AxisValue } from '../../experiment/sweep/grid.ts';
import { formatPercent } from '../../operations/figures.ts';
import type { Seed } from '../../random.ts';
import { textForm } from '../../runtime/sweep/table-writers.ts';
import { flagsFor } from '../../simulation/request/compare.ts';
import { readDetector } from '../../simulation/request/reading.ts';
import { replayWords } from '../../simulation/request/replay-words.ts';
import { SCHEDULED_FLAGS } from '../../simulation/request/request.ts';
import { refusing } from '../shell/arguments.ts';
import { commandLine } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { writeThenPrint } from '../shell/files.ts';
import { columns } from '../shell/layout.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ElectOptions, ElectRequest } from './options.ts';
import { flag, RUNS_LIMIT, readProtocol } from './options.ts';
import { electionOf, readRequest } from './plan.ts';
import { replayOf } from './replay-command.ts';
import { askedOf, captionOf, refuseFiles, writeFiles } from './run-files.ts';
import { electOften } from './runs.ts';

/** Runs of a cell by default. */
const CELL_RUNS = 100;
/** The flags that can be an axis, besides flag.NAME and detector.OPTION. */
const VARIED: readonly string[] = [
  ...['protocol', 'nodes', 'ring', 'ring-order', 'initiators', 'attr', 'resource', 'until'],
  ...['latency', 'link-factors', 'crash', ...SCHEDULED_FLAGS, 'random-faults', 'calm', 'detector'],
  ...['level', 'defences'],
];
/** The value of an axis that leaves its flag out. */
const NONE = 'none';

/** Reads `nodes=3,5,7`. Throws LabError. */
export function readVaried(text: string, before: readonly Axis[] = []): Axis[] {
  const [, path = '', values = ''] = /^([A-Za-z-]+(?:\.[A-Za-z]+)?)=(.+)$/s.exec(text) ?? [];
  const [name = '', member] = path.split('.');
  const isKnown = member === undefined ? VARIED.includes(name) : /^(flag|detector)$/.test(name);
  if (!isKnown) {
    const names = `${VARIED.join(', ')}, flag.NAME, detector.OPTION`;
    throw new LabError('arguments', `expected FLAG=VALUES such as nodes=3,5,7; FLAG is ${names}`);
  }
  if (before.some((axis) => axis.path === path)) {
    throw new LabError('arguments', `${path} is given twice`);
  }
  return [...before, readAxis(path, values)];
}

interface SweepOptions extends ElectOptions {
  readonly vary: readonly Axis[];
}

/** Runs all cells. After an interrupt it reports the finished ones. `command` has the flags of the verb. */
export async function electSweep(
  command: Command,
  options: SweepOptions,
  seed: Seed,
  terminal: Terminal,
): Promise<ExitCode> {
  const { vary: axes, runs = CELL_RUNS } = options;
  await refuseFiles(options);
  const grid = gridOf(axes, runs);
  const requests: ElectRequest[] = [];
  for (const values of grid) {
    const request = await requestOf(command, options, values, terminal);
    inNameOfCell(axes, values, () => electionOf(request, seed));
    requests.push(request);
  }
  const [first] = requests;
  if (first === undefined) throw new RangeError('"vary" expected values, got none');
  const words = axes.flatMap(({ path, values }) => ['--vary', `${path}=${values.join(',')}`]);
  const asking = options.measure === undefined ? [] : ['--measure', options.measure];
  const replay = commandLine([...replayWords(first, seed, runs), ...words, ...asking]);
  if (options.seed === undefined) terminal.note(`seed ${seed}, to repeat: ${replay}`);
  const cells: ElectionCell[] = [];
  for (const [index, request] of requests.entries()) {
    terminal.progress(() => `cell ${index + 1} of ${requests.length}`);
    const held = await electOften(request, { seed, runs }, terminal);
    if (terminal.signal.aborted) break;
    const replayRun = (each: Seed) => replayOf(request, each);
    const cell = { values: grid[index] ?? [], runs: held.runs, replayOf: replayRun };
    cells.push({ ...cell, replay: replayOf(request, seed, runs) });
  }
  const asked = askedOf(options.measure, cells);
  const results = { axes, cells, asked, replay, seed };
  const caption = captionOf(first, axes, `${runs} runs in each cell, seeds from ${seed} on`);
  const write = () => writeFiles({ ...results, ...caption }, options, terminal);
  await writeThenPrint(write, () => terminal.print(printed(results, options)));
  if (!terminal.signal.aborted) return EXIT.holds;
  terminal.note(`interrupted: ${cells.length} of ${requests.length} cells are reported`);
  return EXIT.interrupted;
}

/** Does `work` for a cell. A LabError names its values. */
function inNameOfCell(axes: readonly Axis[], values: readonly AxisValue[], work: () => void) {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    const cell = axes.map(({ path }, index) => `${path}=${values[index]}`).join(', ');
    throw new LabError(error.code, `the cell ${cell}: ${error.message}`, error.faults);
  }
}

/** The values of each cell, the last axis fastest. Throws LabError for too many runs. */
function gridOf(axes: readonly Axis[], runs: number): readonly (readonly AxisValue[])[] {
  const count = axes.reduce((product, { values }) => product * values.length, runs);
  if (count > RUNS_LIMIT) {
    const detail = `${count} runs in all cells; at most ${RUNS_LIMIT} are possible`;
    throw new LabError('job.size', detail);
  }
  return axes.reduce<readonly (readonly AxisValue[])[]>(
    (cells, { values }) => cells.flatMap((cell) => values.map((value) => [...cell, value])),
    [[]],
  );
}

/** The request of a cell. Throws LabError, which names the values. */
async function requestOf(
  command: Command,
  { vary, ...options }: SweepOptions,
  values: readonly AxisValue[],
  terminal: Terminal,
): Promise<ElectRequest> {
  let varied: ElectOptions = options;
  for (const [index, { path }] of vary.entries()) {
    varied = withValue(command, varied, path, String(values[index]));
  }
  const { protocol } = varied;
  // A protocol that varies takes the flags that it has.
  const isVaried = vary.some(({ path }) => path === 'protocol');
  const own = isVaried && protocol !== undefined ? flagsFor(varied, protocol) : {};
  return readRequest({ ...varied, ...own, runs: options.runs ?? CELL_RUNS }, terminal);
}

function withValue(
  command: Command,
  options: ElectOptions,
  path: string,
  text: string,
): ElectOptions {
  const [name, member] = path.split('.');
  const option = command.options.find(({ long }) => long === `--${name}`);
  try {
    if (path === 'protocol') return { ...options, protocol: readProtocol(text) };
    if (option === undefined) throw new RangeError(`"path" expected a flag, got ${path}`);
    if (name === 'flag' && member !== undefined) {
      const others = (options.flag ?? []).filter(([each]) => each !== member);
      return { ...options, flag: text === NONE ? others : flag(`${member}=${text}`, others) };
    }
    if (name === 'detector' && member !== undefined) {
      const { detector } = options;
      if (typeof detector !== 'object') {
        throw new InvalidArgumentError('needs a detector with options in --detector');
      }
      const changed = { ...detector, options: { ...detector.options, [member]: text } };
      return { ...options, detector: refusing(readDetector)(detectorText(changed)) };
    }
    const read: ((text: string, before: unknown) => unknown) | undefined = option.parseArg;
    const value = text === NONE ? undefined : (read?.(text, undefined) ?? text);
    return { ...options, [option.attributeName()]: value };
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error;
    throw new LabError('arguments', `--vary ${path}, value ${text}: ${error.message}`);
  }
}

interface Results {
  readonly axes: readonly Axis[];
  readonly cells: readonly ElectionCell[];
  readonly asked: Asked;
  readonly replay: string;
  readonly seed: Seed;
}

/** The cells in the format of the options. */
function printed(results: Results, options: ElectOptions): string {
  const { axes, cells, asked, replay, seed } = results;
  const table = cellTable(axes, cells, asked);
  const rows = [...table.rows()];
  const format = options.json === true ? 'json' : options.format;
  if (format === 'table') {
    const cells = columns(shownRows(results, table.columns, rows));
    return `${askedLabel(asked)}\n${cells}\n${columns([['replay', replay]])}`;
  }
  const form = textForm(format === 'csv' ? 'csv' : 'jsonl', table.columns);
  const lines = rows.map((row) => form.line(row));
  if (format !== 'json') return form.head + lines.join('');
  const head = JSON.stringify({ measure: asked, seed, replay });
  return `${head.slice(0, -1)},"cells":[${lines.map((line) => line.trimEnd()).join(',')}]}\n`;
}

/** The rows for people: without measure and replay, and with both ends of an interval in one column. */
function shownRows(
  { axes }: Results,
  columns: readonly Column[],
  rows: readonly TableRow[],
): string[][] {
  const shown = columns.flatMap(({ name }, index) =>
    /^(measure|runs|replay)$|_high$/.test(name) ? [] : [{ name, index }],
  );
  const headOf = (name: string, index: number) =>
    axes[index]?.path ?? (name === 'n' ? 'runs' : name.endsWith('_low') ? '95 %' : name);
  return [
    shown.map(({ name, index }) => headOf(name, index)),
    ...rows.map((row) =>
      shown.map(({ name, index }) => {
        const ends = row.slice(index, name.endsWith('_low') ? index + 2 : index + 1);
        const isShare = name === 'p' || name === 'ci_low';
        return rangeText(ends.map(isShare ? percentText : valueText));
      }),
    ),
  ];
}

/** A value, or both ends of an interval, of which the upper one or both can be open. */
function rangeText([low = '', high]: readonly string[]): string {
  if (high === undefined || low === '-') return low;
  return high === '-' ? `≥ ${low}` : `${low}–${high}`;
}

function percentText(value: TableValue): string {
  return typeof value === 'number' ? formatPercent(value) : '-';
}

function valueText(value: TableValue): string {
  return typeof value === 'number' ? String(Number(value.toFixed(1))) : (value?.toString() ?? '-');
}
