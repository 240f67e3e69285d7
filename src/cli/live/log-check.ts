/**
 * @module
 * Checks the logs of live nodes against the model, prints the result, and writes the merged trace.
 */

import { InvalidArgumentError } from 'commander';

import { LabError } from '../../errors.ts';
import { lastStates, resourceWrites } from '../../live/check/last-state.ts';
import type { CheckedLogs, ControllerNotes } from '../../live/check/log-check.ts';
import { checkLogs } from '../../live/check/log-check.ts';
import { clockedTrace } from '../../live/check/trace-file.ts';
import { CLUSTER_BYTES_MAX, parseCluster } from '../../live/cluster/cluster-document.ts';
import { filedLogs } from '../../live/cluster/cluster-session.ts';
import type { Network } from '../../live/peers.ts';
import { PEERS_BYTES_MAX, parsePeers } from '../../live/peers.ts';
import type { ClientsAnswer } from '../../operations/elect/client-history.ts';
import { clientRows } from '../../operations/elect/client-history.ts';
import { counted } from '../../operations/figures.ts';
import { printable, printableLine } from '../../printable.ts';
import type { WrittenRun } from '../../simulation/report/trace-formats.ts';
import type { TraceSelection, TraceView } from '../../simulation/trace/view.ts';
import { refuseTrace, writeTrace } from '../elect/trace.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { readText } from '../shell/files.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface LogCheckOptions extends OutputOptions, TracePartOptions {
  readonly peers?: string | undefined;
  /** A cluster on several machines, instead of the peers file. */
  readonly file?: string | undefined;
  /** The folder of a cluster that was started with up, with its peers file and its logs. */
  readonly folder?: string | undefined;
  readonly trace?: string | undefined;
  readonly force?: true | undefined;
}

/** Checks the logs in these files. */
export async function checkFiles(
  paths: readonly string[],
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const { folder } = options;
  assertPart(options);
  if (folder === undefined) {
    const founders = await foundersIn(options, terminal);
    await refuseTrace({ ...options, clocks: true }, founders.peers.length);
    return reportCheck(checkedIn(founders, paths), options, terminal);
  }
  if (paths.length > 0 || options.peers !== undefined) {
    throw new LabError(
      'arguments',
      '--folder names the peers file and the logs; leave out the others',
    );
  }
  const { founders, logs, notes } = filedLogs(folder);
  await refuseTrace({ ...options, clocks: true }, founders.peers.length);
  return reportCheck(checkedIn(founders, logs, notes), options, terminal);
}

/** A refusal that names a text of a log is one line, too. */
function checkedIn(
  founders: Network,
  paths: readonly string[],
  notes: ControllerNotes | null = null,
): CheckedLogs {
  try {
    return checkLogs(founders, paths, notes);
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    throw new LabError(error.code, printableLine(error.message), error.faults);
  }
}

async function foundersIn({ peers, file }: LogCheckOptions, terminal: Terminal): Promise<Network> {
  if (file !== undefined) {
    return parseCluster(await readText(file, terminal, CLUSTER_BYTES_MAX)).network;
  }
  if (peers !== undefined) return parsePeers(await readText(peers, terminal, PEERS_BYTES_MAX));
  throw new LabError('arguments', 'trace needs --peers, --file or --folder');
}

/** Prints what the check and the clients have found, and writes the trace. */
export async function reportCheck(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
  clients: ClientsAnswer | null = null,
): Promise<ExitCode> {
  const { replayed, clash } = checked;
  // Logs can be of others, whose texts must not control the terminal.
  const text = wantsJson(options)
    ? `${JSON.stringify({ ...checkJson(checked), ...(clients && { clients }) })}\n`
    : `${checkText(checked, options.trace !== undefined)}${clients ? clientsText(clients) : ''}`;
  terminal.print(printable(text));
  const isWritten = await isTraceWritten(checked, options, terminal);
  const { linearizable = 'true' } = clients ?? {};
  if (replayed.defect !== null || clash !== null || linearizable === 'false') return EXIT.violated;
  if (!isWritten) return EXIT.refused;
  return replayed.unchecked === null && linearizable === 'true' ? EXIT.holds : EXIT.unknown;
}

/** What the clients have found, in lines. */
export function clientsText(clients: ClientsAnswer): string {
  return clientRows(clients)
    .map(([name, text]) => `${`${name} `.padStart(2)}${text}\n`)
    .join('');
}

/** A trace that is too large, or a part without a step, is refused after the result. False if it is. */
async function isTraceWritten(
  checked: CheckedLogs,
  options: LogCheckOptions,
  terminal: Terminal,
): Promise<boolean> {
  if (options.trace === undefined) return true;
  try {
    const run = clockedTrace(checked, partIn(options, checked));
    await writeTrace(run, { ...options, clocks: true }, terminal);
    noteIfLong(run, options, terminal);
    return true;
  } catch (error) {
    if (!(error instanceof LabError) || !WITHOUT_TRACE.includes(error.code)) throw error;
    const cure = error.code === 'job.size' ? `: ${cureOf(options)}` : '';
    terminal.complain(`usurp: no trace is written: ${error.message}${cure}`);
    return false;
  }
}

const WITHOUT_TRACE: readonly string[] = ['job.size', 'arguments'];

/** What the check has found, as JSON. */
export function checkJson(checked: CheckedLogs): object {
  const { replayed, numbers, missing, clash } = checked;
  const { defect, unchecked, forged, records } = replayed;
  const nodes = lastStates(checked);
  const numberOf = (position: number) => numbers[position - 1] ?? null;
  return {
    accepted: defect === null && unchecked === null,
    steps: records.length,
    leaders: nodes.map(({ leader }) => leader),
    nodes,
    defect: defect && { node: numberOf(defect.position), ...defect },
    epochClash: clash && { epoch: clash.epoch, leaders: clash.leaders.map(numberOf) },
    missing: missing.map(numberOf),
    byzantine: byzantineIn(checked),
    unchecked,
    forged,
    writes: resourceWrites(checked),
    numbers,
  };
}

/** What the check has found, in lines. No text of a log, which can be of others, makes a further line. */
export function checkText(checked: CheckedLogs, hasTrace = false): string {
  const { replayed, clash } = checked;
  const numberOf = (position: number) => checked.numbers[position - 1] ?? position;
  const lines = [
    ...resultLines(checked, numberOf),
    ...limitLines(checked, numberOf),
    ...(clash === null
      ? []
      : [`nodes ${clash.leaders.map(numberOf).join(' and ')} both led epoch ${clash.epoch}`]),
    ...(replayed.defect === null ? [endLine(checked)] : []),
    ...writeLines(checked),
    ...numberLines(checked, hasTrace),
  ];
  return lines.map((line) => `${printableLine(line)}\n`).join('');
}

type NumberOf = (position: number) => number;

function resultLines({ replayed }: CheckedLogs, numberOf: NumberOf): string[] {
  const { defect, unchecked, records } = replayed;
  if (defect !== null) {
    const { position, record, reason } = defect;
    return [
      `The model does not take step ${record + 1} of node ${numberOf(position)}: it ${reason}`,
      `${records.length} steps before it are accepted`,
    ];
  }
  if (unchecked === null) return [`The model takes all ${records.length} steps`];
  return [`The model takes the first ${records.length} steps`, `the rest is unknown: ${unchecked}`];
}

/** What could not be checked. */
function limitLines(checked: CheckedLogs, numberOf: NumberOf): string[] {
  const { missing, replayed } = checked;
  const byzantine = byzantineIn(checked);
  const taken = 'are not checked, and messages are taken as they arrived';
  const lines: string[] = [];
  if (missing.length > 0) {
    lines.push(`the log of ${named(missing.map(numberOf))} is missing: its steps ${taken}`);
  }
  if (byzantine.length > 0) lines.push(`${named(byzantine)} is Byzantine: its steps ${taken}`);
  if (replayed.forged > 0) {
    lines.push(
      `${replayed.forged} messages came in the name of a node that did not send them, which L0 does not prevent`,
    );
  }
  return lines;
}

function byzantineIn({ logs, numbers }: CheckedLogs): readonly number[] {
  return logs.flatMap(({ isByzantine, position }) =>
    isByzantine ? (numbers[position - 1] ?? []) : [],
  );
}

function named(nodes: readonly number[]): string {
  return nodes.length === 1 ? `node ${nodes[0]}` : `each of nodes ${nodes.join(', ')}`;
}

function endLine(checked: CheckedLogs): string {
  const when = checked.replayed.unchecked === null ? 'at the end' : 'after these steps';
  const texts = lastStates(checked).flatMap(({ node, status, leader, suspectedBy }) => {
    if (status === 'unchecked') return [];
    if (status === 'down') return `node ${node} is down`;
    const followed = leader === 'phantom' ? 'a node that does not exist' : (leader ?? 'no leader');
    const doubt = suspectedBy.length === 0 ? '' : ` (suspected by ${suspectedBy.join(', ')})`;
    return `node ${node}${doubt} follows ${followed}`;
  });
  return `${when} ${texts.join(', ')}`;
}

/** What became of the writes in the steps that the model takes. */
function writeLines(checked: CheckedLogs): string[] {
  const writes = resourceWrites(checked);
  if (writes === null) return [];
  const { accepted, staleWrites, lateWrites, staleRefused, unanswered } = writes;
  const { defect, unchecked } = checked.replayed;
  const scope = defect === null && unchecked === null ? '' : 'in these steps ';
  const lines = [
    `${scope}the resource accepted ${counted(accepted, 'write')}, ${staleWrites} of them stale and ${lateWrites} late, and refused ${counted(staleRefused, 'stale write')}`,
  ];
  const [have, it] = unanswered === 1 ? ['write has', 'it'] : ['writes have', 'them'];
  if (unanswered > 0) {
    lines.push(`${scope}${unanswered} ${have} no answer: the resource may have accepted ${it}`);
  }
  return lines;
}

const PHANTOMS_SHOWN_MAX = 8;

/** How the trace and the reason of a defect number the nodes, if they do not as the cluster does. */
function numberLines({ numbers, network, replayed }: CheckedLogs, hasTrace: boolean): string[] {
  const where = [
    ...(hasTrace ? ['the trace'] : []),
    ...(replayed.defect === null ? [] : ['the effects in the reason above']),
  ];
  const phantoms = numbers.filter((number) => number === null).length;
  const isFew = phantoms <= PHANTOMS_SHOWN_MAX;
  const differing = numbers.flatMap((number, index) => {
    if (number === null) return isFew ? `${index + 1} is an ID that no node has` : [];
    return number === index + 1 ? [] : `node ${number} is ${index + 1}`;
  });
  if (!isFew) differing.push(`the other ${phantoms} are IDs that no node has`);
  if (where.length === 0 || differing.length === 0 || network.peers.length === 0) return [];
  return [
    `the nodes in ${where.join(' and in ')} are numbered in the order of their IDs, otherwise than here: ${differing.join(', ')}`,
  ];
}

/**
 * The part of the trace of live nodes that is written, as options select it, and what to do about a diagram that is
 * too long to read.
 */
interface TracePartOptions {
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
function partIn(
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
function noteIfLong(
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
function cureOf({ folder, heartbeats }: TracePartOptions): string {
  const flags = ['--from', '--to', ...(heartbeats ? ['--no-heartbeats'] : [])].join(', ');
  return folder === undefined
    ? `${flags} and --only select a part; keep the logs with --folder to draw several parts`
    : `usurp cluster trace --folder ${folder} draws a part with ${flags} and --only`;
}
