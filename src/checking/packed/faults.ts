/**
 * @module
 * This folder contains the parts of packed worlds: messages, reports of the detector, and the environment. This file has
 * the messages in flight, and what the environment may do within its bounds: crashes, returns, pauses, joins, partitions,
 * losses, duplicates, jumps of clocks, lost writes of the store, and the lies of free Byzantine nodes.
 */

import { codeOf, JUMPED_FROM, KIND, SIDE_BITS, valueIn } from '../action-codes.ts';
import type { Instance } from '../instance.ts';
import { beforeNumbering, TooManyValuesError } from '../interner.ts';
import type { Layout, Packed } from '../layout.ts';
import { BUDGET, budgetIn, hasBit, WORDS_MAX } from '../layout.ts';
import type { LocalFacts, LocalSteps } from '../local-steps.ts';

export class Faults {
  readonly #instance: Instance;
  readonly #layout: Layout;
  readonly #steps: LocalSteps;
  readonly #flights: Flights;
  /** By rank and local state, the codes of the lies of a node. */
  readonly #lies = new Map<number, number[][]>();
  readonly #never: ReadonlySet<number>;

  constructor(instance: Instance, layout: Layout, steps: LocalSteps, flights: Flights) {
    this.#instance = instance;
    this.#layout = layout;
    this.#steps = steps;
    this.#flights = flights;
    this.#never = new Set(instance.phantoms ?? []);
  }

  /** Whether a rank is no member, or not yet. */
  isAbsent(words: Uint16Array, rank: number): boolean {
    if (this.#never.has(rank)) return true;
    const { absent } = this.#layout;
    if (absent >= 0) return hasBit(words, absent, rank);
    return this.#instance.absent?.includes(rank) === true;
  }

  append({ words, length }: Packed, codes: number[]): void {
    const layout = this.#layout;
    if (layout.budgets < 0) return;
    this.#appendOfNodes(words, codes);
    const { cast, timing } = this.#instance;
    if (cast.store !== null && budgetIn(words, layout, BUDGET.failover) > 0) {
      codes.push(codeOf(KIND.enter, cast.store, 1));
    }
    const isWaiting = timing === 'synchronous' && length > layout.fixed;
    if (isWaiting && budgetIn(words, layout, BUDGET.jump) > 0) this.#appendJumps(words, codes);
    if (layout.split >= 0) this.#appendPartitions(words, codes);
    const loss = budgetIn(words, layout, BUDGET.loss);
    const duplicate = budgetIn(words, layout, BUDGET.duplicate);
    if (loss > 0 || duplicate > 0) {
      for (let at = layout.fixed; at < length; at += 1) {
        if (!this.#flights.isHead(words, at)) continue;
        const message = words[at] ?? 0;
        const to = this.#flights.recipientOf(message);
        if (loss > 0) codes.push(codeOf(KIND.drop, to, message));
        if (duplicate > 0) codes.push(codeOf(KIND.duplicate, to, message));
      }
    }
  }

  /** Appends the codes of the ends of pauses and of the partition. */
  appendReliefs(words: Uint16Array, codes: number[]): void {
    const { budgets, split } = this.#layout;
    if (budgets < 0) return;
    for (let rank = 1; rank <= this.#instance.cast.nodes; rank += 1) {
      if (this.#factsAt(words, rank).paused) codes.push(codeOf(KIND.resume, rank, 0));
    }
    if (split >= 0 && this.#flights.cutIn(words) !== 0) codes.push(codeOf(KIND.split, 1, 0));
  }

  #factsAt(words: Uint16Array, rank: number): LocalFacts {
    return this.#steps.factsOf(rank, words[rank - 1] ?? 0);
  }

  #appendOfNodes(words: Uint16Array, codes: number[]): void {
    const budget = (index: number) => budgetIn(words, this.#layout, index);
    const [crash, pause] = [budget(BUDGET.crash), budget(BUDGET.pause)];
    const [recover, amnesia] = [budget(BUDGET.recover), budget(BUDGET.amnesia)];
    const [join, lies] = [budget(BUDGET.join), budget(BUDGET.lies)];
    const leave = budget(BUDGET.leave);
    for (let rank = 1; rank <= this.#instance.cast.nodes; rank += 1) {
      const { up, paused } = this.#factsAt(words, rank);
      if (!up && this.isAbsent(words, rank)) {
        if (join > 0 && !this.#never.has(rank)) codes.push(codeOf(KIND.enter, rank, 0));
        continue;
      }
      if (leave > 0) codes.push(codeOf(KIND.enter, rank, 1));
      if (up && crash > 0) codes.push(codeOf(KIND.crash, rank, 0));
      if (!up && recover > 0) codes.push(codeOf(KIND.recover, rank, 0));
      if (!up && amnesia > 0) codes.push(codeOf(KIND.recover, rank, 1));
      if (up && !paused && pause > 0) codes.push(codeOf(KIND.pause, rank, 0));
      if (paused) codes.push(codeOf(KIND.resume, rank, 0));
      if (up && !paused && lies > 0) this.#appendLies(words, rank, codes);
    }
  }

  /** The timers that would have to wait for the messages in flight. */
  #appendJumps(words: Uint16Array, codes: number[]): void {
    for (let rank = 1; rank <= this.#instance.cast.nodes; rank += 1) {
      const { paused, timers } = this.#factsAt(words, rank);
      if (paused) continue;
      for (const timer of timers) codes.push(codeOf(KIND.enter, rank, JUMPED_FROM + timer));
    }
  }

  /** Every division of nodes and store into two sides, and every cut of one direction. One ends before the next begins. */
  #appendPartitions(words: Uint16Array, codes: number[]): void {
    const { endpoints } = this.#layout;
    if (this.#flights.cutIn(words) !== 0) {
      codes.push(codeOf(KIND.split, 1, 0));
      return;
    }
    const may = (index: number) => budgetIn(words, this.#layout, index) > 0;
    if (may(BUDGET.partition)) {
      // The side of node 1 has no bits.
      for (let side = 2; side < 1 << endpoints; side += 2) codes.push(codeOf(KIND.split, 1, side));
    }
    for (let rank = 1; rank <= endpoints; rank += 1) {
      if (may(BUDGET.bridge)) {
        const free = rank === 1 ? 3 : 1 | (1 << (rank - 1));
        for (let side = 1; side < 1 << endpoints; side += 1) {
          if ((side & free) === 0) codes.push(codeOf(KIND.split, 1, side | (rank << SIDE_BITS)));
        }
      }
      for (let to = 1; may(BUDGET.oneWay) && to <= endpoints; to += 1) {
        if (to !== rank) codes.push(codeOf(KIND.split, 1, (rank | (to << 4)) << SIDE_BITS));
      }
    }
  }

  #appendLies(words: Uint16Array, rank: number, codes: number[]): void {
    const freeNode = this.#instance.free?.get(rank);
    if (freeNode === undefined) return;
    const local = words[rank - 1] ?? 0;
    const known = this.#lies.get(rank) ?? [];
    this.#lies.set(rank, known);
    const lies = known[local];
    if (lies !== undefined) {
      codes.push(...lies);
      return;
    }
    beforeNumbering();
    const { state } = this.#steps.localOf(rank, local).node;
    const made: number[] = [];
    for (const message of freeNode(state)) {
      assertActions(this.#instance, codes.length + made.length + 1);
      const number = this.#steps.numberMessage({ from: rank, to: rank, message });
      made.push(codeOf(KIND.lie, rank, number));
    }
    known[local] = made;
    codes.push(...made);
  }
}

/** Throws TooManyValuesError if a world of the instance must not have this number of actions. */
export function assertActions({ actionsMax }: Instance, actions: number): void {
  if (actionsMax === undefined || actions <= actionsMax) return;
  throw new TooManyValuesError(`more than ${actionsMax} actions are possible`);
}

/**
 * The messages in flight of a packed world: which of them can move, and how they come and go. What is sent from one
 * side of a partition to the other is lost. What is in flight when the partition begins still arrives, as in the
 * simulator.
 */
export class Flights {
  readonly #steps: LocalSteps;
  readonly #fixed: number;
  readonly #split: number;
  readonly #link: number;
  readonly #isFifo: boolean;

  constructor(steps: LocalSteps, { fixed, split, link }: Layout, isFifo: boolean) {
    this.#steps = steps;
    this.#fixed = fixed;
    this.#split = split;
    this.#link = link;
    this.#isFifo = isFifo;
  }

  /** Whether the message at this word is the first of its link, or the first of equal ones without FIFO. */
  isHead(words: Uint16Array, at: number): boolean {
    if (at === this.#fixed) return true;
    const message = words[at] ?? 0;
    const before = words[at - 1] ?? 0;
    const { links } = this.#steps;
    return this.#isFifo ? links[message] !== links[before] : message !== before;
  }

  recipientOf(message: number): number {
    return (this.#steps.links[message] ?? 0) & 15;
  }

  /** Whether messages that are sent now on this link are lost. */
  isSplit(words: Uint16Array, from: number, to: number): boolean {
    if (this.#split < 0) return false;
    const side = words[this.#split] ?? 0;
    const link = this.#link < 0 ? 0 : (words[this.#link] ?? 0);
    if (side === 0) return link === (from | (to << 4));
    if (link === from || link === to) return false;
    return (((side >>> (from - 1)) ^ (side >>> (to - 1))) & 1) !== 0;
  }

  /** The value of the action that began the present cut. 0 without one. */
  cutIn(words: Uint16Array): number {
    const link = this.#link < 0 ? 0 : (words[this.#link] ?? 0);
    return (words[this.#split] ?? 0) | (link << SIDE_BITS);
  }

  /** A node sends a message. */
  send(target: Packed, message: number): void {
    const link = this.#steps.links[message] ?? 0;
    if (this.#split >= 0 && this.isSplit(target.words, link >>> 4, link & 15)) return;
    this.put(target, message);
  }

  put(target: Packed, message: number): void {
    const { words, length } = target;
    if (length >= WORDS_MAX)
      throw new TooManyValuesError(`more than ${WORDS_MAX} words in a world`);
    const { links } = this.#steps;
    const link = links[message] ?? 0;
    let at = length;
    for (; at > this.#fixed; at -= 1) {
      const before = words[at - 1] ?? 0;
      if (this.#isFifo ? (links[before] ?? 0) <= link : before <= message) break;
      words[at] = before;
    }
    words[at] = message;
    target.length = length + 1;
  }

  take(target: Packed, message: number): void {
    const { words, length } = target;
    let at = this.#fixed;
    while (at < length && words[at] !== message) at += 1;
    if (at === length) throw new RangeError(`"message" expected one in flight, got ${message}`);
    for (; at < length - 1; at += 1) words[at] = words[at + 1] ?? 0;
    target.length = length - 1;
  }
}

/**
 * Which reports of the perfect failure detector are open in a packed world: those of crashes to nodes that have not
 * received them. No detector reports a node that has not joined.
 */
export class Reports {
  readonly #nodes: number;
  readonly #layout: Layout;
  readonly #factsAt: (words: Uint16Array, rank: number) => LocalFacts;
  readonly #isAbsent: (words: Uint16Array, rank: number) => boolean;
  readonly #pending: number[] = [];

  constructor(
    { cast }: Instance,
    layout: Layout,
    parts: {
      readonly factsAt: (words: Uint16Array, rank: number) => LocalFacts;
      readonly isAbsent: (words: Uint16Array, rank: number) => boolean;
    },
  ) {
    this.#nodes = cast.nodes;
    this.#layout = layout;
    this.#factsAt = parts.factsAt;
    this.#isAbsent = parts.isAbsent;
  }

  /** Appends the codes of the open reports to nodes that are awake. */
  append(words: Uint16Array, codes: number[]): void {
    const { reports } = this.#layout;
    if (reports < 0) return;
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      const { up, paused } = this.#factsAt(words, rank);
      if (!up || paused) continue;
      for (let about = 1; about <= this.#nodes; about += 1) {
        if (about === rank || hasBit(words, reports + rank - 1, about)) continue;
        if (this.#factsAt(words, about).up || this.#isAbsent(words, about)) continue;
        codes.push(codeOf(KIND.suspect, rank, about));
      }
    }
  }

  /** Appends the reports that remain of a crash. Under synchronous timing all nodes get them in the same tick. */
  appendBegun(words: Uint16Array, codes: number[]): void {
    if (!this.#isAnyReported(words)) return;
    const pending = this.#pending;
    pending.length = 0;
    this.append(words, pending);
    for (const code of pending) if (this.#isReported(words, valueIn(code))) codes.push(code);
  }

  /** Whether some awake node has an open report. */
  isOpen(words: Uint16Array): boolean {
    this.#pending.length = 0;
    this.append(words, this.#pending);
    return this.#pending.length > 0;
  }

  #isAnyReported(words: Uint16Array): boolean {
    const { reports } = this.#layout;
    if (reports < 0) return false;
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      if (words[reports + rank - 1] !== 0) return true;
    }
    return false;
  }

  /** Whether the crash of a node was reported to some node. */
  #isReported(words: Uint16Array, about: number): boolean {
    for (let rank = 1; rank <= this.#nodes; rank += 1) {
      if (rank !== about && hasBit(words, this.#layout.reports + rank - 1, about)) return true;
    }
    return false;
  }
}
