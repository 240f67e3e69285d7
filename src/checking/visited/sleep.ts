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
 * - Only the kinds of `earlierKinds` count. Others touch more than one node, or share a bound.
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
import type { StateStore } from '../state-store.ts';
import { NO_PARENT } from '../state-store.ts';
import type { Worlds } from '../worlds.ts';

/** What an action does that matters to others. */
const EFFECT = { unknown: 0, none: 1, noted: 2, choice: 3 } as const;

export class SleepSets {
  readonly #worlds: Worlds;
  readonly #store: StateStore;
  /** For each kind of an action, one bit for each kind after which it is possible, and with which it may commute. */
  readonly #earlier: Int32Array;
  readonly #isSynchronous: boolean;
  /** The parent of the last world. */
  #number = NO_PARENT;
  readonly #parent: Packed = emptyPacked();
  /** Its actions, whether the world after each was known before, and their effects as far as they were asked for. */
  readonly #codes: number[] = [];
  readonly #isKnown: boolean[] = [];
  readonly #effects: number[] = [];

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
    const later = this.#codes.indexOf(last);
    let kept = 0;
    for (let index = 0; index < codes.length; index += 1) {
      const code = codes[index] ?? 0;
      if (((kinds >>> kindOf(code)) & 1) !== 0) {
        const at = this.#codes.indexOf(code);
        const isEarlier = at >= 0 && (at < later || this.#isKnown[at] === true);
        if (isEarlier && this.#commutes(at, later)) continue;
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
    this.#isKnown.length = 0;
    this.#effects.length = 0;
    const hasTwins = store.hasTwins(child);
    for (let at = 0; at < codes.length; at += 1) {
      this.#isKnown.push(!hasTwins);
      this.#effects.push(EFFECT.unknown);
    }
    if (hasTwins) return;
    // Worlds of one parent have consecutive numbers, in the order of its actions.
    let first = child;
    while (store.parentOf(first - 1) === parent) first -= 1;
    let at = 0;
    for (let each = first; store.parentOf(each) === parent; each += 1) {
      const action = store.actionOf(each);
      while (at < codes.length && codes[at] !== action) at += 1;
      if (at === codes.length) return;
      this.#isKnown[at] = false;
    }
  }

  /** Whether two actions of the parent commute. The first is one of the kinds after which the second is possible. */
  #commutes(earlier: number, later: number): boolean {
    const first = this.#codes[earlier] ?? 0;
    const second = this.#codes[later] ?? 0;
    const effect = this.#effectOf(earlier);
    if (effect === EFFECT.choice) return false;
    const isDrop = kindOf(first) === KIND.drop || kindOf(second) === KIND.drop;
    if (nodeIn(first) === nodeIn(second) && !isDrop) {
      return this.#isConfluent(nodeIn(first), first, second);
    }
    // Different messages are on different links, or the links have no order.
    if (isDrop) return valueIn(first) !== valueIn(second);
    const isReport = kindOf(second) === KIND.suspect && this.#isSynchronous;
    if (isReport && valueIn(first) !== valueIn(second)) return false;
    return effect === EFFECT.none || this.#effectOf(later) === EFFECT.none;
  }

  /** What an action of the parent does. */
  #effectOf(at: number): number {
    const known = this.#effects[at] ?? EFFECT.unknown;
    if (known !== EFFECT.unknown) return known;
    const code = this.#codes[at] ?? 0;
    const node = nodeIn(code);
    const { steps } = this.#worlds;
    const step = kindOf(code) === KIND.drop ? null : this.#stepOf(node, this.#localOf(node), code);
    const hasChoice = step !== null && steps.factsOf(node, step.local).below > 0;
    const noted = (step?.noted.length ?? 0) > 0 ? EFFECT.noted : EFFECT.none;
    const effect = hasChoice ? EFFECT.choice : noted;
    this.#effects[at] = effect;
    return effect;
  }

  #localOf(node: number): number {
    return this.#parent.words[node - 1] ?? 0;
  }

  /** Whether both orders of two actions of a node lead to one state and send the same. False if a step is not known. */
  #isConfluent(node: number, first: number, second: number): boolean {
    const local = this.#localOf(node);
    const [one, other] = [this.#stepOf(node, local, first), this.#stepOf(node, local, second)];
    if (one === null || other === null) return false;
    const last = this.#stepOf(node, one.local, second);
    const otherLast = this.#stepOf(node, other.local, first);
    if (last === null || otherLast === null || last.local !== otherLast.local) return false;
    const isNoted = [one, other, last, otherLast].some(({ noted }) => noted.length > 0);
    if (isNoted || (one.sends.length > 0 && last.sends.length > 0)) return false;
    return isSame(one.sends, otherLast.sends) && isSame(last.sends, other.sends);
  }

  /** The step of a node, if it was computed. A node that is down takes messages without a step. */
  #stepOf(node: number, local: number, code: number): Pick<LocalStep, 'local' | 'sends' | 'noted'> | null {
    const { steps } = this.#worlds;
    if (kindOf(code) === KIND.deliver && !steps.factsOf(node, local).up) {
      return { local, sends: [], noted: [] };
    }
    return steps.known(node, local, code);
  }
}

function isSame(left: readonly number[], right: readonly number[]): boolean {
  return left.length === right.length && left.every((each, index) => each === right[index]);
}

/** For each kind of an action, one bit for each kind after which it is possible, and with which it may commute. */
function earlierKinds({ timing, bounds }: Instance): Int32Array {
  const earlier = new Int32Array(KINDS.length);
  const bitOf = (kind: number) => 1 << kind;
  const drop = bitOf(KIND.drop);
  const crash = bitOf(KIND.crash);
  const steps = bitOf(KIND.start) | bitOf(KIND.deliver);
  const waiting = bitOf(KIND.timeout) | bitOf(KIND.suspect);
  const isSynchronous = timing === 'synchronous';
  // If a node that was down crashes again, the reports of its first crash may make others come before all else.
  const mayReturn = bounds.recover + bounds.amnesia > 0;
  const events = isSynchronous
    ? steps | drop | (mayReturn ? 0 : crash)
    : steps | drop | crash | waiting;
  earlier[KIND.start] = events;
  earlier[KIND.deliver] = events;
  earlier[KIND.suspect] = isSynchronous ? bitOf(KIND.suspect) : events;
  // Timers that have a bound share it.
  const own = bounds.timeout === null ? 0 : bitOf(KIND.timeout);
  earlier[KIND.timeout] = isSynchronous ? 0 : events & ~own;
  // What the environment may do, it may do after the step of a node, too.
  earlier[KIND.crash] = steps | waiting | drop;
  earlier[KIND.drop] = steps | waiting | crash;
  return earlier;
}
