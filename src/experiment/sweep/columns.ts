/**
 * @module
 * The columns of a sweep's two tables, one row per run and one per cell: names in snake_case with
 * units, types, and what each means. Every format is written from these, so that they hold equal data.
 */

import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES } from '../runs/observations.ts';
import type { Axis } from './sweep.ts';

/** A value of a table; null where there is none. */
export type TableValue = string | number | boolean | null;

/** `integer` fits 32 bits; `number` is a double. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The entry of the data dictionary. */
  readonly meaning: string;
}

const OBSERVATION_MEANINGS: Readonly<Record<ObservationName, string>> = {
  nodes: 'nodes that took part',
  identities: 'identities that adversaries had admitted',
  elections: 'elections that were held',
  messages: 'messages sent in them',
  ticks: 'ticks of simulated time',
  usurped_ticks: 'ticks in which an adversary led',
  split_ticks: 'ticks in which nodes followed different leaders',
  agreed_ticks: 'ticks in which all nodes followed one leader',
  stale_writes: 'writes of a leader that was none any more',
  detection_ticks: 'ticks from a failure to its detection',
  mistakes: 'live nodes that were taken for dead',
  epochs_led: 'epochs that an adversary led',
  attempts: 'candidates that adversaries tested',
  hashes: 'hash evaluations of adversaries',
  group_operations: 'group operations of adversaries',
  cpu_s: "CPU seconds of adversaries, in steps of the system's clock: 0 where a run is shorter",
  wall_s: 'seconds on the wall of adversaries',
};

/** The columns of the run table, one row per run, in order of cell and repetition. */
export function runColumns(axes: readonly Axis[]): readonly Column[] {
  const before = [
    text('row_id', 'hex of SHA-256 over configuration, seed and code version'),
    integer('cell', 'number of the cell, from 0 in the order of the grid'),
    integer('repetition', 'number of the run in its cell, from 0'),
    text('seed', 'seed of the run; a decimal integer below 2^256'),
  ];
  const after = [
    boolean('won', "whether the run had the property of the document's expect; none if it failed"),
    ...OBSERVATION_NAMES.map((name) => number(name, OBSERVATION_MEANINGS[name])),
    text('failure', 'why there is no outcome; none where there is one'),
    text('version', 'version of the package and digest of its sources'),
    text('replay', 'command that repeats this run alone'),
  ];
  return withAxes(axes, before, after);
}

/** The columns of the cell table, one row per cell. */
export function cellColumns(axes: readonly Axis[]): readonly Column[] {
  const after = [
    integer('n', 'runs with an outcome'),
    integer('k', 'runs among them that had the property'),
    number('p', 'k/n'),
    number('ci_low', "lower end of Wilson's interval at the document's confidence"),
    number('ci_high', 'upper end of it'),
    number('theory', 'closed form of p; none where there is none'),
    text('verdict', "the document's expect: true, false or unknown"),
    integer('failures', 'runs without an outcome'),
    text('refusal', 'why the document does not allow this cell; none where it does'),
    ...OBSERVATION_NAMES.map((name) =>
      number(meanName(name), `mean over runs that have it: ${OBSERVATION_MEANINGS[name]}`),
    ),
    number('messages_min', 'fewest messages of a run'),
    text('messages_min_seed', 'seed of the first run with so few'),
    number('messages_max', 'most messages of a run'),
    text('messages_max_seed', 'seed of the first run with so many'),
    text('won_seed', 'seed of the first run that had the property'),
    text('lost_seed', 'seed of the first run that did not'),
    text('version', 'version of the package and digest of its sources'),
    text('replay', 'command that repeats this cell alone'),
  ];
  return withAxes(axes, [integer('cell', 'number of the cell, from 0 in grid order')], after);
}

/** `cpu_s` becomes `cpu_mean_s`: the unit stays last. */
export function meanName(name: ObservationName): string {
  return name.endsWith('_s') ? `${name.slice(0, -2)}_mean_s` : `${name}_mean`;
}

/** The path of an axis as a column: `network.identity.idBits` is `network_identity_id_bits`. */
export function axisName(path: string): string {
  return path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

function withAxes(
  axes: readonly Axis[],
  before: readonly Column[],
  after: readonly Column[],
): readonly Column[] {
  const taken = new Set([...before, ...after].map((column) => column.name));
  const own = axes.map((axis) => {
    const name = freeName(axisName(axis.path), taken);
    taken.add(name);
    return { name, type: axisType(axis), meaning: `value of ${axis.path}` };
  });
  return [...before, ...own, ...after];
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(name); count += 1) name = `${wanted}_${count}`;
  return name;
}

const INTEGER_MAX = 2 ** 31 - 1;

/** The narrowest type of all values; those of a mixed axis are texts. */
function axisType({ values }: Axis): ColumnType {
  const given = values.filter((value) => value !== null);
  if (given.every((value) => typeof value === 'boolean')) return 'boolean';
  if (!given.every((value) => typeof value === 'number')) return 'text';
  const isSmall = given.every((value) => Number.isInteger(value) && Math.abs(value) <= INTEGER_MAX);
  return isSmall ? 'integer' : 'number';
}

function text(name: string, meaning: string): Column {
  return { name, type: 'text', meaning };
}

function integer(name: string, meaning: string): Column {
  return { name, type: 'integer', meaning };
}

function number(name: string, meaning: string): Column {
  return { name, type: 'number', meaning };
}

function boolean(name: string, meaning: string): Column {
  return { name, type: 'boolean', meaning };
}
