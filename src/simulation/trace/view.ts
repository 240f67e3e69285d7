/**
 * @module
 * A part of a trace, for every form of it: a time, some nodes, and whether heartbeats are left out. Clocks, states and the
 * ends of messages are those of the whole trace.
 */

import { fromRank } from '../../election/world/cast.ts';
import type { EffectRecord } from '../../election/world/effect-record.ts';
import { LabError } from '../../errors.ts';
import type { Happening, TraceRecord } from '../engine/trace.ts';
import { describeSide, isLinkEvent } from './describe.ts';
import type { TraceEvent } from './events.ts';
import { traceEvents } from './events.ts';

/** What is asked for. The times are those of live nodes: other traces are written as a whole. */
export interface TraceSelection {
  /** The first and the last time, in ms; null for the beginning and the end of the trace. */
  readonly from: number | null;
  readonly to: number | null;
  /** Ranks, and the number of the store; null for all. */
  readonly nodes: readonly number[] | null;
  /** Whether steps are shown that repeat earlier ones. */
  readonly heartbeats: boolean;
}

export const WHOLE_TRACE: TraceSelection = { from: null, to: null, nodes: null, heartbeats: true };

/** The part of one trace. */
export interface TraceView extends TraceSelection {
  readonly shows: (record: TraceRecord<Happening>) => boolean;
  /** Number of records that are shown. */
  readonly count: number;
}

/** The store of a trace that is written, and the part; all of it if absent. */
export interface WrittenPart {
  readonly store?: number | null | undefined;
  readonly view?: TraceView | undefined;
}

/** The part of these records. Throws LabError `arguments` if it is empty. */
export function viewOf(
  records: readonly TraceRecord<Happening>[],
  selection: TraceSelection,
): TraceView {
  const work = viewParts(records, selection);
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** The result of `viewOf` in short parts. */
export function* viewParts(
  records: readonly TraceRecord<Happening>[],
  selection: TraceSelection,
): Generator<void, TraceView, void> {
  const { from, to, nodes, heartbeats } = selection;
  if (from === null && to === null && nodes === null && heartbeats) {
    return { ...selection, shows: () => true, count: records.length };
  }
  assertInTime(records, selection);
  const events: TraceEvent<Happening>[] = [];
  for (const event of traceEvents(records)) {
    if (events.push(event) % PART_RECORDS === 0) yield;
  }
  const hidden: ReadonlySet<unknown> = heartbeats ? new Set() : yield* heartbeatsIn(events);
  const shown = new Set<TraceRecord<Happening>>();
  for (const [index, event] of events.entries()) {
    if (index % PART_RECORDS === 0) yield;
    const { record } = event;
    const isShown = isInTime(record, selection) && !hidden.has(record);
    if (isShown && (nodes === null || isOf(event, nodes))) shown.add(record);
  }
  if (shown.size === 0 && records.length > 0) throw nothingShown(records);
  return { ...selection, shows: (record) => shown.has(record), count: shown.size };
}

/** Records that long work on a trace reads before others have their turns. */
export const PART_RECORDS = 64;

/** Throws LabError `arguments` if nothing happens in the time that is asked for, before anything else is read. */
export function assertInTime(
  records: readonly Pick<TraceRecord, 't'>[],
  selection: TraceSelection,
): void {
  if (records.length === 0 || records.some((record) => isInTime(record, selection))) return;
  throw nothingShown(records);
}

function isInTime({ t }: Pick<TraceRecord, 't'>, { from, to }: TraceSelection): boolean {
  return (from === null || t >= from) && (to === null || t <= to);
}

function nothingShown(records: readonly Pick<TraceRecord, 't'>[]): LabError {
  const [first, last] = [records[0]?.t ?? 0, records.at(-1)?.t ?? 0];
  return new LabError(
    'arguments',
    `nothing happens in this part of the trace, whose times are from ${secondsText(first)} to ${secondsText(last)}`,
  );
}

/** Whether an event concerns these nodes alone. A partition concerns all. */
function isOf({ node, flight }: TraceEvent<Happening>, nodes: readonly number[]): boolean {
  if (node !== null) return nodes.includes(node);
  return flight === null || (nodes.includes(flight.from) && nodes.includes(flight.to));
}

/** What is shown, for the heading of a diagram: `from 5.0 s to 9.0 s, only 1, 3, without heartbeats`; '' for all. */
export function viewText(
  { from, to, nodes, heartbeats }: TraceSelection,
  store: number | null = null,
): string {
  const time = [
    ...(from === null ? [] : [`from ${secondsText(from)}`]),
    ...(to === null ? [] : [`to ${secondsText(to)}`]),
  ];
  return [
    ...(time.length === 0 ? [] : [time.join(' ')]),
    ...(nodes === null ? [] : [`only ${describeSide(nodes, store)}`]),
    ...(heartbeats ? [] : ['without heartbeats']),
  ].join(', ');
}

/** A time as people ask for it, exact to the ms. */
function secondsText(ms: number): string {
  return `${(ms / 1000).toFixed(3).replace(/0{1,2}$/, '')} s`;
}

/**
 * The records of steps that repeat an earlier step of the same node: the same cause and the same effects, apart from drawn
 * numbers and durations. After a fault, a return, a report of a detector on which a node acts, or a change of the leader,
 * earlier steps no longer count. A step that sent a message is no heartbeat if the step that received it is none.
 */
function* heartbeatsIn(
  events: readonly TraceEvent<Happening>[],
): Generator<void, ReadonlySet<TraceRecord<Happening>>, void> {
  const found = yield* repetitionsIn(events);
  const bySeq = new Map(events.map(({ record }) => [record.seq, record]));
  for (const [index, { record, flight, node }] of events.toReversed().entries()) {
    if (index % PART_RECORDS === 0) yield;
    const sending = flight === null ? undefined : bySeq.get(flight.sentSeq);
    if (sending !== undefined && node !== null && !found.has(record)) found.delete(sending);
  }
  for (const [index, { record, flight, node }] of events.entries()) {
    if (index % PART_RECORDS === 0) yield;
    const sending = flight === null ? undefined : bySeq.get(flight.sentSeq);
    if (node === null && sending !== undefined && found.has(sending)) found.add(record);
  }
  return found;
}

function* repetitionsIn(
  events: readonly TraceEvent<Happening>[],
): Generator<void, Set<TraceRecord<Happening>>, void> {
  const found = new Set<TraceRecord<Happening>>();
  const seen = new Set<string>();
  const leaders = new Map<number, number | null>();
  for (const [index, event] of events.entries()) {
    if (index % PART_RECORDS === 0) yield;
    const { node, record } = event;
    if (node === null && !isLinkEvent(record.action)) continue;
    const cause = causeOf(event);
    if (node === null || cause === null) {
      if (!isIdleReport(record)) seen.clear();
      continue;
    }
    const leader = leaderAfter(leaders.get(node) ?? null, record.effects);
    if (leader !== (leaders.get(node) ?? null)) seen.clear();
    leaders.set(node, leader);
    const step = JSON.stringify([node, cause, record.effects.map(withoutChance)]);
    if (seen.has(step)) found.add(record);
    else seen.add(step);
  }
  return found;
}

/** What a step that can be a heartbeat reacts to; null of one that cannot. */
function causeOf({ record: { action }, flight }: TraceEvent<Happening>): unknown {
  if (action.type === 'timeout') return action.timer;
  if (action.type === 'choose' || action.type === 'inject') return action.type;
  return action.type === 'deliver' && flight !== null ? [flight.from, flight.message] : null;
}

/** Whether a node learns something of another one, and does nothing. */
function isIdleReport({ action, effects }: TraceRecord<Happening>): boolean {
  const isReport =
    action.type === 'suspect' ||
    action.type === 'trust' ||
    action.type === 'join' ||
    action.type === 'leave';
  return isReport && effects.length === 0;
}

function leaderAfter(before: number | null, effects: readonly EffectRecord[]): number | null {
  const last = effects.findLast(({ type }) => type === 'elect' || type === 'step-down');
  if (last === undefined) return before;
  return last.type === 'elect' ? fromRank(last.leader) : null;
}

/** An effect without its number, and without what is drawn. */
function withoutChance(effect: EffectRecord): unknown {
  switch (effect.type) {
    case 'send':
    case 'call':
      return { ...effect, id: null };
    case 'set-timer':
      return { ...effect, ticks: null };
    case 'choose':
      return effect.type;
    default:
      return effect;
  }
}
