/**
 * @module
 * Elections at every point of a grid of members of the input. The value of a member is read in the same way with and without a
 * grid. The answer has a row per cell.
 */

import { z } from 'zod';
import { detectorText } from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import type { ElectionTable } from '../../experiment/elections/tables.ts';
import { askedLabel } from '../../experiment/elections/tables.ts';
import type { TableValue } from '../../experiment/sweep/columns.ts';
import { column, columnName, memberName } from '../../experiment/sweep/columns.ts';
import type { Axis, AxisValue } from '../../experiment/sweep/grid.ts';
import { distinct, plainNumber, readProgression } from '../../experiment/sweep/progressions.ts';
import { ruleOf } from '../../schema.ts';
import { readDetector } from '../../simulation/request/reading.ts';
import { memberWords, valueEntered } from '../command-words.ts';
import { formatPercent } from '../figures.ts';
import type { Member } from '../member.ts';
import type { OutputTable } from '../operation.ts';
import { memberFault } from '../operation.ts';
import type { Report } from '../report.ts';
import { sentenceBlock } from '../report.ts';
import type { ElectedInput } from './members.ts';
import { ELECTED } from './members.ts';
import { readAsked } from './runs.ts';

/** The value of an axis that leaves its member out. */
const NONE = 'none';

/** The answer of a sweep: its rows are objects. */
export const sweepSchema = z
  .object({
    measure: z.string().describe('The measure or the property that the cells have.'),
    seed: z.string(),
    replay: z.string(),
    cells: z
      .array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).nullable()))
      .readonly(),
  })
  .meta({ id: 'ElectionSweep' });

type SweepOutput = z.output<typeof sweepSchema>;

/** The members that can be an axis, besides flags.NAME and detector.OPTION. */
const VARIED: Readonly<Record<string, Member>> = Object.fromEntries(
  Object.entries<Member>(ELECTED).filter(([, { entry }]) => {
    return entry.as !== 'switch' && entry.as !== 'settings' && entry.as !== 'file';
  }),
);

/** Reads `nodes=3,5,7`. Throws LabError. */
export function readVaried(text: string): Axis {
  const [, path = '', values = ''] = /^([A-Za-z]+(?:\.[A-Za-z]+)?)=(.+)$/s.exec(text) ?? [];
  const isKnown = Object.hasOwn(VARIED, path) || /^(flags|detector)\./.test(path);
  if (isKnown)
    return { path, values: readProgression(text, values) ?? distinct(text, listIn(values)) };
  const names = `${Object.keys(VARIED).join(', ')}, flags.NAME, detector.OPTION`;
  throw new LabError('arguments', `must be NAME=VALUES such as nodes=3,5,7; NAME is ${names}`);
}

/** The values between commas. A comma inside quotation marks does not separate values. */
function listIn(text: string): readonly AxisValue[] {
  return (text.match(/"[^"]*"|[^,]+/g) ?? []).map((part) => {
    const value = part.trim().replace(/^"(.*)"$/, '$1');
    const number = /^-?\d+(\.\d+)?$/.test(value) ? plainNumber(value) : Number.NaN;
    return Number.isNaN(number) ? value : number;
  });
}

/** The axes of these texts. Throws LabError for one that is given twice. */
export function axesIn(vary: readonly string[]): readonly Axis[] {
  const axes = vary.map(readVaried);
  const twice = axes.find(
    ({ path }, index) => axes.findIndex((axis) => axis.path === path) < index,
  );
  if (twice !== undefined) throw memberFault('arguments', 'vary', `${twice.path} is given twice`);
  return axes;
}

/** Throws LabError for a member that is given and varied: the given value would have no effect. */
export function refuseFixed(input: ElectedInput, axes: readonly Axis[]): void {
  const given: Readonly<Record<string, unknown>> = input;
  const fixed = axes.find(({ path }) => {
    const [name = '', part] = path.split('.');
    const member = VARIED[name];
    if (name === 'flags') return part !== undefined && Object.hasOwn(input.flags ?? {}, part);
    if (part !== undefined) return new RegExp(`[:,]${part}=`).test(String(given[name]));
    return member !== undefined && memberWords(name, member, given[name]).length > 0;
  });
  if (fixed === undefined) return;
  const { path } = fixed;
  const detail = `has ${path}, beside which ${path} has no effect: give one`;
  throw memberFault('arguments', 'vary', detail);
}

/** One point of a grid, and the input of its elections. */
interface Varied<I> {
  readonly values: readonly AxisValue[];
  readonly input: I;
}

/**
 * The inputs of all cells; the last axis varies fastest. Without axes there is one. Throws LabError for a refused value.
 */
export function variedInputs<I extends ElectedInput>(
  input: I,
  axes: readonly Axis[],
  isRemote: boolean,
): readonly Varied<I>[] {
  return axes.reduce<readonly Varied<I>[]>(
    (cells, { path, values }) =>
      cells.flatMap((cell) =>
        values.map((value) => ({
          values: [...cell.values, value],
          input: withValue(cell.input, path, { text: String(value), isRemote }),
        })),
      ),
    [{ values: [], input }],
  );
}

function withValue<I extends ElectedInput>(
  input: I,
  path: string,
  { text, isRemote }: { readonly text: string; readonly isRemote: boolean },
): I {
  const refuse = (detail: string) =>
    memberFault('arguments', 'vary', `${path}, value ${text}: ${detail}`);
  const [name = '', part] = path.split('.');
  if (name === 'flags' && part !== undefined) {
    const { [part]: _before, ...others } = input.flags ?? {};
    return { ...input, flags: text === NONE ? others : { ...others, [part]: text } };
  }
  const { detector } = input;
  const spec =
    part === undefined || detector === undefined ? undefined : readDetector(String(detector));
  if (part !== undefined && typeof spec !== 'object') throw refuse('needs a detector with options');
  const form =
    part !== undefined && typeof spec === 'object'
      ? detectorText({ ...spec, options: { ...spec.options, [part]: text } })
      : text;
  const member = VARIED[name];
  if (member === undefined) throw new TypeError(`"path" expected a member, got ${path}`);
  const value = text === NONE ? undefined : valueEntered(member.entry, form);
  const read = member[isRemote ? 'remote' : 'schema'].safeParse(value);
  const [issue] = read.error?.issues ?? [];
  if (issue !== undefined) throw refuse(ruleOf(issue));
  return { ...input, [name]: read.data };
}

/** The rows of a table as objects. */
export function cellObjects({ columns, rows }: ElectionTable): SweepOutput['cells'] {
  return [...rows()].map((row) =>
    Object.fromEntries(columns.map(({ name }, index) => [memberName(name), row[index] ?? null])),
  );
}

/** The cells as rows with named columns. */
export function sweepTable({ cells }: SweepOutput): OutputTable {
  const keys = Object.keys(cells[0] ?? {});
  const columns = keys.map((key) => {
    const isText = cells.some((cell) => typeof cell[key] === 'string');
    return column(columnName(key), isText ? 'text' : 'number', key);
  });
  return { columns, rows: cells.map((cell) => keys.map((key) => cell[key] ?? null)) };
}

/** The cells for people: without measure and replay, and with both ends of an interval in one column. */
export function sweepBlocks({ measure, cells }: SweepOutput): Report {
  const shown = Object.keys(cells[0] ?? {}).filter(
    (key) => !/^(measure|runs|replay)$|High$/.test(key),
  );
  return [
    sentenceBlock(askedLabel(readAsked(measure))),
    {
      type: 'table',
      title: 'Cells',
      columns: shown.map((key) => ({ name: headOf(key) })),
      rows: cells.map((cell) =>
        shown.map((key) => {
          const isShare = key === 'p' || key === 'ciLow';
          const ends = [key, ...(key.endsWith('Low') ? [key.replace(/Low$/, 'High')] : [])];
          return rangeText(ends.map((end) => valueText(cell[end] ?? null, isShare)));
        }),
      ),
    },
  ];
}

/** The name of a column for people. That of an axis is its path. */
function headOf(key: string): string {
  if (key === 'n') return 'runs';
  if (key.endsWith('Low')) return '95 %';
  const lower = (name: string) => name.replace(/^[A-Z]/, (letter) => letter.toLowerCase());
  if (!key.startsWith('axis')) return key;
  const path = lower(key.slice('axis'.length));
  return path.replace(/^(flags|detector)([A-Z].*)/, (_, name, part) => `${name}.${lower(part)}`);
}

/** A value, or both ends of an interval, of which the upper one or both can be open. */
function rangeText([low = '', high]: readonly string[]): string {
  if (high === undefined || low === '-') return low;
  return high === '-' ? `≥ ${low}` : `${low}–${high}`;
}

function valueText(value: TableValue, isShare: boolean): string {
  if (typeof value !== 'number') return value?.toString() ?? '-';
  return isShare ? formatPercent(value) : String(Number(value.toFixed(1)));
}
