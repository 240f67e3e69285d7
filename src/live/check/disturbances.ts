/**
 * @module
 * What the controller of a cluster did to its nodes and links. No log has it, since the nodes do not know. The trace shows
 * it: pauses, partitions, and the messages that were lost because of them. The model is not asked about it.
 */

import type { Happening, TraceRecord } from '../../simulation/engine/trace.ts';
import type { TracedFlight } from '../../simulation/trace/events.ts';
import { TraceReader } from '../../simulation/trace/events.ts';
import { ARRIVAL_MS_MAX as POSTED_MS_MAX } from '../transport/message-line.ts';
import { WAIT_MS_MAX } from '../transport/outbox.ts';
import type { Division } from './division.ts';
import { divisionIn, separates, UNDIVIDED } from './division.ts';

/**
 * At `t` in ms: since 1970 in real time, since the start in a trace. `end` is that of a process, `stop` that of one that
 * ended with its cluster, `remove` what ends its membership. `return` is the start of a store after it, which no log has.
 */
export type Disturbance<Node> =
  | {
      readonly t: number;
      readonly type: 'end' | 'stop' | 'return' | 'pause' | 'resume' | 'remove';
      readonly node: Node;
    }
  | ({ readonly t: number; readonly type: 'partition' } & Division<Node>)
  | { readonly t: number; readonly type: 'heal' };

/** The disturbance with other names of the nodes. Nodes without one are left out; null if none is left. */
export function renamed<From, To>(
  disturbance: Disturbance<From>,
  nameOf: (node: From) => To | undefined,
): Disturbance<To> | null {
  if (disturbance.type === 'heal') return disturbance;
  if (disturbance.type === 'partition') {
    const sides = disturbance.sides.map((side) => side.flatMap((node) => nameOf(node) ?? []));
    return { ...disturbance, sides };
  }
  const node = nameOf(disturbance.node);
  return node === undefined ? null : { ...disturbance, node };
}

/** What is known of live nodes besides their steps. */
export interface KnownOfNodes {
  readonly disturbances: readonly Disturbance<number>[];
  /** The number of the store. */
  readonly store: number | null;
  /** The nodes whose logs are whole: a message to them that the logs do not have has not arrived. */
  readonly heard: readonly number[];
}

/** The records with what the controller did, except the ends of nodes, which the logs show, and with the losses of messages. */
export function withDisturbances(
  records: readonly TraceRecord[],
  { disturbances, store, heard }: KnownOfNodes,
): readonly TraceRecord<Happening>[] {
  const merged = mergedByTime(records.map(stoppedBy(disturbances)), disturbances, store);
  const ended = new Set(records.flatMap(({ action }) => endOf(action)));
  const links = new Links(new Set(heard));
  const all = merged.flatMap((record) => [record, ...links.lostAfter(record, ended)]);
  const never = links.neverArriving(all.at(-1)?.t ?? 0);
  return all
    .flatMap((record) => [record, ...(never.get(record) ?? [])])
    .map((record, seq) => ({ ...record, seq }));
}

/** Marks the crash of a process that was stopped with its cluster. */
function stoppedBy(
  disturbances: readonly Disturbance<number>[],
): (record: TraceRecord) => TraceRecord {
  const ends = disturbances.flatMap((each) =>
    each.type === 'end' || each.type === 'stop' ? [each] : [],
  );
  return (record) => {
    const { action, t } = record;
    if (action.type !== 'crash') return record;
    const end = ends.findLast((each) => each.node === action.node && each.t <= t);
    return end?.type === 'stop' ? { ...record, stopped: true } : record;
  };
}

/** The message that ends with an action. */
function endOf(action: TraceRecord['action']): number[] {
  const ends = action.type === 'deliver' || action.type === 'drop';
  return ends ? [action.message] : [];
}

/** The records and the disturbances by their times. */
function mergedByTime(
  records: readonly TraceRecord[],
  disturbances: readonly Disturbance<number>[],
  store: number | null,
): TraceRecord<Happening>[] {
  const made = disturbances.flatMap((each) => {
    const action = actionOf(each, store);
    if (action === null) return [];
    const t = each.type === 'pause' ? stopOf(records, each) : Math.max(0, each.t);
    // A process that stops takes its last step in the same ms.
    return [{ record: { seq: 0, t, action, effects: [] }, after: each.type === 'pause' ? 1 : -1 }];
  });
  const steps = records.map((record) => ({ record, after: 0 }));
  return [...steps, ...made]
    .sort((one, other) => one.record.t - other.record.t || one.after - other.after)
    .map(({ record }) => record);
}

function actionOf(disturbance: Disturbance<number>, store: number | null): Happening | null {
  switch (disturbance.type) {
    case 'pause':
    case 'resume':
      return { type: disturbance.type, node: disturbance.node };
    case 'partition':
      return { type: 'partition', ...divisionIn(disturbance) };
    case 'heal':
      return { type: 'heal' };
    default:
      if (disturbance.node !== store) return null;
      return disturbance.type === 'end'
        ? { type: 'crash', node: store }
        : { type: 'recover', node: store, amnesia: false };
  }
}

/** How long a process runs after the signal that stops it. */
const SIGNAL_MS_MAX = 20;

/** When a process has stopped: with its last step after the signal. */
function stopOf(
  records: readonly TraceRecord[],
  { t, node }: { readonly t: number; readonly node: number },
): number {
  const last = records.findLast(({ action, t: at }) => {
    return at <= t + SIGNAL_MS_MAX && 'node' in action && action.node === node;
  });
  return Math.max(0, t, last?.t ?? 0);
}

/** After this time a message to a node that takes messages does not arrive any more: its sender waits for no longer. */
const ARRIVAL_MS_MAX = WAIT_MS_MAX + POSTED_MS_MAX;

/** A message that has not arrived yet. */
interface Open {
  readonly sent: TracedFlight;
  readonly sending: TraceRecord<Happening>;
}

/**
 * Which messages that never arrive were lost, and when: at once, when the process of the recipient ended, or, if the time is
 * not known, when they were sent.
 */
class Links {
  readonly #reader = new TraceReader();
  readonly #open = new Map<number, Open>();
  readonly #down = new Set<number>();
  readonly #paused = new Set<number>();
  /** The newest message that has arrived, by sender and recipient. Numbers grow. */
  readonly #arrived = new Map<string, number>();
  /** The newest message of each node whose process has ended. */
  readonly #ended = new Map<number, number>();
  #newest = -1;
  #division: Division<number> = UNDIVIDED;
  readonly #heard: ReadonlySet<number>;

  constructor(heard: ReadonlySet<number>) {
    this.#heard = heard;
  }

  /** The losses after a record, whose numbers are not set. `ended` are the messages that arrive or are lost in the trace. */
  lostAfter(
    record: TraceRecord<Happening>,
    ended: ReadonlySet<number>,
  ): readonly TraceRecord<Happening>[] {
    const { t, action } = record;
    if (action.type === 'partition') this.#division = action;
    if (action.type === 'heal') this.#division = UNDIVIDED;
    if (action.type === 'recover' || action.type === 'start') this.#down.delete(action.node);
    if (action.type === 'pause') this.#paused.add(action.node);
    if (action.type === 'resume' || action.type === 'crash') this.#paused.delete(action.node);
    const lost = action.type === 'crash' ? this.#lostWith(action.node, t) : [];
    const { made, flight } = this.#reader.read(record);
    if (flight !== null && action.type === 'deliver') this.#arrived.set(pairOf(flight), flight.id);
    if (action.type === 'crash') this.#ended.set(action.node, this.#newest);
    for (const sent of made) {
      this.#newest = sent.id;
      if (ended.has(sent.id)) continue;
      if (separates(this.#division, sent.from, sent.to)) lost.push(lossOf(sent.id, t));
      else if (this.#down.has(sent.to)) lost.push(lateOf(sent.id, t));
      else this.#open.set(sent.id, { sent, sending: record });
    }
    for (const loss of lost) this.#reader.read(loss);
    return lost;
  }

  /**
   * The losses of messages that are still open at the end of the trace, by the records that sent them. A node sends its
   * messages to another one in order.
   */
  neverArriving(
    endMs: number,
  ): ReadonlyMap<TraceRecord<Happening>, readonly TraceRecord<Happening>[]> {
    const losses = new Map<TraceRecord<Happening>, TraceRecord<Happening>[]>();
    for (const each of this.#open.values()) {
      if (!this.#isNeverArriving(each, endMs)) continue;
      const { sent, sending } = each;
      const before = losses.get(sending) ?? [];
      losses.set(sending, [...before, dropOf(sent.id, sending.t)]);
    }
    return losses;
  }

  #isNeverArriving({ sent, sending }: Open, now: number): boolean {
    const isLate = now - sending.t > ARRIVAL_MS_MAX && !this.#paused.has(sent.to);
    const isOvertaken = sent.id < (this.#arrived.get(pairOf(sent)) ?? -1);
    const hasEnded = sent.id <= (this.#ended.get(sent.from) ?? -1);
    return this.#heard.has(sent.to) && (isLate || isOvertaken || hasEnded);
  }

  #lostWith(node: number, t: number): TraceRecord<Happening>[] {
    this.#down.add(node);
    const lost: TraceRecord<Happening>[] = [];
    for (const open of this.#open.values()) {
      const { sent } = open;
      if (sent.to !== node || this.#isNeverArriving(open, t)) continue;
      this.#open.delete(sent.id);
      lost.push(lateOf(sent.id, t));
    }
    return lost;
  }
}

function pairOf({ from, to }: TracedFlight): string {
  return `${from} ${to}`;
}

/** A message that a partition loses. */
function lossOf(message: number, t: number): TraceRecord<Happening> {
  return { ...dropOf(message, t), lost: 'partition' };
}

function dropOf(message: number, t: number): TraceRecord<Happening> {
  return { seq: 0, t, action: { type: 'drop', message }, effects: [] };
}

/** A message to a node that is down. */
function lateOf(message: number, t: number): TraceRecord<Happening> {
  return { seq: 0, t, action: { type: 'deliver', message }, dropped: true, effects: [] };
}
