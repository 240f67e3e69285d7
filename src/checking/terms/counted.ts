/**
 * @module
 * The counters in local states and messages: their smallest and largest values, and the same data with other values.
 */

import type { Counter } from '../../election/definition/counter.ts';
import type { Message } from '../../election/machine.ts';
import type { WorldNode } from '../../election/world/world-state.ts';
import { changedAt } from '../json-paths.ts';

/** Smallest and largest value of one counter; Infinity and −1 if the data contain none. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** Changes a value of the counter with this index. */
export type Change = (value: number, counter: number) => number;

export const NO_RANGE: Range = { min: Number.POSITIVE_INFINITY, max: -1 };

/** A node with changed counters. */
export function changedNode(
  counters: readonly Counter[],
  node: WorldNode,
  change: Change,
): WorldNode {
  let { state, persisted } = node;
  for (const [index, counter] of counters.entries()) {
    const changed = (path: string) => (value: number) =>
      changedValue(counter, path, value, index, change);
    for (const path of counter.state) state = changedAt(state, path, changed(path));
    for (const path of counter.persisted) persisted = changedAt(persisted, path, changed(path));
  }
  return { ...node, state, persisted };
}

/** A message with changed counters. */
export function changedMessage<M extends Message>(
  counters: readonly Counter[],
  message: M,
  change: Change,
): M {
  const changed: Record<string, unknown> = Object.fromEntries(Object.entries(message));
  for (const [index, counter] of counters.entries()) {
    for (const member of counter.messages) {
      const value = changed[member];
      if (typeof value !== 'number') continue;
      changed[member] = changedValue(counter, member, value, index, change);
    }
  }
  // The type and all members are those of the message.
  return changed as unknown as M;
}

/** The ranges of all counters in a node. */
export function rangesOfNode(counters: readonly Counter[], node: WorldNode): readonly Range[] {
  return rangesIn(counters, (change) => changedNode(counters, node, change));
}

/** The ranges of all counters in a message. */
export function rangesOfMessage(counters: readonly Counter[], message: Message): readonly Range[] {
  return rangesIn(counters, (change) => changedMessage(counters, message, change));
}

function rangesIn(counters: readonly Counter[], visit: (change: Change) => unknown): Range[] {
  const ranges = counters.map((): Range => NO_RANGE);
  visit((value, counter) => {
    const { min, max } = ranges[counter] ?? NO_RANGE;
    ranges[counter] = { min: Math.min(min, value), max: Math.max(max, value) };
    return value;
  });
  return ranges;
}

function changedValue(
  { unset }: Counter,
  path: string,
  value: number,
  index: number,
  change: Change,
): number {
  return value === 0 && unset.includes(path) ? 0 : change(value, index);
}
