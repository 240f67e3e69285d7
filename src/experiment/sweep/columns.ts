/**
 * @module
 * The columns of the two tables of a sweep, one with a row per run and protocol, one with a row per cell and
 * protocol: names in snake_case with units, types and meanings. Every file format is written from them. JSON
 * has camelCase names, as all members have (`memberName`).
 */

import type { ObservationName } from '../runs/observations.ts';
import { OBSERVATION_NAMES, OBSERVATIONS } from '../runs/observations.ts';
import type { Axis } from './grid.ts';

/** A value of a table, or null. */
export type TableValue = string | number | boolean | null;

/** The values of a row, in the order of the columns. */
export type TableRow = readonly TableValue[];

/** An `integer` fits into 32 bits. A `number` is a double. */
export type ColumnType = 'text' | 'integer' | 'number' | 'boolean';

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  /** The entry of the data dictionary. */
  readonly meaning: string;
}

const PROTOCOL = column(
  'protocol',
  'text',
  'protocol of the row, or all that share its outcome, separated by spaces; empty without elections',
);

/** The columns of the run table, one row per run and protocol, in order of cell, repetition, protocol. */
export function runColumns(axes: readonly Axis[]): readonly Column[] {
  const before = [
    column('row_id', 'text', 'hex of SHA-256 over configuration, seed, code version and protocol'),
    column('cell', 'integer', 'index of the cell, from 0 in the order of the grid'),
    column('repetition', 'integer', 'index of the run in its cell, from 0'),
    column('seed', 'text', 'seed of the run, a decimal integer below 2^256'),
  ];
  const after = [
    PROTOCOL,
    column('won', 'boolean', "whether the run had the property of the document's expect"),
    ...OBSERVATION_NAMES.map((name) => column(columnName(name), 'number', OBSERVATIONS[name])),
    column('failure', 'text', 'why the run has no outcome'),
    column('version', 'text', 'version of the package and digest of its sources'),
    column('replay', 'text', 'command that repeats this run alone'),
  ];
  return withAxes(axes, before, after);
}

/** The columns of the cell table, one row per cell and protocol. */
export function cellColumns(axes: readonly Axis[]): readonly Column[] {
  const after = [
    PROTOCOL,
    column('n', 'integer', 'runs with an outcome; 1 if every run is the same'),
    column('k', 'integer', 'runs among them that had the property'),
    column('p', 'number', 'k/n'),
    column(
      'ci_low',
      'number',
      "lower end of the exact (Clopper–Pearson) interval at the document's confidence; empty if every run is the same",
    ),
    column('ci_high', 'number', 'its upper end'),
    column('theory', 'number', 'closed form of p, if one is known'),
    column('verdict', 'text', "on the document's expect: true, false or unknown"),
    column('response', 'text', 'how adversaries respond to the rules and the protocol'),
    column('response_found', 'text', 'how that was found: fixed, argued, exhaustive or best-found'),
    column('failures', 'integer', 'runs without an outcome'),
    column('refusal', 'text', 'why the document refuses this cell'),
    column('honest_attempts_p50', 'number', 'median attempts of an honest node for an identity'),
    column('honest_attempts_p95', 'number', '95 % quantile of these attempts'),
    column('honest_join_p50_s', 'number', 'the median in CPU seconds, if a rate is known'),
    column('honest_join_p95_s', 'number', 'the 95 % quantile in CPU seconds, if a rate is known'),
    ...OBSERVATION_NAMES.map((name) =>
      column(meanName(name), 'number', `mean over the runs that have it: ${OBSERVATIONS[name]}`),
    ),
    column('messages_min', 'number', 'fewest messages of a run'),
    column('messages_min_seed', 'text', 'seed of the first run with the fewest messages'),
    column('messages_max', 'number', 'most messages of a run'),
    column('messages_max_seed', 'text', 'seed of the first run with the most messages'),
    column('won_seed', 'text', 'seed of the first run that had the property'),
    column('lost_seed', 'text', 'seed of the first run that did not'),
    column('version', 'text', 'version of the package and digest of its sources'),
    column('replay', 'text', 'command that repeats this cell alone'),
  ];
  return withAxes(
    axes,
    [column('cell', 'integer', 'index of the cell, from 0 in the order of the grid')],
    after,
  );
}

/** The column of a mean. That of `cpuS` is `cpu_mean_s`, so that the unit stays last. */
export function meanName(observation: ObservationName): string {
  const name = columnName(observation);
  return name.endsWith('_s') ? `${name.slice(0, -2)}_mean_s` : `${name}_mean`;
}

/** The column of a member or of a path: that of `network.identity.idBits` is `network_identity_id_bits`. */
export function columnName(path: string): string {
  return path
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();
}

/** The member of a column where the table is JSON: that of `ci_low` is `ciLow`. */
export function memberName(column: string): string {
  return column.replaceAll(/_+([A-Za-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}

function withAxes(
  axes: readonly Axis[],
  before: readonly Column[],
  after: readonly Column[],
): readonly Column[] {
  const taken = new Set([...before, ...after].map((column) => memberName(column.name)));
  const own = axes.map((axis) => {
    const name = freeName(columnName(axis.path), taken);
    taken.add(memberName(name));
    return column(name, axisType(axis), `value of ${axis.path}`);
  });
  return [...before, ...own, ...after];
}

/** A name whose member is not taken. Different members have different columns. */
function freeName(wanted: string, taken: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; taken.has(memberName(name)); count += 1) name = `${wanted}_${count}`;
  return name;
}

const INTEGER_MAX = 2 ** 31 - 1;

/** The narrowest type that has all values. The values of a mixed axis are texts. */
function axisType({ values }: Axis): ColumnType {
  const given = values.filter((value) => value !== null);
  if (given.every((value) => typeof value === 'boolean')) return 'boolean';
  if (!given.every((value) => typeof value === 'number')) return 'text';
  const isSmall = given.every((value) => Number.isInteger(value) && Math.abs(value) <= INTEGER_MAX);
  return isSmall ? 'integer' : 'number';
}

export function column(name: string, type: ColumnType, meaning: string): Column {
  return { name, type, meaning };
}
