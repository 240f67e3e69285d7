/**
 * @module
 * Partial-order reduction: in some worlds the actions of one node are explored alone, because those of the others
 * can as well come later (ample sets: D. Peled 1994; E. M. Clarke, O. Grumberg and D. Peled, Model Checking, 1999,
 * chapter 10). Such a set of actions satisfies four conditions.
 *
 * C0. It is empty only if no action is possible.
 * C1. No action that depends on one of the set happens before one of the set does. An action reads and writes the
 *     state of its own node, takes messages from links to it, and adds messages to links from it. So actions of
 *     two nodes commute, and the set of all actions that are possible at node r satisfies C1 if none can become
 *     possible at r, or stop being so, by actions of the others:
 *     - The environment has nothing left to do: it touches any node, and its bounds are common to all nodes.
 *     - No other node that may still act can send the first message of a link to r. (On links without order: any
 *       message to r.) On FIFO links, adding to a link commutes with taking its head.
 *     - Under synchronous timing, timers and reports at r wait until nothing is in flight. So the set must contain
 *       a delivery. Under asynchronous timing the timers and reports at r are in the set. If timers have a bound that
 *       is not used up, a node with timers has no such set: the others may use it up.
 *     A delivery to a node that is down for ever, of a message that can be neither lost nor doubled, is such a set, too.
 *     A choice takes no time. An action and the choice that it asks for count as one action here.
 * C2. The actions of the set change nothing that a property can see (`LocalStep.isVisible`, and notes of histories),
 *     and ask for no choice.
 * C3. Some successor is open: not explored before this world. So no action is put off for ever: each reduced world
 *     has a successor that is explored later than it, and the last of such a chain is explored in full.
 *
 * C0 and C1 keep all worlds without successors, hence all worlds at rest in which the environment can do nothing. (The
 * others are explored in full.) A property may demand more at rest than before, but not less. By C2 and C3, for each
 * execution some reduced execution has the same visible changes in the same order. So the verdicts of `always` and
 * `sometimes` properties are the same.
 *
 * Which links nodes use is learned. The search assumes that only known links are used, and is repeated with more
 * links when a message is sent on another one. This is sound: take the shortest execution to the first message on an
 * unknown link. All before it satisfies the assumption, so that the conditions hold, and the step that sends the
 * message ends the assumption, which is seen when the step is computed. A protocol that draws names (`NAMES_FROM`) is not
 * reduced, because the name that a node draws depends on the whole world.
 */

import { isFault, KIND, kindOf, nodeIn } from './action-codes.ts';
import type { Instance } from './instance.ts';
import { BOUND_NAMES } from './instance.ts';
import type { Packed } from './layout.ts';
import { BUDGET, budgetIn, emptyPacked } from './layout.ts';
import type { Worlds } from './worlds.ts';

/** What a reduction assumes of a protocol. */
export interface Assumed {
  /** For each rank, one bit for each node that sends to it: bit s − 1 for rank s. The index is the rank. */
  readonly senders: Uint16Array;
  /** Whether some node draws a name. */
  readonly drawsNames: boolean;
}

/** The assumption that nodes send nothing and draw no names. */
export function assumeNothing(): Assumed {
  return { senders: new Uint16Array(16), drawsNames: false };
}

const TIMEOUT = BOUND_NAMES.indexOf('timeout');
/** The environment cannot return nodes, lose or double messages, or stop nodes. */
const TOUCHING = BOUND_NAMES.flatMap((_, index) =>
  index === TIMEOUT || index === BUDGET.crash ? [] : [index],
);

/** The reduction of one search. */
export class Reducer {
  readonly #instance: Instance;
  readonly #assumed: Assumed;
  /** What was seen in this search, with what was assumed. */
  readonly #seen: { senders: Uint16Array; drawsNames: boolean };
  #messagesSeen = 0;
  #isBroken = false;
  readonly #target: Packed = emptyPacked();
  /** By rank: one bit for each sender of a message that is in flight. */
  readonly #flying = new Uint16Array(16);
  /** By rank: number of actions that are possible there. */
  readonly #counts = new Uint16Array(16);

  constructor(instance: Instance, assumed: Assumed) {
    this.#instance = instance;
    this.#assumed = assumed;
    this.#seen = { senders: assumed.senders.slice(), drawsNames: assumed.drawsNames };
  }

  /** Removes the actions that need not be explored in this world. */
  readonly reduce = (worlds: Worlds, explored: Explored, codes: number[]): void => {
    if (this.#assumed.drawsNames || codes.length < 2) return;
    const first = kindOf(codes[0] ?? 0);
    if (first === KIND.choose || first === KIND.name) return;
    const { words, length } = explored.source;
    if (TOUCHING.some((index) => budgetIn(words, worlds.layout, index) > 0)) return;
    if (this.#keepDead(worlds, explored, codes)) return;
    const { layout } = worlds;
    if (budgetIn(words, layout, BUDGET.crash) > 0 || codes.some(isFault)) return;
    this.#count(worlds, explored.source, codes);
    let tried = 0;
    for (let rank = this.#next(layout.endpoints, tried); rank > 0; ) {
      tried |= 1 << rank;
      if (this.#isAmple(worlds, { words, length }, rank, codes)) {
        const own = codes.filter((code) => nodeIn(code) === rank);
        if (own.some((code) => this.#leadsOn(worlds, explored, code))) {
          keep(codes, own);
          return;
        }
      }
      rank = this.#next(layout.endpoints, tried);
    }
  };

  /**
   * What must be assumed instead, if this search has seen something that was not assumed; null if the assumption
   * holds. The search must be repeated with it.
   */
  revised(worlds: Worlds): Assumed | null {
    const { links, drawnNames } = worlds.steps;
    for (; this.#messagesSeen < links.length; this.#messagesSeen += 1) {
      const link = links[this.#messagesSeen] ?? 0;
      const [from, to] = [link >>> 4, link & 15];
      const bit = 1 << (from - 1);
      if (((this.#seen.senders[to] ?? 0) & bit) !== 0) continue;
      this.#seen.senders[to] = (this.#seen.senders[to] ?? 0) | bit;
      this.#isBroken = true;
    }
    if (drawnNames > 0 && !this.#seen.drawsNames) {
      this.#seen.drawsNames = true;
      this.#isBroken = true;
    }
    return this.#isBroken ? this.#seen : null;
  }

  /** Keeps a delivery to a node that is down for ever, if there is one whose successor is open. */
  #keepDead(worlds: Worlds, explored: Explored, codes: number[]): boolean {
    const dead = codes.find(
      (code) =>
        kindOf(code) === KIND.deliver &&
        !worlds.factsAt(explored.source.words, nodeIn(code)).up &&
        this.#leadsOn(worlds, explored, code),
    );
    if (dead === undefined) return false;
    keep(codes, [dead]);
    return true;
  }

  /** Whether the successor of an action is open (C3). */
  #leadsOn(worlds: Worlds, { source, isOpen }: Explored, code: number): boolean {
    worlds.apply(source, code, this.#target);
    return isOpen(this.#target);
  }

  /** Counts the actions of each node, and notes which links have messages. */
  #count(worlds: Worlds, { words, length }: Packed, codes: readonly number[]): void {
    this.#counts.fill(0);
    for (const code of codes) this.#counts[nodeIn(code)] = (this.#counts[nodeIn(code)] ?? 0) + 1;
    this.#flying.fill(0);
    for (let at = worlds.layout.fixed; at < length; at += 1) {
      const link = worlds.steps.links[words[at] ?? 0] ?? 0;
      const to = link & 15;
      this.#flying[to] = (this.#flying[to] ?? 0) | (1 << ((link >>> 4) - 1));
    }
  }

  /** The node with the fewest actions that was not tried; 0 if there is none. */
  #next(endpoints: number, tried: number): number {
    let best = 0;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const count = this.#counts[rank] ?? 0;
      if (count === 0 || (tried & (1 << rank)) !== 0) continue;
      if (best === 0 || count < (this.#counts[best] ?? 0)) best = rank;
    }
    return best;
  }

  /** Whether the actions of a node satisfy C1 and C2. */
  #isAmple(worlds: Worlds, world: Packed, rank: number, codes: readonly number[]): boolean {
    const { timing, links, bounds, perLink } = this.#instance;
    const { words } = world;
    const { timers, up } = worlds.factsAt(words, rank);
    const own = codes.filter((code) => nodeIn(code) === rank);
    // The limit, like a shift of terms, makes actions of different nodes depend on each other.
    if (!up || perLink !== null || worlds.shift !== null) return false;
    if (timing === 'synchronous') {
      if (!own.some((code) => kindOf(code) === KIND.deliver)) return false;
    } else if (
      bounds.timeout !== null &&
      timers.length > 0 &&
      budgetIn(words, worlds.layout, TIMEOUT) > 0
    ) {
      return false;
    }
    const senders = (this.#assumed.senders[rank] ?? 0) & this.#active(worlds, rank);
    const late = links === 'fifo' ? senders & ~(this.#flying[rank] ?? 0) : senders;
    if (late !== 0) return false;
    const local = words[rank - 1] ?? 0;
    return own.every((code) => isHidden(worlds, rank, local, code));
  }

  /** The nodes, as bits, that may act before this one does: those that can act, and all that they may reach. */
  #active(worlds: Worlds, without: number): number {
    const { endpoints } = worlds.layout;
    let active = 0;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      if (rank !== without && (this.#counts[rank] ?? 0) > 0) active |= 1 << (rank - 1);
    }
    for (let before = 0; before !== active; ) {
      before = active;
      for (let rank = 1; rank <= endpoints; rank += 1) {
        if (rank !== without && ((this.#assumed.senders[rank] ?? 0) & active) !== 0) {
          active |= 1 << (rank - 1);
        }
      }
    }
    return active;
  }
}

/** Whether no property can see the step, and it asks for no choice (C2). */
function isHidden({ steps }: Worlds, rank: number, local: number, code: number): boolean {
  const { isVisible, local: after } = steps.step(rank, local, code);
  return !isVisible && steps.factsOf(rank, after).below === 0;
}

function keep(codes: number[], kept: readonly number[]): void {
  codes.length = 0;
  codes.push(...kept);
}

/** What a reduction may ask about the world that is explored. */
export interface Explored {
  /** The world. */
  readonly source: Packed;
  /**
   * Whether this successor was not explored before: it is new, or waits in the queue. Depth-first only new worlds
   * count. The answer is the same with any number of threads. The successor may be replaced by a renamed one.
   */
  readonly isOpen: (successor: Packed) => boolean;
}

/** Removes the actions that need not be explored in this world from `codes`, and keeps the order of the others. */
export type Reduction = (worlds: Worlds, explored: Explored, codes: number[]) => void;

/** Appends the codes of the actions that the search carries out in a world. */
export function expand(
  worlds: Worlds,
  explored: Explored,
  reduction: Reduction | null,
  codes: number[],
): void {
  worlds.enabled(explored.source, codes);
  worlds.faults(explored.source, codes);
  reduction?.(worlds, explored, codes);
}
