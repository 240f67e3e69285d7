/**
 * @module
 * Sleep sets (P. Godefroid, Partial-Order Methods for the Verification of Concurrent Systems, 1996, chapter 5): actions
 * that need not be carried out because the worlds after them are known. They leave out no world. A breadth-first search
 * gives the same worlds the same numbers, and finds each by the same action, as if it carried out every action.
 *
 * Let the action b lead from the world w to a new world v. Let a be another action of w that
 * - leads to a world with a smaller number than v: it comes before b, or the world after it was known before w was explored,
 * - and commutes with b: b is possible after a, and both orders lead to the same world.
 * Then the world after a in v is the one after b in the successor of w by a. That successor has a smaller number than v, so
 * that its actions came earlier. If b was left out there, too, the same holds for b. The chain ends at an action that was
 * carried out.
 *
 * Actions of two nodes commute (reduction.ts, C1), with these limits:
 * - Only the kinds of `earlierKinds` count. Others touch more than one node.
 * - The first leaves no choice open, which would have to be made before all else.
 * - Histories note at most one of the two, because they may depend on the order.
 * - Under synchronous timing, timers and reports wait for the deliveries that the first may cause. The other reports of the
 *   same crash do not.
 * Actions of one node commute if its steps show it: both orders lead to one state, and send the same messages.
 */

import { KIND, KINDS, kindOf, nodeIn, valueIn } from '../action-codes.ts';
import type { Instance } from '../instance.ts';
import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { LocalStep } from '../local-steps.ts';
import { PairTable } from '../pair-table.ts';
import type { StateStore } from '../state-store.ts';
import { NO_PARENT } from '../state-store.ts';
import type { Worlds } from '../worlds.ts';

/** Positions of actions that are looked at: the bits of an integer. */
const POSITIONS = 31;

export class SleepSets {
  readonly #worlds: Worlds;
  readonly #store: StateStore;
  /** For each kind of an action, one bit for each kind after which it is possible, and with which it may commute. */
  readonly #earlier: Int32Array;
  readonly #isSynchronous: boolean;
  /** The parent of the last world. */
  #number = NO_PARENT;
  readonly #parent: Packed = emptyPacked();
  readonly #codes: number[] = [];
  /** One bit for each action of the parent: the world after it was known before the parent was explored. */
  #known = 0;
  /** By the step of a first action of a node and the code of a second one: 1 if they commute, else 0. */
  readonly #confluent = new PairTable();

  constructor(worlds: Worlds, store: StateStore) {
    this.#worlds = worlds;
    this.#store = store;
    this.#earlier = earlierKinds(worlds.instance);
    this.#isSynchronous = worlds.instance.timing === 'synchronous';
  }

  /** Whether actions of different nodes touch different parts of each world: no limit or shift is common to all. */
  static areSound({ instance, shift }: Worlds): boolean {
    return instance.perLink === null && shift === null;
  }

  /** Removes the actions of a world that lead to known worlds. The order of the others remains. */
  remove(world: number, codes: number[]): void {
    const from = this.#store.parentOf(world);
    if (from === NO_PARENT || codes.length === 0) return;
    const last = this.#store.actionOf(world);
    const kinds = this.#earlier[kindOf(last)] ?? 0;
    if (kinds === 0) return;
    if (from !== this.#number) this.#goTo(from, world);
    const later = this.#positionOf(last, 0);
    if (later < 0) return;
    const known = this.#known | ((1 << later) - 1);
    let [kept, next] = [0, 0];
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      if (((kinds >>> kindOf(code)) & 1) !== 0) {
        const at = this.#positionOf(code, next);
        if (at >= 0) {
          next = at + 1;
          if (((known >>> at) & 1) !== 0 && this.#commute(code, last)) continue;
        }
      }
      codes[kept] = code;
      kept += 1;
    }
    codes.length = kept;
  }

  /** Goes to the parent of this world. */
  #goTo(parent: number, child: number): void {
    const store = this.#store;
    const codes = this.#codes;
    this.#number = parent;
    store.read(parent, this.#parent);
    codes.length = 0;
    this.#worlds.enabled(this.#parent, codes);
    this.#worlds.faults(this.#parent, codes);
    this.#known = 0;
    if (store.hasTwins(child)) return;
    // Worlds of one parent have consecutive numbers, in the order of its actions.
    let first = child;
    while (store.parentOf(first - 1) === parent) first -= 1;
    let at = 0;
    let children = 0;
    for (let each = first; store.parentOf(each) === parent; each += 1) {
      at = this.#positionOf(store.actionOf(each), at);
      if (at < 0) break;
      children |= 1 << at;
    }
    this.#known = ~children & ~(1 << POSITIONS);
  }

  /** The position of an action of the parent; −1 if it has none. The search begins at `start`, where it mostly is. */
  #positionOf(code: number, start: number): number {
    const codes = this.#codes;
    const end = Math.min(codes.length, POSITIONS);
    for (let at = start; at < end; at += 1) if (codes[at] === code) return at;
    for (let at = 0; at < start; at += 1) if (codes[at] === code) return at;
    return -1;
  }

  /** Whether two actions of the parent commute. The first is one of the kinds after which the second is possible. */
  #commute(first: number, second: number): boolean {
    const { steps, monitor } = this.#worlds;
    const [node, other] = [nodeIn(first), nodeIn(second)];
    if (steps.hasChoices && this.#asksAfter(node, first)) return false;
    // Different messages are on different links, or the links have no order.
    if (kindOf(first) === KIND.drop || kindOf(second) === KIND.drop) {
      return node !== other || valueIn(first) !== valueIn(second);
    }
    if (node === other) return this.#isConfluent(node, first, second);
    const isReport = kindOf(second) === KIND.suspect && this.#isSynchronous;
    if (isReport && valueIn(first) !== valueIn(second)) return false;
    return monitor === null || !this.#isNoted(node, first) || !this.#isNoted(other, second);
  }

  #localOf(node: number): number {
    return this.#parent.words[node - 1] ?? 0;
  }

  /** Whether the step of an action of the parent leaves a choice open. */
  #asksAfter(node: number, code: number): boolean {
    if (kindOf(code) === KIND.drop) return false;
    const step = this.#stepOf(node, this.#localOf(node), code);
    return step === null || this.#worlds.steps.factsOf(node, step.local).below > 0;
  }

  #isNoted(node: number, code: number): boolean {
    return this.#stepOf(node, this.#localOf(node), code)?.noted.length !== 0;
  }

  /** Whether both orders of two actions of a node lead to one state and send the same. False if a step is not known. */
  #isConfluent(node: number, first: number, second: number): boolean {
    const { steps } = this.#worlds;
    const local = this.#localOf(node);
    // A node that is down only takes messages.
    if (!steps.factsOf(node, local).up) return true;
    const index = steps.indexOf(node, local, first);
    const known = this.#confluent.get(index, second);
    if (known >= 0) return known === 1;
    const [one, other] = [this.#stepOf(node, local, first), this.#stepOf(node, local, second)];
    const last = one && this.#stepOf(node, one.local, second);
    const otherLast = other && this.#stepOf(node, other.local, first);
    if (one === null || other === null || last === null || otherLast === null) return false;
    const isNoted = [one, other, last, otherLast].some(({ noted }) => noted.length > 0);
    const isConfluent =
      last.local === otherLast.local &&
      !isNoted &&
      (one.sends.length === 0 || last.sends.length === 0) &&
      isSame(one.sends, otherLast.sends) &&
      isSame(last.sends, other.sends);
    this.#confluent.set(index, second, isConfluent ? 1 : 0);
    return isConfluent;
  }

  /** The step of a node, if it was computed. A node that is down takes messages without a step. */
  #stepOf(
    node: number,
    local: number,
    code: number,
  ): Omit<LocalStep, 'timersSet' | 'isVisible'> | null {
    const { steps } = this.#worlds;
    if (kindOf(code) === KIND.deliver && !steps.factsOf(node, local).up) {
      return { local, sends: [], noted: [] };
    }
    return steps.stepAt(steps.indexOf(node, local, code));
  }
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}

/** For each kind of an action, one bit for each kind after which it is possible, and with which it may commute. */
function earlierKinds({ timing, bounds }: Instance): Int32Array {
  const earlier = new Int32Array(KINDS.length);
  const bitOf = (kind: number) => 1 << kind;
  const faults = bitOf(KIND.drop) | bitOf(KIND.crash);
  const steps = bitOf(KIND.start) | bitOf(KIND.deliver);
  const waiting = bitOf(KIND.timeout) | bitOf(KIND.suspect);
  // Bounds need no rule: the first action is possible after the second, so that both are within them.
  const events = steps | waiting | faults;
  earlier[KIND.crash] = events;
  earlier[KIND.drop] = events;
  if (timing === 'asynchronous') {
    for (const kind of [KIND.start, KIND.deliver, KIND.timeout, KIND.suspect])
      earlier[kind] = events;
    return earlier;
  }
  // If a node that was down crashes again, the reports of its first crash may come before all else.
  const mayReturn = bounds.recover + bounds.amnesia > 0;
  earlier[KIND.start] = mayReturn ? steps | bitOf(KIND.drop) : steps | faults;
  earlier[KIND.deliver] = earlier[KIND.start] ?? 0;
  earlier[KIND.suspect] = bitOf(KIND.suspect);
  return earlier;
}
