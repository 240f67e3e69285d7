/**
 * @module
 * The part of the trace of live nodes that is written, as options select it, and what to do about a diagram that is too long
 * to read.
 */

import { InvalidArgumentError } from 'commander';
import { LabError } from '../../errors.ts';
import type { CheckedLogs } from '../../live/check/log-check.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { TraceSelection, TraceView } from '../../simulation/trace/view.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface TracePartOptions {
  readonly trace?: string | undefined;
  readonly folder?: string | undefined;
  /** In seconds. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly only?: readonly (number | 'store')[] | undefined;
  readonly heartbeats: boolean;
}

/** Reads the nodes of --only. */
export function shownNodes(text: string): readonly (number | 'store')[] {
  const words = text.split(',');
  const nodes = words.map((word) => (word === 'store' ? word : Number(word)));
  if (words.every((word) => word === 'store' || /^[1-9]\d{0,3}$/.test(word))) return nodes;
  throw new InvalidArgumentError('expected numbers of nodes, or store, such as 1,3');
}

/** Throws LabError `arguments` for a part of no trace, or one that ends before it begins. */
export function assertPart({ trace, from, to, only, heartbeats }: TracePartOptions): void {
  const given = [
    ...(from === undefined ? [] : ['--from']),
    ...(to === undefined ? [] : ['--to']),
    ...(only === undefined ? [] : ['--only']),
    ...(heartbeats ? [] : ['--no-heartbeats']),
  ];
  const [first] = given;
  if (first !== undefined && trace === undefined)
    throw new LabError('arguments', `${first} has no effect without --trace`);
  if (from === undefined || to === undefined || from <= to) return;
  throw new LabError('arguments', '--to is before --from; give the earlier time with --from');
}

/** The selection of the options, with the numbers of the trace. Throws LabError `arguments`. */
export function partIn(
  { from, to, only, heartbeats }: TracePartOptions,
  { numbers, store }: Pick<CheckedLogs, 'numbers' | 'store'>,
): TraceSelection {
  const nodes = only?.map((node) => {
    const position = node === 'store' ? (store ?? 0) : numbers.indexOf(node) + 1;
    if (position > 0) return position;
    const known = [...numbers.filter((number) => number !== null).sort((a, b) => a - b)];
    const all = store === null ? known : [...known, 'store'];
    throw new LabError('arguments', `--only ${node}: the trace has ${all.join(', ')}`);
  });
  const ms = (seconds: number | undefined) =>
    seconds === undefined ? null : Math.round(seconds * 1000);
  return { from: ms(from), to: ms(to), nodes: nodes ?? null, heartbeats };
}

/** Events of a diagram that people still read. */
const LONG_EVENTS = 300;

/** Says how to select a part of a diagram that is long to read. */
export function noteIfLong(
  { plan, records }: WrittenRun & { readonly plan: { readonly view: TraceView } },
  options: TracePartOptions,
  terminal: Terminal,
): void {
  const { count, shows } = plan.view;
  if (count <= LONG_EVENTS || !/\.(?:svg|txt)$/.test(options.trace ?? '')) return;
  const times = records().flatMap((record) => (shows(record) ? record.t : []));
  const seconds = (((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000).toFixed(1);
  terminal.note(
    `the diagram has ${count} events of ${seconds} s, which is long to read: ${cureOf(options)}`,
  );
}

/** How to get a shorter diagram. */
export function cureOf({ folder, heartbeats }: TracePartOptions): string {
  const flags = ['--from', '--to', ...(heartbeats ? ['--no-heartbeats'] : [])].join(', ');
  return folder === undefined
    ? `${flags} and --only select a part; keep the logs with --folder to draw several parts`
    : `usurp cluster trace --folder ${folder} draws a part with ${flags} and --only`;
}
