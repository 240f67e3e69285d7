/**
 * @module
 * One order of the steps of live nodes and of their store, in which causes are before their consequences. A node's steps
 * are in the order of its log, the steps of the store in that of its revisions. Of the steps that may come next, the one
 * with the smallest sum of its clock's components comes first: that sum grows along every chain of messages. With a store
 * the earliest comes first, so that calls without an answer, which no clock orders, are before what they have changed.
 */

import type { Message, Rank } from '../../election/machine.ts';
import type { LiveLog, LiveRecord, StoreMark } from './node-record.ts';

/** A step of a node. */
interface NodeStep {
  readonly type: 'node';
  readonly position: number;
  readonly index: number;
  readonly record: LiveRecord;
  readonly order: number;
  /** A message of the store that answers nothing comes after all answers of lower revisions than the node sees later. */
  readonly before: number;
}

/** A step of the store: it answers a call of the node at `position`, which received that in record `index`. */
export interface StoreStep {
  readonly type: 'store';
  readonly position: number;
  readonly index: number;
  readonly mark: StoreMark;
  readonly value: Message;
  readonly order: number;
}

/** What identifies a message or a call in all logs. */
export function sentName(position: number, id: number): string {
  return `${position}:${id}`;
}

/** The calls that were answered, by name. */
export function answeredCalls(logs: readonly LiveLog[]): ReadonlySet<string> {
  return new Set(storeSteps(logs).map(({ position, mark }) => sentName(position, mark.call)));
}

/** All steps of honest nodes and of the store. If the logs contradict each other, the first step that contradicts comes although its cause is missing. */
export function* mergedSteps(
  logs: readonly LiveLog[],
  positionOf: (rank: Rank) => number | null,
): Generator<NodeStep | StoreStep> {
  const byzantine = new Set(logs.flatMap((log) => (log.isByzantine ? log.position : [])));
  const checked = logs.filter(({ isByzantine }) => !isByzantine);
  const steps = storeSteps(checked).toSorted(byRevision);
  const orderOf = steps.length === 0 ? sumOf : ({ t }: LiveRecord) => t;
  const queues: readonly (readonly (NodeStep | StoreStep)[])[] = [
    ...checked
      .toSorted((one, other) => one.position - other.position)
      .map((log) => nodeSteps(log, orderOf)),
    // After what happened at the same time.
    steps,
  ];
  const next = queues.map(() => 0);
  const sent = new Set<string>();
  const served = new Set<string>();
  const isReady = (step: NodeStep | StoreStep): boolean => {
    if (step.type === 'store') return sent.has(sentName(step.position, step.mark.call));
    const { event } = step.record;
    if (event.type === 'deliver') {
      const from = positionOf(event.from) ?? 0;
      return byzantine.has(from) || sent.has(sentName(from, event.id));
    }
    if (event.type !== 'reply') return true;
    const nextAnswer = steps[next.at(-1) ?? 0]?.mark.revision ?? Number.POSITIVE_INFINITY;
    if (event.mark === null) return nextAnswer >= step.before;
    return served.has(sentName(step.position, event.mark.call));
  };
  for (;;) {
    let chosen = -1;
    let isChosenReady = false;
    for (const [index, queue] of queues.entries()) {
      const step = queue[next[index] ?? 0];
      if (step === undefined) continue;
      const ready = isReady(step);
      const least = queues[chosen]?.[next[chosen] ?? 0]?.order ?? Number.POSITIVE_INFINITY;
      if (isChosenReady && !ready) continue;
      if (ready === isChosenReady && step.order >= least) continue;
      chosen = index;
      isChosenReady = ready;
    }
    const step = queues[chosen]?.[next[chosen] ?? 0];
    if (step === undefined) return;
    next[chosen] = (next[chosen] ?? 0) + 1;
    if (step.type === 'store') served.add(sentName(step.position, step.mark.call));
    else noteSent(step, sent);
    yield step;
  }
}

function noteSent({ position, record }: NodeStep, sent: Set<string>): void {
  for (const effect of record.effects) {
    if (effect.type === 'send' || effect.type === 'call') sent.add(sentName(position, effect.id));
  }
}

function nodeSteps(
  { position, records }: LiveLog,
  orderOf: (record: LiveRecord) => number,
): NodeStep[] {
  const made: NodeStep[] = [];
  let before = Number.POSITIVE_INFINITY;
  for (const [index, record] of [...records.entries()].reverse()) {
    made.push({ type: 'node', position, index, record, order: orderOf(record), before });
    const { event } = record;
    if (event.type === 'reply' && event.mark !== null) {
      before = Math.min(before, event.mark.revision);
    }
  }
  return made.reverse();
}

function storeSteps(logs: readonly LiveLog[]): StoreStep[] {
  return logs.flatMap(({ position, records }) =>
    records.flatMap((record, index) => {
      const { event } = record;
      if (event.type !== 'reply' || event.mark === null) return [];
      const { mark, value } = event;
      return { type: 'store' as const, position, index, mark, value, order: record.t };
    }),
  );
}

function sumOf({ clock }: LiveRecord): number {
  return Object.values(clock).reduce((total, each) => total + each, 0);
}

/** What only read after a write comes after it; the answers of one node are in the order of its calls. */
function byRevision(one: StoreStep, other: StoreStep): number {
  const [mark, next] = [one.mark, other.mark];
  return (
    mark.revision - next.revision ||
    Number(next.wrote) - Number(mark.wrote) ||
    one.position - other.position ||
    mark.call - next.call
  );
}
