/**
 * @module
 * The worlds of an instance: the first one, which actions each enables, and the world after an action, all in packed
 * words. Tests compare them with `enabled` and `apply` of election/world.ts.
 */

import type { WorldNode } from '../election/world/world-state.ts';
import { codeOf, KIND, kindOf, nodeIn, valueIn } from './action-codes.ts';
import type { Instance } from './instance.ts';
import { assertInstance } from './instance.ts';
import { TooManyValuesError } from './interner.ts';
import type { Layout } from './layout.ts';
import {
  BUDGET,
  budgetIn,
  clearBit,
  fitsLinks,
  hasBit,
  layoutOf,
  setBit,
  spend,
  writeBudgets,
} from './layout.ts';
import type { LocalFacts } from './local-steps.ts';
import { LocalSteps, NAMES_FROM, TRUST } from './local-steps.ts';
import type { Monitor } from './monitor.ts';

/** Words of the largest world: fixed part and messages. */
export const WORDS_MAX = 1024;

/** A world, or the space for one. Only the first `length` words have a meaning. */
export interface Packed {
  readonly words: Uint16Array;
  length: number;
}

export function emptyPacked(): Packed {
  return { words: new Uint16Array(WORDS_MAX), length: 0 };
}

export class Worlds {
  readonly steps: LocalSteps;
  readonly layout: Layout;
  readonly instance: Instance;
  /** Whether the last action changed what properties see: who is up, leaders, what they read, and the past. */
  isVisible = false;
  /** Whether no link has more messages after the last action than `perLink` allows. Others are not visited. */
  isWithin = true;
  /** Codes of the timers that the last action set. */
  readonly timersSet: number[] = [];
  /** The reports of returns that belonged to the last action, in order. */
  readonly returnsReported: { readonly node: number; readonly about: number }[] = [];
  readonly monitor: Monitor | null;
  readonly #isFifo: boolean;
  readonly #isTimeBounded: boolean;

  constructor(instance: Instance, monitor: Monitor | null) {
    assertInstance(instance);
    this.instance = instance;
    this.steps = new LocalSteps(instance.cast, monitor, instance.cut);
    this.layout = layoutOf(instance, monitor?.words ?? 0);
    this.monitor = monitor;
    this.#isFifo = instance.links === 'fifo';
    this.#isTimeBounded = instance.bounds.timeout !== null;
  }

  /** Writes the first world. */
  first(target: Packed): void {
    const { instance, layout } = this;
    const { words } = target;
    words.fill(0);
    target.length = layout.fixed;
    words.set(this.steps.initialLocals(instance.crashedBefore));
    writeBudgets(words, layout, instance);
    const initiators = instance.initiators.filter((rank) => this.factsAt(words, rank).up);
    for (const rank of initiators) setBit(words, layout.starts, rank);
    if (layout.reports < 0) return;
    // All members know the nodes that were down before the election.
    for (let rank = 1; rank <= layout.endpoints; rank += 1) {
      for (const dead of instance.crashedBefore) {
        if (dead !== rank) setBit(words, layout.reports + rank - 1, dead);
      }
    }
  }

  factsAt(words: Uint16Array, rank: number): LocalFacts {
    return this.steps.factsOf(rank, words[rank - 1] ?? 0);
  }

  /** The node or store as the reference semantics has it, without the ticks of its timers. */
  nodeAt(words: Uint16Array, rank: number): WorldNode {
    return this.steps.localOf(rank, words[rank - 1] ?? 0).node;
  }

  /** Appends the codes of the actions that the protocol and its network may do next. */
  enabled({ words, length }: Packed, codes: number[]): void {
    const { endpoints, starts } = this.layout;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const { below, paused } = this.factsAt(words, rank);
      if (below === 0 || paused) continue;
      if (below > NAMES_FROM) codes.push(this.steps.nameCode(rank, this.#freshName(words, length)));
      else codes.push(...this.steps.choicesOf(rank, words[rank - 1] ?? 0));
      return;
    }
    const isTogether = this.instance.starts === 'together';
    const before = codes.length;
    if (this.instance.timing === 'synchronous' && !(isTogether && this.#isStarting(words))) {
      this.#begunReports(words, codes);
      if (codes.length > before) return;
    }
    if (starts >= 0 && words[starts] !== 0) {
      for (let rank = 1; rank <= endpoints; rank += 1) {
        if (!hasBit(words, starts, rank) || this.factsAt(words, rank).paused) continue;
        codes.push(codeOf(KIND.start, rank, 0));
        if (isTogether) return;
      }
    }
    const started = codes.length;
    this.#deliveries(words, length, codes);
    if (this.instance.timing === 'synchronous' && codes.length > started) return;
    this.#reports(words, codes);
    if (this.#isTimeBounded && budgetIn(words, this.layout, BUDGET.timeout) === 0) return;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const { timers, paused } = this.factsAt(words, rank);
      if (paused) continue;
      for (const timer of timers) codes.push(codeOf(KIND.timeout, rank, timer));
    }
  }

  /** Codes of the timers that are set at nodes that are not paused, whether or not they may fire now. */
  setTimers({ words }: Packed): number[] {
    const codes: number[] = [];
    for (let rank = 1; rank <= this.layout.endpoints; rank += 1) {
      const { timers, paused } = this.factsAt(words, rank);
      if (!paused) for (const timer of timers) codes.push(codeOf(KIND.timeout, rank, timer));
    }
    return codes;
  }

  /** Whether nothing more happens without the environment. A paused node may act again. */
  isAtRest({ words, length }: Packed): boolean {
    const { endpoints, starts, fixed } = this.layout;
    if (length > fixed || (starts >= 0 && words[starts] !== 0)) return false;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const { below, paused, timers } = this.factsAt(words, rank);
      if (below > 0 || paused || timers.length > 0) return false;
    }
    const reports: number[] = [];
    this.#reports(words, reports);
    return reports.length === 0;
  }

  /** Appends the codes of what the environment may do. While a choice or a common start is open, nothing. */
  faults({ words, length }: Packed, codes: number[]): void {
    const { layout } = this;
    if (layout.budgets < 0 || this.#isUrgent(words)) return;
    const { nodes } = this.instance.cast;
    const budget = (index: number) => budgetIn(words, layout, index);
    const [crash, pause] = [budget(BUDGET.crash), budget(BUDGET.pause)];
    const [recover, amnesia] = [budget(BUDGET.recover), budget(BUDGET.amnesia)];
    for (let rank = 1; rank <= nodes; rank += 1) {
      const { up, paused } = this.factsAt(words, rank);
      if (up && crash > 0) codes.push(codeOf(KIND.crash, rank, 0));
      if (!up && recover > 0) codes.push(codeOf(KIND.recover, rank, 0));
      if (!up && amnesia > 0) codes.push(codeOf(KIND.recover, rank, 1));
      if (up && !paused && pause > 0) codes.push(codeOf(KIND.pause, rank, 0));
      if (paused) codes.push(codeOf(KIND.resume, rank, 0));
    }
    const [loss, duplicate] = [budget(BUDGET.loss), budget(BUDGET.duplicate)];
    if (loss === 0 && duplicate === 0) return;
    for (let at = layout.fixed; at < length; at += 1) {
      if (!this.#isHead(words, at)) continue;
      const message = words[at] ?? 0;
      const to = this.#recipientOf(message);
      if (loss > 0) codes.push(codeOf(KIND.drop, to, message));
      if (duplicate > 0) codes.push(codeOf(KIND.duplicate, to, message));
    }
  }

  /** Writes the world after an action that is enabled in `source`. */
  apply(source: Packed, code: number, target: Packed): void {
    const { words } = target;
    words.set(source.words.subarray(0, source.length));
    target.length = source.length;
    this.isVisible = false;
    this.timersSet.length = 0;
    this.returnsReported.length = 0;
    const node = nodeIn(code);
    const value = valueIn(code);
    switch (kindOf(code)) {
      case KIND.start:
        words[this.layout.starts] = (words[this.layout.starts] ?? 0) & ~(1 << (node - 1));
        this.#step(target, node, code);
        break;
      case KIND.deliver:
        this.#take(target, value);
        if (this.factsAt(words, node).up) this.#step(target, node, code);
        break;
      case KIND.drop:
        spend(words, this.layout, BUDGET.loss);
        this.#take(target, value);
        break;
      case KIND.duplicate:
        spend(words, this.layout, BUDGET.duplicate);
        this.#put(target, value);
        break;
      case KIND.timeout:
        if (this.#isTimeBounded) spend(words, this.layout, BUDGET.timeout);
        this.#step(target, node, code);
        break;
      case KIND.suspect:
        setBit(words, this.layout.reports + node - 1, value);
        this.#step(target, node, code);
        break;
      case KIND.crash:
        spend(words, this.layout, BUDGET.crash);
        if (this.layout.reports >= 0) words[this.layout.reports + node - 1] = 0;
        this.#clearStart(words, node);
        this.#step(target, node, code);
        break;
      case KIND.recover:
        spend(words, this.layout, value === 1 ? BUDGET.amnesia : BUDGET.recover);
        this.#reportReturn(target, node);
        this.#step(target, node, code);
        break;
      case KIND.pause:
        spend(words, this.layout, BUDGET.pause);
        this.#step(target, node, code);
        break;
      case KIND.resume:
        this.#step(target, node, code);
        this.#reportMissed(target, node);
        break;
      default:
        this.#step(target, node, code);
    }
    this.isWithin = fitsLinks(target, this.layout, this.steps.links, this.instance.perLink);
  }

  #step(target: Packed, rank: number, code: number): void {
    const { words } = target;
    const before = words[rank - 1] ?? 0;
    const { local, sends, noted, timersSet, isVisible } = this.steps.step(rank, before, code);
    words[rank - 1] = local;
    if (isVisible) this.isVisible = true;
    if (timersSet.length > 0) this.timersSet.push(...timersSet);
    for (const message of sends) this.#put(target, message);
    if (noted.length > 0 && this.monitor?.note(words, this.layout.monitor, noted) === true) {
      this.isVisible = true;
    }
  }

  /** The smallest name that is nowhere in the world. */
  #freshName(words: Uint16Array, length: number): number {
    const used = new Set<number>();
    for (let rank = 1; rank <= this.layout.endpoints; rank += 1) {
      for (const name of this.factsAt(words, rank).names) used.add(name);
    }
    for (let at = this.layout.fixed; at < length; at += 1) {
      for (const name of this.steps.namesOf[words[at] ?? 0] ?? []) used.add(name);
    }
    let fresh = NAMES_FROM;
    while (used.has(fresh)) fresh += 1;
    return fresh;
  }

  /** Whether a node that is awake has not started. */
  #isStarting(words: Uint16Array): boolean {
    const { endpoints, starts } = this.layout;
    if (starts < 0 || words[starts] === 0) return false;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      if (hasBit(words, starts, rank) && !this.factsAt(words, rank).paused) return true;
    }
    return false;
  }

  #isUrgent(words: Uint16Array): boolean {
    if (this.instance.starts === 'together' && this.#isStarting(words)) return true;
    for (let rank = 1; rank <= this.layout.endpoints; rank += 1) {
      const { below, paused } = this.factsAt(words, rank);
      if (below > 0 && !paused) return true;
    }
    return false;
  }

  #deliveries(words: Uint16Array, length: number, codes: number[]): void {
    for (let at = this.layout.fixed; at < length; at += 1) {
      if (!this.#isHead(words, at)) continue;
      const message = words[at] ?? 0;
      const to = this.#recipientOf(message);
      if (!this.factsAt(words, to).paused) codes.push(codeOf(KIND.deliver, to, message));
    }
  }

  /** Whether the message at this word is the first of its link, or the first of equal ones without FIFO. */
  #isHead(words: Uint16Array, at: number): boolean {
    if (at === this.layout.fixed) return true;
    const message = words[at] ?? 0;
    const before = words[at - 1] ?? 0;
    const { links } = this.steps;
    return this.#isFifo ? links[message] !== links[before] : message !== before;
  }

  #recipientOf(message: number): number {
    return (this.steps.links[message] ?? 0) & 15;
  }

  #reports(words: Uint16Array, codes: number[]): void {
    const { reports } = this.layout;
    if (reports < 0) return;
    const { nodes } = this.instance.cast;
    for (let rank = 1; rank <= nodes; rank += 1) {
      const { up, paused } = this.factsAt(words, rank);
      if (!up || paused) continue;
      for (let about = 1; about <= nodes; about += 1) {
        if (about === rank || hasBit(words, reports + rank - 1, about)) continue;
        if (!this.factsAt(words, about).up) codes.push(codeOf(KIND.suspect, rank, about));
      }
    }
  }

  /** Appends the reports that remain of a crash. Under synchronous timing all nodes get them in the same tick. */
  #begunReports(words: Uint16Array, codes: number[]): void {
    const { reports } = this.layout;
    if (reports < 0) return;
    const pending: number[] = [];
    this.#reports(words, pending);
    for (const code of pending) if (this.#isReported(words, valueIn(code))) codes.push(code);
  }

  /** Whether the crash of a node was reported to some node. */
  #isReported(words: Uint16Array, about: number): boolean {
    for (let rank = 1; rank <= this.instance.cast.nodes; rank += 1) {
      if (rank !== about && hasBit(words, this.layout.reports + rank - 1, about)) return true;
    }
    return false;
  }

  /** Reports the return of a node to all awake nodes that know of its crash. */
  #reportReturn(target: Packed, about: number): void {
    const { reports } = this.layout;
    if (reports < 0) return;
    const { words } = target;
    for (let rank = 1; rank <= this.instance.cast.nodes; rank += 1) {
      if (rank === about || !hasBit(words, reports + rank - 1, about)) continue;
      const { up, paused } = this.factsAt(words, rank);
      if (paused) continue;
      clearBit(words, reports + rank - 1, about);
      if (up) this.#reportOne(target, rank, about);
    }
  }

  /** Reports to a resumed node the returns that it missed. */
  #reportMissed(target: Packed, rank: number): void {
    const { reports } = this.layout;
    if (reports < 0) return;
    const { words } = target;
    for (let about = 1; about <= this.instance.cast.nodes; about += 1) {
      if (!hasBit(words, reports + rank - 1, about) || !this.factsAt(words, about).up) continue;
      clearBit(words, reports + rank - 1, about);
      this.#reportOne(target, rank, about);
    }
  }

  #reportOne(target: Packed, node: number, about: number): void {
    this.returnsReported.push({ node, about });
    this.#step(target, node, codeOf(TRUST, node, about));
  }

  /** A node that crashes before its start does not start. */
  #clearStart(words: Uint16Array, rank: number): void {
    if (this.layout.starts >= 0) clearBit(words, this.layout.starts, rank);
  }

  #put(target: Packed, message: number): void {
    const { words, length } = target;
    if (length >= WORDS_MAX)
      throw new TooManyValuesError(`more than ${WORDS_MAX} words in a world`);
    const { links } = this.steps;
    const link = links[message] ?? 0;
    let at = length;
    for (; at > this.layout.fixed; at -= 1) {
      const before = words[at - 1] ?? 0;
      if (this.#isFifo ? (links[before] ?? 0) <= link : before <= message) break;
      words[at] = before;
    }
    words[at] = message;
    target.length = length + 1;
  }

  #take(target: Packed, message: number): void {
    const { words, length } = target;
    let at = this.layout.fixed;
    while (at < length && words[at] !== message) at += 1;
    if (at === length) throw new RangeError(`"message" expected one in flight, got ${message}`);
    words.copyWithin(at, at + 1, length);
    target.length = length - 1;
  }
}
