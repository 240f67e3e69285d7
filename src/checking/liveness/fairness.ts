/**
 * @module
 * Weak fairness. An execution owes what is open: choices, starts, deliveries, reports, timers that are set, and the ends
 * of pauses and partitions. A fair execution does all of it, unless it stops being open.
 *
 * An action also does what cannot stay open if it is repeated for ever. That is a timer that it sets again. And if terms
 * are shifted (terms/shift.ts), it is each message with a term that the action lowers: a message that stayed in flight
 * would be lowered each time, and would soon have the lowest term, so that the terms could not be lowered any more. In a
 * lowered world such a message has a new number, so that its delivery under the old number is not found.
 */

import { KIND, kindOf, nodeIn, valueIn } from '../action-codes.ts';
import type { Packed } from '../layout.ts';
import type { LocalSteps } from '../local-steps.ts';
import type { Worlds } from '../worlds.ts';

/** Codes of what is owed in a world. An execution may end where nothing is owed. */
export function owedIn(worlds: Worlds, world: Packed): number[] {
  const codes: number[] = [];
  worlds.owed(world, codes);
  return codes;
}

/** Codes of what the last action of `worlds` does of what `source` owes, in which it was applied. */
export function doneBy(worlds: Worlds, code: number, source: Packed): readonly number[] {
  const { timersSet, shift } = worlds;
  const done = [code, ...timersSet];
  if (shift === null || shift.lowered.every((by) => by === 0)) return done;
  const lowered = owedIn(worlds, source).filter(
    (each) => kindOf(each) === KIND.deliver && shift.isLowered(valueIn(each)),
  );
  return [...done, ...lowered];
}

/** What an execution must still do, from a world on, to be fair. */
export class Debts {
  readonly #left: Set<number>;

  constructor(owed: readonly number[]) {
    this.#left = new Set(owed);
  }

  get codes(): ReadonlySet<number> {
    return this.#left;
  }

  /** Whether an action would settle something. */
  isSettledBy(done: readonly number[], owedAfter: readonly number[]): boolean {
    const open = new Set(owedAfter);
    for (const code of this.#left) if (!open.has(code)) return true;
    return done.some((code) => this.#left.has(code));
  }

  /** An action is carried out, after which this is owed. */
  settle(done: readonly number[], owedAfter: readonly number[]): void {
    for (const code of done) this.#left.delete(code);
    const open = new Set(owedAfter);
    for (const code of this.#left) if (!open.has(code)) this.#left.delete(code);
  }
}

/** Something that is owed, as words. */
export function describeDebt(code: number, { messages, timers }: LocalSteps): string {
  const node = nodeIn(code);
  switch (kindOf(code)) {
    case KIND.start:
      return `the start of node ${node}`;
    case KIND.deliver: {
      const { from, to, message } = messages.valueOf(valueIn(code));
      return `the delivery of ${message.type} from ${from} to ${to}`;
    }
    case KIND.timeout:
      return `timer ${timers.valueOf(valueIn(code))} of node ${node}`;
    case KIND.suspect:
      return `the report of the crash of ${valueIn(code)} to node ${node}`;
    case KIND.resume:
      return `the end of the pause of node ${node}`;
    case KIND.split:
      return 'the end of the partition';
    default:
      return `a choice of node ${node}`;
  }
}
