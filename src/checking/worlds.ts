/**
 * @module
 * The worlds of an instance: the first one, which actions each enables, and the world after an action, all in packed
 * words. Tests compare them with `enabled` and `apply` of election/world.ts.
 */

import type { Separation } from '../election/world/world.ts';
import type { WorldNode } from '../election/world/world-state.ts';
import type { ReportType } from './action-codes.ts';
import {
  codeOf,
  JUMPED_FROM,
  KIND,
  kindOf,
  nodeIn,
  reportCode,
  SIDE_BITS,
  valueIn,
} from './action-codes.ts';
import type { Instance } from './instance.ts';
import { assertInstance } from './instance.ts';
import type { Layout, Packed } from './layout.ts';
import {
  BUDGET,
  budgetIn,
  clearBit,
  copyWorld,
  fitsLinks,
  hasBit,
  layoutOf,
  maskOf,
  ranksIn,
  setBit,
  spend,
  writeBudgets,
} from './layout.ts';
import type { LocalFacts } from './local-steps.ts';
import { LocalSteps, NAMES_FROM, NAMES_STRIDE } from './local-steps.ts';
import type { Monitor } from './monitor.ts';
import { assertActions, Faults, Flights, Reports } from './packed/faults.ts';
import type { Shift } from './terms/shift.ts';
import { shiftOf } from './terms/shift.ts';

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
  /** Codes of the steps of nodes of which the last action consists, in order, if it is more than its own step. */
  readonly parts: number[] = [];
  readonly #flights: Flights;
  readonly #faults: Faults;
  readonly #reports: Reports;
  readonly monitor: Monitor | null;
  readonly shift: Shift | null;
  readonly #isTimeBounded: boolean;
  /** Whether a node that follows a leader before its start does not start any more. */
  readonly #isOneElection: boolean;

  constructor(instance: Instance, monitor: Monitor | null) {
    assertInstance(instance);
    this.instance = instance;
    this.steps = new LocalSteps(instance.cast, monitor, instance);
    this.shift = shiftOf(instance, monitor, this.steps);
    this.layout = layoutOf(instance, monitor?.words ?? 0);
    this.monitor = monitor;
    this.#isOneElection = this.layout.starts >= 0 && instance.starts === 'any';
    this.#isTimeBounded = instance.bounds.timeout !== null;
    this.#flights = new Flights(this.steps, this.layout, instance.links === 'fifo');
    this.#faults = new Faults(instance, this.layout, this.steps, this.#flights);
    this.#reports = new Reports(instance, this.layout, {
      factsAt: (words, rank) => this.factsAt(words, rank),
      isAbsent: (words, rank) => this.#faults.isAbsent(words, rank),
    });
  }

  /** Writes the first world. */
  first(target: Packed): void {
    const { instance, layout } = this;
    const { words } = target;
    words.fill(0);
    target.length = layout.fixed;
    const { crashedBefore, absent = [], phantoms = [] } = instance;
    const missing = [...absent, ...phantoms].toSorted((left, right) => left - right);
    words.set(this.steps.initialLocals(crashedBefore, missing));
    if (layout.absent >= 0) words[layout.absent] = maskOf(missing);
    writeBudgets(words, layout, instance);
    const initiators = instance.initiators.filter((rank) => this.factsAt(words, rank).up);
    for (const rank of initiators) setBit(words, layout.starts, rank);
    if (layout.reports < 0) return;
    // All members know the nodes that were down before the election.
    for (let rank = 1; rank <= layout.endpoints; rank += 1) {
      for (const dead of crashedBefore) {
        if (dead !== rank) setBit(words, layout.reports + rank - 1, dead);
      }
    }
  }

  factsAt(words: Uint16Array, rank: number): LocalFacts {
    return this.steps.factsOf(rank, words[rank - 1] ?? 0);
  }

  /** The node or store as the reference semantics has it, without ticks of timers and drawn lengths. */
  nodeAt(words: Uint16Array, rank: number): WorldNode {
    return this.steps.localOf(rank, words[rank - 1] ?? 0).node;
  }

  /** Appends the codes of the actions that the protocol and its network may do next. */
  enabled({ words, length }: Packed, codes: number[]): void {
    const { endpoints, starts } = this.layout;
    if (this.#choices({ words, length }, codes)) return;
    const isTogether = this.instance.starts === 'together';
    const before = codes.length;
    if (this.instance.timing === 'synchronous' && !(isTogether && this.#isStarting(words))) {
      this.#reports.appendBegun(words, codes);
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
    const isSynchronous = this.instance.timing === 'synchronous';
    if (isSynchronous && codes.length > started) return;
    const mayFire = !this.#isTimeBounded || budgetIn(words, this.layout, BUDGET.timeout) > 0;
    if (isSynchronous && mayFire) this.#timeouts(words, 'immediate', codes);
    if (isSynchronous && codes.length > started) return;
    this.#reports.append(words, codes);
    if (mayFire) this.#timeouts(words, 'timers', codes);
  }

  /**
   * Appends the codes of what a weakly fair execution does at some time if it stays open, whether or not it is possible
   * at once: an open choice, a message in flight under synchronous timing, and a common start go first. The environment
   * owes only the ends of pauses and partitions.
   */
  owed({ words, length }: Packed, codes: number[]): void {
    const { endpoints, starts } = this.layout;
    this.#choices({ words, length }, codes);
    for (let rank = 1; starts >= 0 && rank <= endpoints; rank += 1) {
      if (!hasBit(words, starts, rank) || this.factsAt(words, rank).paused) continue;
      codes.push(codeOf(KIND.start, rank, 0));
    }
    this.#deliveries(words, length, codes);
    this.#reports.append(words, codes);
    this.#timeouts(words, 'timers', codes);
    this.#faults.appendReliefs(words, codes);
  }

  #timeouts(words: Uint16Array, which: 'timers' | 'immediate', codes: number[]): void {
    for (let rank = 1; rank <= this.layout.endpoints; rank += 1) {
      const facts = this.factsAt(words, rank);
      if (facts.paused) continue;
      for (const timer of facts[which]) codes.push(codeOf(KIND.timeout, rank, timer));
    }
  }

  /** Appends the codes of the values of the first open choice of a node that is awake. Returns whether there is one. */
  #choices({ words, length }: Packed, codes: number[]): boolean {
    for (let rank = 1; rank <= this.layout.endpoints; rank += 1) {
      const { below, paused } = this.factsAt(words, rank);
      if (below === 0 || paused) continue;
      if (below > NAMES_FROM)
        codes.push(this.steps.nameCode(rank, freshName(this.steps, this.layout, words, length)));
      else {
        // Each value is tried, which takes longer than listing an action.
        assertActions(this.instance, 2 * below);
        codes.push(...this.steps.choicesOf(rank, words[rank - 1] ?? 0));
      }
      return true;
    }
    return false;
  }

  /** Whether nothing more happens without the environment. A paused node may act again. */
  isAtRest({ words, length }: Packed): boolean {
    const { endpoints, starts, fixed } = this.layout;
    if (length > fixed || (starts >= 0 && words[starts] !== 0)) return false;
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const { below, paused, timers } = this.factsAt(words, rank);
      if (below > 0 || paused || timers.length > 0) return false;
    }
    return !this.#reports.isOpen(words);
  }

  /** Appends the codes of what the environment may do. While a choice or a common start is open, nothing. */
  faults(source: Packed, codes: number[]): void {
    if (this.layout.budgets < 0 || this.#isUrgent(source.words)) return;
    this.#faults.append(source, codes);
  }

  /** Whether messages that are sent now on this link are lost. */
  isSplit({ words }: Packed, from: number, to: number): boolean {
    return this.#flights.isSplit(words, from, to);
  }

  /**
   * What separates nodes: two sides, that of node 1 first. A bridge is on both. In one direction, what the first side sends
   * to the second is lost. Null if nothing does.
   */
  cutIn({ words }: Packed): Separation | null {
    const { split, endpoints } = this.layout;
    const cut = split < 0 ? 0 : this.#flights.cutIn(words);
    if (cut === 0) return null;
    const other = cut & ((1 << SIDE_BITS) - 1);
    const link = cut >>> SIDE_BITS;
    if (other === 0) return { sides: [[link & 15], [link >>> 4]], isOneWay: true };
    const bridge = link === 0 ? 0 : 1 << (link - 1);
    return { sides: [ranksIn((1 << endpoints) - 1 - other), ranksIn(other | bridge)] };
  }

  #cut(words: Uint16Array, value: number): void {
    const { layout } = this;
    const [side, link] = [value & ((1 << SIDE_BITS) - 1), value >>> SIDE_BITS];
    const both = link === 0 ? BUDGET.partition : BUDGET.bridge;
    if (value !== 0) spend(words, layout, side === 0 ? BUDGET.oneWay : both);
    words[layout.split] = side;
    if (layout.link >= 0) words[layout.link] = link;
  }

  /** Writes the world after an action that is enabled in `source`. */
  apply(source: Packed, code: number, target: Packed): void {
    const { words } = target;
    copyWorld(source, target);
    this.isVisible = false;
    this.timersSet.length = 0;
    this.parts.length = 0;
    const node = nodeIn(code);
    const value = valueIn(code);
    switch (kindOf(code)) {
      case KIND.start:
        words[this.layout.starts] = (words[this.layout.starts] ?? 0) & ~(1 << (node - 1));
        this.#step(target, node, code);
        break;
      case KIND.deliver:
        this.#flights.take(target, value);
        if (this.factsAt(words, node).up) this.#step(target, node, code);
        break;
      case KIND.drop:
        spend(words, this.layout, BUDGET.loss);
        this.#flights.take(target, value);
        break;
      case KIND.duplicate:
        spend(words, this.layout, BUDGET.duplicate);
        this.#flights.put(target, value);
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
        this.#crash(target, node, code);
        break;
      case KIND.recover:
        spend(words, this.layout, value === 1 ? BUDGET.amnesia : BUDGET.recover);
        this.#reportReturn(target, node);
        this.#step(target, node, code);
        this.parts.push(code);
        break;
      case KIND.pause:
        spend(words, this.layout, BUDGET.pause);
        this.#step(target, node, code);
        break;
      case KIND.resume:
        this.parts.push(code);
        this.#step(target, node, code);
        this.#reportMissed(target, node);
        break;
      case KIND.enter:
        if (value >= JUMPED_FROM) this.#jump(target, node, value - JUMPED_FROM);
        else if (value === 1) this.#leave(target, node);
        else this.#enter(target, node, code);
        break;
      case KIND.split:
        this.#cut(words, value);
        break;
      case KIND.lie:
        spend(words, this.layout, BUDGET.lies);
        this.#step(target, node, code);
        break;
      default:
        this.#step(target, node, code);
    }
    this.isWithin =
      fitsLinks(target, this.layout, this.steps.links, this.instance.perLink) &&
      this.shift?.settle(target, this.layout) !== false;
  }

  #step(target: Packed, rank: number, code: number): void {
    const { words } = target;
    const before = words[rank - 1] ?? 0;
    const { local, sends, noted, timersSet, isVisible } = this.steps.step(rank, before, code);
    words[rank - 1] = local;
    if (isVisible) this.isVisible = true;
    if (this.#isOneElection && this.#takesPart(rank, before, local, code)) {
      clearBit(words, this.layout.starts, rank);
    }
    if (timersSet.length > 0) this.timersSet.push(...timersSet);
    for (const message of sends) this.#flights.send(target, message);
    if (noted.length > 0 && this.monitor?.note(words, this.layout.monitor, noted) === true) {
      this.isVisible = true;
    }
  }

  /**
   * Whether a node takes part in the election since this step: a message has changed it (one that a sleeping node only
   * passes on does not), or it follows another leader than before. Its start would begin another election.
   */
  #takesPart(rank: number, before: number, after: number, code: number): boolean {
    if (before === after) return false;
    if (kindOf(code) === KIND.deliver) return true;
    const { leader } = this.steps.factsOf(rank, after);
    return leader > 0 && leader !== this.steps.factsOf(rank, before).leader;
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
      if (!this.#flights.isHead(words, at)) continue;
      const message = words[at] ?? 0;
      const to = this.#flights.recipientOf(message);
      if (!this.factsAt(words, to).paused) codes.push(codeOf(KIND.deliver, to, message));
    }
  }

  #crash(target: Packed, node: number, code: number): void {
    const { words } = target;
    const { layout } = this;
    spend(words, layout, BUDGET.crash);
    if (layout.reports >= 0) words[layout.reports + node - 1] = 0;
    if (layout.missed >= 0) words[layout.missed + node - 1] = 0;
    // A node that crashes before its start does not start.
    if (layout.starts >= 0) clearBit(words, layout.starts, node);
    this.#step(target, node, code);
    // A paused node may have missed joins.
    if (layout.absent >= 0) this.#see(words, node);
  }

  /** The members that are awake get the report of the join, and the new member starts. */
  #enter(target: Packed, node: number, code: number): void {
    const { words } = target;
    const { endpoints, absent } = this.layout;
    spend(words, this.layout, BUDGET.join);
    clearBit(words, absent, node);
    this.parts.push(code);
    this.#step(target, node, code);
    for (let rank = 1; rank <= endpoints; rank += 1) {
      const { up, paused } = this.factsAt(words, rank);
      if (rank === node || paused) continue;
      this.#see(words, rank);
      if (up && rank <= this.instance.cast.nodes) this.#reportJoin(target, rank, node);
    }
    const start = codeOf(KIND.start, node, 0);
    this.parts.push(start);
    this.#step(target, node, start);
  }

  /** A timer fires although messages are in flight. */
  #jump(target: Packed, node: number, timer: number): void {
    spend(target.words, this.layout, BUDGET.jump);
    const code = codeOf(KIND.timeout, node, timer);
    this.parts.push(code);
    this.#step(target, node, code);
  }

  /** All awake nodes hear that a node is to leave. The store loses its last write. */
  #leave(target: Packed, about: number): void {
    const { words } = target;
    if (about === this.instance.cast.store) {
      spend(words, this.layout, BUDGET.failover);
      this.#reportOne(target, about, about, 'leave');
      return;
    }
    spend(words, this.layout, BUDGET.leave);
    for (let rank = 1; rank <= this.instance.cast.nodes; rank += 1) {
      const { up, paused } = this.factsAt(words, rank);
      if (up && !paused) this.#reportOne(target, rank, about, 'leave');
    }
  }

  /** Makes a node see who is absent now. */
  #see(words: Uint16Array, rank: number): void {
    const mask = words[this.layout.absent] ?? 0;
    words[rank - 1] = this.steps.seeing(rank, words[rank - 1] ?? 0, mask);
  }

  /** Reports the return of a node to all live nodes, whether or not its crash was reported to them. */
  #reportReturn(target: Packed, about: number): void {
    const { reports, missed } = this.layout;
    const { words } = target;
    for (let rank = 1; rank <= this.instance.cast.nodes; rank += 1) {
      const { up, paused } = this.factsAt(words, rank);
      if (rank === about || !up) continue;
      clearBit(words, reports + rank - 1, about);
      if (paused) setBit(words, missed + rank - 1, about);
      else this.#reportOne(target, rank, about, 'trust');
    }
  }

  /** Reports to a resumed node the joins and returns that it missed. */
  #reportMissed(target: Packed, rank: number): void {
    const { missed, absent } = this.layout;
    const { words } = target;
    if (absent >= 0) {
      const missing = this.steps.localOf(rank, words[rank - 1] ?? 0).absent;
      this.#see(words, rank);
      for (const about of missing) {
        if (!hasBit(words, absent, about)) this.#reportJoin(target, rank, about);
      }
    }
    if (missed < 0) return;
    const returned = ranksIn(words[missed + rank - 1] ?? 0);
    words[missed + rank - 1] = 0;
    for (const about of returned) this.#reportOne(target, rank, about, 'trust');
  }

  /** The detector trusts a new member, as in the simulator. */
  #reportJoin(target: Packed, node: number, about: number): void {
    this.#reportOne(target, node, about, 'join');
    this.#reportOne(target, node, about, 'trust');
  }

  #reportOne(target: Packed, node: number, about: number, type: ReportType): void {
    const code = reportCode(type, node, about);
    this.parts.push(code);
    this.#step(target, node, code);
  }
}

/**
 * The smallest name from which nothing in the world comes. The names that a packed world contains, such as ids of
 * requests. A new name is the smallest that is free, so that worlds with other names do not differ.
 */
function freshName(
  steps: LocalSteps,
  { endpoints, fixed }: Layout,
  words: Uint16Array,
  length: number,
): number {
  const used = new Set<number>();
  for (let rank = 1; rank <= endpoints; rank += 1) {
    for (const name of steps.factsOf(rank, words[rank - 1] ?? 0).names) used.add(name);
  }
  for (let at = fixed; at < length; at += 1) {
    for (const name of steps.namesOf[words[at] ?? 0] ?? []) used.add(name);
  }
  let fresh = NAMES_FROM;
  while (used.has(fresh)) fresh += NAMES_STRIDE;
  return fresh;
}
