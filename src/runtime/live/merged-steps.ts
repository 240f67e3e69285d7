/**
 * @module
 * One order of the steps of live nodes and of their store, in which causes are before their consequences. A node's steps
 * are in the order of its log, the steps of the store in that of its revisions. Of the steps that may come next, the one
 * with the smallest sum of its clock's components comes first: that sum grows along every chain of messages.
 */

import type { Message, Rank } from '../../election/machine.ts';
import type { LiveLog, LiveRecord, StoreMark } from './node-record.ts';

/** A step of a node. */
interface NodeStep {
  readonly type: 'node';
  readonly position: number;
  readonly index: number;
  readonly record: LiveRecord;
  readonly sum: number;
}

/** A step of the store: it answers a call of the node at `position`, which received that in record `index`. */
export interface StoreStep {
  readonly type: 'store';
  readonly position: number;
  readonly index: number;
  readonly mark: StoreMark;
  readonly value: Message;
  readonly sum: number;
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
  const queues: (readonly (NodeStep | StoreStep)[])[] = [
    storeSteps(checked).toSorted(byRevision),
    ...checked.toSorted((one, other) => one.position - other.position).map(nodeSteps),
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
    if (event.type !== 'reply' || event.mark === null) return true;
    return served.has(sentName(step.position, event.mark.call));
  };
  for (;;) {
    let chosen = -1;
    let isChosenReady = false;
    for (const [index, queue] of queues.entries()) {
      const step = queue[next[index] ?? 0];
      if (step === undefined) continue;
      const ready = isReady(step);
      const least = queues[chosen]?.[next[chosen] ?? 0]?.sum ?? Number.POSITIVE_INFINITY;
      if (isChosenReady && !ready) continue;
      if (ready === isChosenReady && step.sum >= least) continue;
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

function nodeSteps({ position, records }: LiveLog): NodeStep[] {
  return records.map((record, index) => {
    return { type: 'node', position, index, record, sum: sumOf(record) };
  });
}

function storeSteps(logs: readonly LiveLog[]): StoreStep[] {
  return logs.flatMap(({ position, records }) =>
    records.flatMap((record, index) => {
      const { event } = record;
      if (event.type !== 'reply' || event.mark === null) return [];
      const { mark, value } = event;
      return { type: 'store' as const, position, index, mark, value, sum: sumOf(record) };
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
