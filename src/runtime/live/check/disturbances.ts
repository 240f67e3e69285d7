/**
 * @module
 * What the controller of a cluster did to its nodes and links. No log has it, since the nodes do not know. The trace shows
 * it: pauses, partitions, and the messages that were lost because of them. The model is not asked about it.
 */

import type { Happening, TraceRecord } from '../../../simulation/engine/trace.ts';
import type { TracedFlight } from '../../../simulation/trace/events.ts';
import { TraceReader } from '../../../simulation/trace/events.ts';

/**
 * At `t` in ms: since 1970 in real time, since the start in a trace. `end` is that of a process, `stop` that of one that
 * ended with its cluster. `return` is the start of a store after it, which no log has.
 */
export type Disturbance<Node> =
  | {
      readonly t: number;
      readonly type: 'end' | 'stop' | 'return' | 'pause' | 'resume';
      readonly node: Node;
    }
  | {
      readonly t: number;
      readonly type: 'partition';
      readonly sides: readonly (readonly Node[])[];
    }
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

/** The records with what the controller did, except the ends of nodes, which the logs show. `store` is the number of the store. */
export function withDisturbances(
  records: readonly TraceRecord[],
  disturbances: readonly Disturbance<number>[],
  store: number | null,
): readonly TraceRecord<Happening>[] {
  const merged = mergedByTime(records, disturbances, store);
  const ended = new Set(records.flatMap(({ action }) => endOf(action)));
  const links = new Links();
  const all = merged.flatMap((record) => [record, ...links.lostAfter(record, ended)]);
  return all.map((record, seq) => ({ ...record, seq }));
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
      return { type: 'partition', sides: disturbance.sides };
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

/** Which messages that never arrive were lost, and when: at once, or when the process of the recipient ended. */
class Links {
  readonly #reader = new TraceReader();
  readonly #open = new Map<number, TracedFlight>();
  readonly #down = new Set<number>();
  #sides: readonly (readonly number[])[] = [];

  /** The losses after a record, whose numbers are not set. `ended` are the messages that arrive or are lost in the trace. */
  lostAfter(
    record: TraceRecord<Happening>,
    ended: ReadonlySet<number>,
  ): readonly TraceRecord<Happening>[] {
    const { t, action } = record;
    if (action.type === 'partition') this.#sides = action.sides;
    if (action.type === 'heal') this.#sides = [];
    if (action.type === 'recover' || action.type === 'start') this.#down.delete(action.node);
    const lost = action.type === 'crash' ? this.#lostWith(action.node, t) : [];
    for (const sent of this.#reader.read(record).made) {
      if (ended.has(sent.id)) continue;
      if (this.#isCut(sent)) lost.push(lossOf(sent.id, t));
      else if (this.#down.has(sent.to)) lost.push(lateOf(sent.id, t));
      else this.#open.set(sent.id, sent);
    }
    for (const loss of lost) this.#reader.read(loss);
    return lost;
  }

  #lostWith(node: number, t: number): TraceRecord<Happening>[] {
    this.#down.add(node);
    const lost = [...this.#open.values()].filter(({ to }) => to === node);
    return lost.map(({ id }) => {
      this.#open.delete(id);
      return lateOf(id, t);
    });
  }

  #isCut({ from, to }: TracedFlight): boolean {
    const side = this.#sides.find((each) => each.includes(from));
    return (
      side !== undefined && !side.includes(to) && this.#sides.some((each) => each.includes(to))
    );
  }
}

/** A message that a partition loses. */
function lossOf(message: number, t: number): TraceRecord<Happening> {
  return { seq: 0, t, action: { type: 'drop', message }, lost: 'partition', effects: [] };
}

/** A message to a node that is down. */
function lateOf(message: number, t: number): TraceRecord<Happening> {
  return { seq: 0, t, action: { type: 'deliver', message }, dropped: true, effects: [] };
}
