/**
 * @module
 * The smallest part of a history that is not linearizable, whatever the rest did. The part is first cut at both ends, by
 * bisection, and then loses one operation after the other. What is left out can only make a history more permissive:
 * before the part, any state is possible; an operation that reaches into it from before, or that loses its place in it,
 * has no outcome; and what comes later does not count.
 */

import type { History, Model } from './history.ts';
import { endOf } from './history.ts';
import { linearize } from './linearizability.ts';

/** What a part keeps of a history. */
interface Part<Input, Output> {
  /** The operations that violate the model together. */
  readonly shown: History<Input, Output>;
  /** Changes that may have happened at any moment, or not at all. */
  readonly loose: History<Input, Output>;
  readonly isFirst: boolean;
}

/** A violation as few operations show it. */
export interface Violation<Input, Output> {
  readonly operations: History<Input, Output>;
  /** Whether the part begins with the history, so that it counts from the initial state. */
  readonly isFirst: boolean;
}

/** Single operations are left out of parts of at most this many. */
const OPERATIONS_MAX = 200;
/** Steps of one attempt. One that takes more counts as linearizable, so that the part stays larger. */
const STEPS_MAX = 100_000;

/** The part. Null if the history is linearizable, or if that is unknown. */
export function smallestViolation<State, Input, Output>(
  model: Model<State, Input, Output>,
  history: History<Input, Output>,
): Violation<Input, Output> | null {
  if (linearize(model, history).value !== 'false') return null;
  const isViolated = ({ shown, loose, isFirst }: Part<Input, Output>) => {
    const from = isFirst ? model.initial : model.anyState;
    return linearize(model, [...loose, ...shown], { from, stepsMax: STEPS_MAX }).value === 'false';
  };
  const ends = history.map(endOf).filter(Number.isFinite).toSorted(ascending);
  const until = atLeast(ends, (end) => isViolated({ ...upTo(history, end), isFirst: true }));
  const early = upTo(history, until);
  const starts = history.map(({ call }) => call).toSorted(ascending);
  const late = atLeast(starts.toReversed(), (start) => isViolated(after(early.shown, start)));
  const whole = { ...early, isFirst: true };
  const part = isViolated(after(early.shown, late)) ? after(early.shown, late) : whole;
  return leanest(part, isViolated);
}

/** The first of these from which on a condition that stays true is true; the last if none is. */
function atLeast(values: readonly number[], isTrue: (value: number) => boolean): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isTrue(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return values[low] ?? 0;
}

function ascending(one: number, other: number): number {
  return one - other;
}

/** The history as it is known at this time. */
function upTo<Input, Output>(history: History<Input, Output>, end: number) {
  const shown = history
    .filter(({ call }) => call <= end)
    .map((operation) => (endOf(operation) <= end ? operation : { ...operation, returned: null }));
  return { shown, loose: [] };
}

/** What is certain of it whatever happened before this time. */
function after<Input, Output>(history: History<Input, Output>, start: number): Part<Input, Output> {
  return {
    shown: history.filter(({ call }) => call >= start),
    loose: history.filter((each) => each.call < start && endOf(each) >= start).map(loosened),
    isFirst: false,
  };
}

function loosened<Input, Output>(operation: History<Input, Output>[number]) {
  return { ...operation, call: Number.NEGATIVE_INFINITY, returned: null };
}

/** The part without each operation that it does not need. */
function leanest<Input, Output>(
  part: Part<Input, Output>,
  isViolated: (part: Part<Input, Output>) => boolean,
): Violation<Input, Output> {
  let lean = part;
  const tries = part.shown.length > OPERATIONS_MAX ? [] : part.shown;
  for (const operation of tries) {
    const shown = lean.shown.filter((each) => each !== operation);
    const fewer = { ...lean, shown, loose: [...lean.loose, loosened(operation)] };
    if (isViolated(fewer)) lean = fewer;
  }
  return { operations: lean.shown, isFirst: lean.isFirst };
}
