/**
 * @module
 * This folder writes runs: traces as JSON lines with vector clocks, as a log for ShiViz, and as a diagram in
 * SVG or plain text; saved runs; and comparisons of protocols. A trace is written from the records after the
 * run, so that its form does not affect the run.
 */

import { fromRank } from '../../election/world/cast.ts';
import { LabError } from '../../errors.ts';
import type { Happening, TraceRecord } from '../engine/trace.ts';
import type { Plan } from '../plan/plan.ts';
import type { Remark } from '../trace/describe.ts';
import {
  describeEffects,
  describeEvent,
  describeFate,
  describeLinks,
  describeMessage,
  describeObstacle,
  describeStep,
  endpointName,
  isLinkEvent,
  joined,
  STORE,
} from '../trace/describe.ts';
import type { TracedFlight, TraceEvent } from '../trace/events.ts';
import { traceEvents } from '../trace/events.ts';
import type { VectorClock } from '../trace/vector-clocks.ts';
import { assertClockable, createClockWriter, vectorClocks } from '../trace/vector-clocks.ts';
import type { WrittenPart } from '../trace/view.ts';
import { PART_RECORDS, viewText } from '../trace/view.ts';
import type { Counterexample, DiagramPlan } from './space-time/layout.ts';
import { columnRanks, REPETITION, timeUnit } from './space-time/layout.ts';
import { assertDrawable, spaceTimeSvg } from './space-time/svg.ts';

/** `jsonl-bare` is JSON lines without clocks, which have a limit of nodes. */
export type TraceFormat = 'jsonl' | 'jsonl-bare' | 'shiviz' | 'svg' | 'txt';

/** Throws LabError `job.size` if a trace of this number of nodes cannot have the format. */
export function assertWritable(format: TraceFormat, nodes: number): void {
  if (format === 'jsonl' || format === 'shiviz') assertClockable(nodes);
  if (format === 'svg') assertDrawable(nodes, 0);
}

/** What is written of a simulation or of a counterexample. */
export interface WrittenRun {
  readonly plan: DiagramPlan & Pick<Plan, 'nodes' | 'store'>;
  readonly records: () => readonly TraceRecord<Happening>[];
  readonly traceLines: () => Iterable<string>;
}

/** The whole text of a trace in one format. Throws LabError `job.size` for one that is too large. */
export function writtenTrace(
  { plan, records: recordsOf, traceLines }: WrittenRun,
  format: TraceFormat,
): string {
  const records = recordsOf();
  switch (format) {
    case 'jsonl': {
      const [header = ''] = traceLines();
      return [header, ...clockedLines(records, plan.nodes, plan)].join('');
    }
    case 'jsonl-bare':
      return [...traceLines()].join('');
    case 'shiviz':
      return [...shivizLines(records, plan.nodes, plan)].join('');
    case 'svg':
      return spaceTimeSvg(plan, records);
    case 'txt':
      assertPrintable(plan, plan.view?.count ?? records.length);
      return diagram(plan, records);
    default:
      return format satisfies never;
  }
}

/**
 * The lines of the records that are shown, each with the node of the event (null for an event of the network) and its
 * vector clock in the whole trace: the components above 0, keys ascending. The store has a number, too. Throws LabError
 * `job.size`. Among many records that are not shown there are empty lines.
 */
export function* clockedLines(
  records: Iterable<TraceRecord<Happening>>,
  nodes: number,
  { store = null, view }: WrittenPart = {},
): Generator<string, void, undefined> {
  const events = vectorClocks(records, nodes, { store });
  const names = Array.from({ length: store ?? nodes }, (_, index) => String(index + 1));
  const written = createClockWriter(names);
  let hidden = 0;
  for (const { record, node, clock } of events) {
    if (view?.shows(record) === false) {
      hidden += 1;
      if (hidden % PART_RECORDS === 0) yield '';
      continue;
    }
    const members = JSON.stringify({ ...record, node }).slice(0, -1);
    yield `${members},"clock":${written(clock)}}\n`;
  }
}

/** About 100 MB of lines. */
export const PRINTED_CELLS_LIMIT = 10_000_000;

/** Every record is a row, and every node and the store a column, of the diagram in plain text. */
function assertPrintable({ nodes, store }: Pick<Plan, 'nodes' | 'store'>, records: number): void {
  if ((store ?? nodes) * records <= PRINTED_CELLS_LIMIT) return;
  const detail = `a diagram in plain text has ${PRINTED_CELLS_LIMIT} cells at most, not ${records} records of ${nodes} nodes; elect among fewer nodes`;
  throw new LabError('job.size', detail);
}

const LEGEND =
  '● acts   ★ leads   ✕ is down   ┊ down   ─▶ a message arrives   ╌▶ it arrives at a dead node';
const PAUSED = '‖';

interface Row {
  readonly t: number;
  /** The actor; null for a loss or a copy on the way, and for a partition. */
  readonly node: number | null;
  /** The sender, for a delivery. */
  readonly from: number | null;
  readonly dropped: boolean;
  readonly text: string;
}

interface Columns {
  readonly ranks: readonly number[];
  readonly width: number;
  readonly up: Set<number>;
  readonly leading: Set<number>;
  readonly paused: Set<number>;
}

/**
 * The diagram of a run, or of a part of it. Columns are in node order (rings clockwise, Bully ascending), the store
 * is last. A trace as a space-time diagram in plain text: a column for each node and the store, a row for each
 * action, time downwards. An arrow ends at the recipient; it is drawn when the message arrives, not while it
 * travels. It is for people and golden traces, and with more than about eight nodes too wide to read.
 */
export function diagram(
  plan: Pick<Plan, 'nodeOrder' | 'crashedBefore'> &
    Partial<Pick<Plan, 'absent' | 'store'>> &
    Pick<DiagramPlan, 'view' | 'isLive'> &
    Counterexample,
  records: readonly TraceRecord<Happening>[],
): string {
  const { nodeOrder, crashedBefore, absent = [], store = null, view, repeatsFrom = null } = plan;
  const ranks = columnRanks(plan);
  const up = new Set(ranks.filter((rank) => ![...crashedBefore, ...absent].includes(rank)));
  const width = String(nodeOrder.length).length + 3;
  const columns: Columns = { ranks, width, up, leading: new Set(), paused: new Set() };
  const unit = timeUnit(plan);
  const timeWidth = Math.max(unit === 'action' ? 6 : 4, String(records.at(-1)?.t ?? 0).length);
  const head = ranks.map((rank) => endpointName(rank, store).padEnd(width)).join('');
  const part = view === undefined ? '' : viewText(view, store);
  const lines = [
    legendOf(records),
    ...(part === '' ? [] : [`shown: ${part}`]),
    '',
    `${unit.padStart(timeWidth)}  ${head}`.trimEnd(),
  ];
  for (const event of traceEvents(records)) {
    const row = rowOf(event, store, ranks);
    noteEffects(columns, event.record, row);
    if (view?.shows(event.record) === false) continue;
    if (row.t === repeatsFrom) lines.push(REPETITION);
    const time = String(row.t).padStart(timeWidth);
    lines.push(`${time}  ${drawLines(columns, row)}${row.text}`.trimEnd());
  }
  return `${lines.join('\n')}\n`;
}

/** With the marks that few diagrams have. */
function legendOf(records: readonly TraceRecord<Happening>[]): string {
  const hasPause = records.some(({ action }) => action.type === 'pause');
  return hasPause ? `${LEGEND}   ${PAUSED} is paused` : LEGEND;
}

function rowOf(
  { record, flight, wasLeading }: TraceEvent<Happening>,
  store: number | null,
  columns: readonly number[],
): Row {
  const { t, action, effects, seq, stopped } = record;
  if ('node' in action) {
    const { node } = action;
    const text = joined(
      describeStep({ action, stopped }),
      describeEffects(effects, { node, wasLeading }),
    );
    return { t, node, from: null, dropped: false, text };
  }
  if (isLinkEvent(action)) {
    return { t, node: null, from: null, dropped: false, text: describeLinks(action, store) };
  }
  if (flight === null) throw new RangeError(`"records" expected a message at ${seq}, got none`);
  if (action.type === 'drop' || action.type === 'duplicate') {
    const text = describeFate(flight, record, store);
    return { t, node: null, from: null, dropped: true, text };
  }
  const { from, to: node } = flight;
  const dropped = record.dropped === true;
  // No arrow shows a sender without a column.
  const sender = columns.includes(from) ? '' : ` from ${endpointName(from, store)}`;
  const cause = `${describeMessage(flight.message)}${sender}`;
  const text = joined(cause, dropped ? 'lost' : describeEffects(effects, { node, wasLeading }));
  return { t, node, from, dropped, text };
}

function noteEffects(
  { up, leading, paused }: Columns,
  { action, effects }: TraceRecord<Happening>,
  row: Row,
): void {
  if (row.node === null) return;
  if (action.type === 'crash') {
    up.delete(row.node);
    leading.delete(row.node);
    paused.delete(row.node);
  }
  if (action.type === 'pause') paused.add(row.node);
  if (action.type === 'resume') paused.delete(row.node);
  if (action.type === 'recover' || action.type === 'enter') up.add(row.node);
  for (const effect of effects) {
    if (effect.type === 'step-down') leading.delete(row.node);
    if (effect.type !== 'elect') continue;
    if (fromRank(effect.leader) === row.node) leading.add(row.node);
    else leading.delete(row.node);
  }
}

/** The life lines of one row, with its mark and its arrow. */
function drawLines(columns: Columns, row: Row): string {
  const { ranks, width, up, leading, paused } = columns;
  const target = row.node === null ? -1 : ranks.indexOf(row.node);
  const sender = row.from === null ? -1 : ranks.indexOf(row.from);
  const source = sender < 0 ? target : sender;
  const stroke = row.dropped ? '╌' : '─';
  const [left, right] = source < target ? [source, target] : [target, source];
  let drawn = '';
  for (const [column, rank] of ranks.entries()) {
    const isMark = column === target;
    const isPaused = paused.has(rank);
    const awake = leading.has(rank) ? '★' : '●';
    const mark = up.has(rank) ? (isPaused ? PAUSED : awake) : '✕';
    const isWithin = column > left && column < right;
    const life = isPaused ? PAUSED : '│';
    const line = up.has(rank) ? (isWithin ? '┼' : life) : isWithin ? stroke : '┊';
    const end = column === source ? (source < target ? '├' : '┤') : line;
    drawn += isMark ? mark : source !== target && column === source ? end : line;
    drawn += gap(width - 1, column, { left, right, stroke, target });
  }
  return drawn;
}

function gap(
  length: number,
  column: number,
  arrow: {
    readonly left: number;
    readonly right: number;
    readonly stroke: string;
    readonly target: number;
  },
): string {
  const { left, right, stroke, target } = arrow;
  if (column < left || column >= right) return ' '.repeat(length);
  if (column + 1 === target) return `${stroke.repeat(length - 1)}▶`;
  if (column === target) return `◀${stroke.repeat(length - 1)}`;
  return stroke.repeat(length);
}

/** ShiViz puts it between ^ and $, with many lines; `tick` becomes a field of the event. */
const SHIVIZ_PARSER = String.raw`(?<host>\S*) (?<clock>{.*})\n(?<tick>\d*) (?<event>.*)`;
/** No host is a bare number, which a page's own selectors might not take. */
const HOST = 'node';

/**
 * The lines of a trace, each with its line feed; `store` is the number of its store, a host of its own. The clocks
 * of a part count the events of this part. Empty lines are parts of the work. Throws LabError `job.size` for more
 * nodes or events than vector clocks are made for. A trace as a log for ShiViz (Beschastnikh et al., "Visualizing
 * distributed system executions", TOSEM 29(2), 2020). Such a file begins with the regular expression that reads it
 * and an empty line for a delimiter of executions, and then has two lines for each event. ShiViz knows no messages
 * and finds their arrows from the clocks, so that a loss is described at its sending.
 */
export function* shivizLines(
  records: readonly TraceRecord<Happening>[],
  nodes: number,
  { store = null, view }: WrittenPart = {},
): Generator<string, void, undefined> {
  const events = vectorClocks(records, nodes, { store });
  const hosts = Array.from({ length: store ?? nodes }, (_, index) =>
    index + 1 === store ? STORE : `${HOST}${index + 1}`,
  );
  const written = createClockWriter(hosts);
  const remark = yield* remarksOf(records, store);
  yield `${SHIVIZ_PARSER}\n`;
  yield '\n';
  const counts = new ShownCounts(hosts.length);
  let hidden = 0;
  for (const event of events) {
    const { node, record } = event;
    if (node === null) continue;
    const isShown = view?.shows(record) !== false;
    const clock = view === undefined ? event.clock : counts.after(node, event.clock, isShown);
    if (!isShown) {
      hidden += 1;
      if (hidden % PART_RECORDS === 0) yield '';
      continue;
    }
    yield `${hosts[node - 1]} ${written(clock)}\n`;
    yield `${record.t} ${onOneLine(describeEvent(event, store, remark))}\n`;
  }
}

/** ShiViz wants clocks that count each event of the log, and no other. */
class ShownCounts {
  /** By host: how many of its first events are shown, by their number. */
  readonly #shown: readonly number[][];

  constructor(hosts: number) {
    this.#shown = Array.from({ length: hosts }, () => [0]);
  }

  /** Counts an event of a node. Returns its clock without what is not shown. */
  after(node: number, clock: VectorClock, isShown: boolean): VectorClock {
    const own = this.#shown[node - 1];
    own?.push((own.at(-1) ?? 0) + (isShown ? 1 : 0));
    return this.#shown.map((counts, index) => counts[clock[index] ?? 0] ?? 0);
  }
}

/** What the network did to each message, as a remark on its sending: ` (lost, 3 is down)`. */
function* remarksOf(
  records: readonly TraceRecord<Happening>[],
  store: number | null,
): Generator<string, Remark, void> {
  const remarks = new Map<number, string[]>();
  const originals = new Map<number, number>();
  let read = 0;
  for (const { record, node, flight, made } of traceEvents(records)) {
    read += 1;
    if (read % PART_RECORDS === 0) yield '';
    if (node !== null || flight === null) continue;
    const original = originals.get(flight.id) ?? flight.id;
    for (const copy of made) originals.set(copy.id, original);
    const fate = fateOf(record, flight, store);
    remarks.set(original, [...(remarks.get(original) ?? []), fate]);
  }
  return (id) => {
    const fates = remarks.get(id);
    return fates === undefined ? '' : ` (${fates.join(', ')})`;
  };
}

function fateOf(
  { action, lost }: TraceRecord<Happening>,
  { id, to }: TracedFlight,
  store: number | null,
): string {
  if (action.type === 'duplicate') return 'copied';
  const isDropped = action.type === 'drop';
  const obstacle = lost === undefined ? 'lost' : `lost, ${describeObstacle(lost)}`;
  const fate = isDropped ? obstacle : `lost, ${endpointName(to, store)} is down`;
  return id < 0 ? `copy ${fate}` : fate;
}

/** A character that `.` of the parser does not match would end the event. */
function onOneLine(text: string): string {
  return text.replace(/[\n\r\u2028\u2029]/g, ' ');
}
