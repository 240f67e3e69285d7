/**
 * @module
 * Decides whether a history is linearizable: the search of J. Wing and C. Gong (JPDC 17, 1993), which takes the
 * operations one by one in an order that the times allow, with the memory of G. Lowe (Testing for linearizability,
 * 2017): no set of operations is taken to the same state twice. A. Athalye's porcupine does the same.
 */

import type { History, Model } from './history.ts';
import { endOf } from './history.ts';

/** `unknown`: the search was given up after as many steps, or with as much memory, as it was allowed. */
export type Linearizability =
  | {
      readonly value: 'true';
      /** The indices of the operations in a correct order. */
      readonly order: readonly number[];
    }
  | {
      readonly value: 'false' | 'unknown';
      /** The longest order that was found. */
      readonly order: readonly number[];
    };

/** Some seconds. Histories in which few operations are under way at once take fewer than three steps for each. */
const STEPS_MAX = 2_000_000;
/** What the search remembers at most, in characters: up to about 300 MB. */
const ROOM_MAX = 100_000_000;
/** What an entry of the memory takes beside its key. */
const ENTRY_ROOM = 64;

/** A call or a return in a list that is linked both ways, so that an operation leaves it and comes back in O(1). */
interface Entry {
  readonly id: number;
  /** Null in a return. */
  readonly end: Entry | null;
  previous: Entry | null;
  next: Entry | null;
}

/** Judges a history. A call and a return at the same time overlap. */
export function linearize<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
  {
    stepsMax = STEPS_MAX,
    roomMax = ROOM_MAX,
    from = model.initial,
  }: { stepsMax?: number; roomMax?: number; from?: State } = {},
): Linearizability {
  const relevant = history.map(
    ({ returned, input }) => returned !== null || !model.changesNothing(input),
  );
  const head = listOf(history, relevant);
  const taken = createTaken(history);
  const seen = new Set([taken.key(model.key(from))]);
  const stack: { readonly entry: Entry; readonly before: State }[] = [];
  let longest: readonly number[] = [];
  let state = from;
  let entry = head.next;
  let room = 0;
  for (let steps = 0; entry !== null; steps += 1) {
    if (steps >= stepsMax || room >= roomMax) return { value: 'unknown', order: longest };
    const { id, end } = entry;
    const operation = history[id];
    if (end !== null && operation !== undefined) {
      const after = model.step(state, operation.input, operation.returned?.output ?? null);
      if (after !== null) {
        taken.add(id);
        const key = taken.key(model.key(after.state));
        if (!seen.has(key)) {
          seen.add(key);
          room += key.length + ENTRY_ROOM;
          stack.push({ entry, before: state });
          state = after.state;
          takeOut(entry);
          takeOut(end);
          entry = head.next;
          continue;
        }
        taken.remove(id);
      }
      entry = entry.next;
      continue;
    }
    // This return comes before all that is left, and its operation fits nowhere.
    if (stack.length > longest.length) longest = stack.map((each) => each.entry.id);
    const last = stack.pop();
    if (last === undefined) return { value: 'false', order: longest };
    state = last.before;
    taken.remove(last.entry.id);
    if (last.entry.end !== null) putBack(last.entry.end);
    putBack(last.entry);
    entry = last.entry.next;
  }
  return { value: 'true', order: stack.map((each) => each.entry.id) };
}

/** The calls and returns by time, behind a head. */
function listOf(history: History<unknown, unknown>, relevant: readonly boolean[]): Entry {
  const moments = history.flatMap((operation, id) => {
    if (relevant[id] !== true) return [];
    const end: Entry = { id, end: null, previous: null, next: null };
    const call: Entry = { id, end, previous: null, next: null };
    return [
      { at: operation.call, rank: 0, entry: call },
      { at: endOf(operation), rank: 1, entry: end },
    ];
  });
  moments.sort((one, other) => {
    if (one.at !== other.at) return one.at < other.at ? -1 : 1;
    return one.rank - other.rank;
  });
  const head: Entry = { id: -1, end: null, previous: null, next: null };
  let last = head;
  for (const { entry } of moments) {
    last.next = entry;
    entry.previous = last;
    last = entry;
  }
  return head;
}

function takeOut({ previous, next }: Entry): void {
  if (previous !== null) previous.next = next;
  if (next !== null) next.previous = previous;
}

/** Undoes `takeOut`, in the reverse order. */
function putBack(entry: Entry): void {
  if (entry.previous !== null) entry.previous.next = entry;
  if (entry.next !== null) entry.next.previous = entry;
}

/**
 * Which operations are taken. All up to one are, in the order of calls, except for a few. So the key of the set is short:
 * that number, and the others by name. Operations without a return have a list of their own, as they can stay out for ever.
 */
function createTaken(history: History<unknown, unknown>) {
  const byCall = history.map((_, id) => id);
  byCall.sort((one, other) => (history[one]?.call ?? 0) - (history[other]?.call ?? 0));
  const certain = byCall.filter((id) => history[id]?.returned !== null);
  const position = new Map(certain.map((id, index) => [id, index]));
  const isTaken = new Uint8Array(certain.length);
  let lowest = 0;
  const beyond: number[] = [];
  const unknown: number[] = [];
  const insert = (list: number[], value: number) => {
    let at = list.length;
    while (at > 0 && (list[at - 1] ?? 0) > value) at -= 1;
    list.splice(at, 0, value);
  };
  const erase = (list: number[], value: number) => {
    list.splice(list.indexOf(value), 1);
  };
  return {
    add(id: number): void {
      const index = position.get(id);
      if (index === undefined) {
        insert(unknown, id);
        return;
      }
      isTaken[index] = 1;
      if (index !== lowest) {
        insert(beyond, index);
        return;
      }
      lowest += 1;
      while (isTaken[lowest] === 1) {
        beyond.shift();
        lowest += 1;
      }
    },
    remove(id: number): void {
      const index = position.get(id);
      if (index === undefined) {
        erase(unknown, id);
        return;
      }
      isTaken[index] = 0;
      if (index > lowest) {
        erase(beyond, index);
        return;
      }
      for (let other = lowest - 1; other > index; other -= 1) beyond.unshift(other);
      lowest = index;
    },
    key: (state: string) => `${lowest}|${beyond.join()}|${unknown.join()}|${state}`,
  };
}
