/**
 * @module
 * A trace as a space-time diagram in plain text: one column a node, one row an action, time downwards.
 * An arrow ends at the node that acts; it is drawn when the message arrives, not while it travels. For
 * people, and for golden traces, whose diffs are read as code; beyond some eight nodes it grows too
 * wide to read.
 */

import { fromRank } from '../election/cast.ts';

import type { Plan } from './options.ts';
import type { TraceRecord } from './trace.ts';
import type { TracedFlight } from './trace-events.ts';
import { actionWords, effectsWords, messageWords, wayWords } from './trace-words.ts';

const LEGEND =
  '● acts   ★ leads   ✕ is down   ┊ down   ─▶ a message arrives   ╌▶ it arrives at a dead node';

type Flight = Pick<TracedFlight, 'from' | 'to' | 'message'>;

interface Row {
  readonly t: number;
  /** The node that acts; null for a loss or a copy on the way. */
  readonly node: number | null;
  /** Where the message came from, for a delivery. */
  readonly from: number | null;
  readonly dropped: boolean;
  readonly text: string;
}

interface Columns {
  readonly ranks: readonly number[];
  readonly width: number;
  readonly up: Set<number>;
  readonly leading: Set<number>;
}

/** The diagram of a run, its columns as the nodes are seated (rings clockwise, Bully ascending). */
export function diagram(
  plan: Pick<Plan, 'seating' | 'crashedBefore'> & Partial<Pick<Plan, 'absent'>>,
  records: readonly TraceRecord[],
): string {
  const ranks = plan.seating;
  const { crashedBefore, absent = [] } = plan;
  const up = new Set(ranks.filter((rank) => ![...crashedBefore, ...absent].includes(rank)));
  const width = String(ranks.length).length + 3;
  const columns: Columns = { ranks, width, up, leading: new Set() };
  const sent = new Map<number, Flight>();
  const timeWidth = Math.max(4, String(records.at(-1)?.t ?? 0).length);
  const head = ranks.map((rank) => String(rank).padEnd(width)).join('');
  const lines = [LEGEND, '', `${'tick'.padStart(timeWidth)}  ${head}`.trimEnd()];
  for (const record of records) {
    const row = rowOf(record, sent);
    noteEffects(columns, record, row);
    for (const effect of record.effects) {
      if (effect.type !== 'send' || row.node === null) continue;
      const { id, to, message } = effect;
      sent.set(id, { from: row.node, to: fromRank(to), message });
    }
    if (record.action.type === 'duplicate') noteCopy(sent, record.action.message);
    const time = String(row.t).padStart(timeWidth);
    lines.push(`${time}  ${drawLines(columns, row)}${row.text}`.trimEnd());
  }
  return `${lines.join('\n')}\n`;
}

function rowOf(record: TraceRecord, sent: ReadonlyMap<number, Flight>): Row {
  const { t, action, effects } = record;
  if ('node' in action) {
    const { node } = action;
    const text = joined(actionWords(action), effectsWords(effects, node));
    return { t, node, from: null, dropped: false, text };
  }
  const flight = sent.get(action.message);
  if (flight === undefined) throw new RangeError(`"records" expected a send of ${action.message}`);
  if (action.type === 'drop' || action.type === 'duplicate') {
    const text = wayWords(flight, action.type);
    return { t, node: null, from: null, dropped: true, text };
  }
  const { from, to: node } = flight;
  const dropped = record.dropped === true;
  const words = messageWords(flight.message);
  const text = joined(words, dropped ? 'lost' : effectsWords(effects, node));
  return { t, node, from, dropped, text };
}

/** Copies are numbered −1, −2, … as they are made. */
function noteCopy(sent: Map<number, Flight>, original: number): void {
  const flight = sent.get(original);
  let copy = -1;
  while (sent.has(copy)) copy -= 1;
  if (flight !== undefined) sent.set(copy, flight);
}

function joined(cause: string, outcome: string): string {
  return outcome === '' ? cause : `${cause}: ${outcome}`;
}

function noteEffects({ up, leading }: Columns, { action, effects }: TraceRecord, row: Row): void {
  if (row.node === null) return;
  if (action.type === 'crash') {
    up.delete(row.node);
    leading.delete(row.node);
  }
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
  const { ranks, width, up, leading } = columns;
  const target = row.node === null ? -1 : ranks.indexOf(row.node);
  const source = row.from === null ? target : ranks.indexOf(row.from);
  const stroke = row.dropped ? '╌' : '─';
  const [left, right] = source < target ? [source, target] : [target, source];
  let drawn = '';
  for (const [column, rank] of ranks.entries()) {
    const isMark = column === target;
    const mark = up.has(rank) ? (leading.has(rank) ? '★' : '●') : '✕';
    const isWithin = column > left && column < right;
    const line = up.has(rank) ? (isWithin ? '┼' : '│') : isWithin ? stroke : '┊';
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
