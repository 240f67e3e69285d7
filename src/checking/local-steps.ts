/**
 * @module
 * The steps of single nodes, each computed once by the reference semantics (election/world.ts) in a world that
 * contains nothing else. A step depends only on the state of its node and on the event, so that the search over
 * whole worlds replaces one integer by another. States of nodes, messages and timers are numbered.
 */

import type { Protocol } from '../election/definition/protocol.ts';
import type { Json, Message } from '../election/machine.ts';
import { PROTOCOLS } from '../election/registry.ts';
import type { Cast } from '../election/world/cast.ts';
import type { Action, TimingModel } from '../election/world/world.ts';
import { applyTraced, createWorld } from '../election/world/world.ts';
import type { World, WorldNode } from '../election/world/world-state.ts';
import { isImmediate } from '../election/world/world-state.ts';
import { LabError } from '../errors.ts';
import { codeOf, KIND, kindOf, reportIn, VALUE_MAX, valueIn } from './action-codes.ts';
import { CoverageNotes } from './coverage.ts';
import type { Instance } from './instance.ts';
import {
  beforeNumbering,
  canonicalText,
  Interner,
  NUMBERS_MAX,
  TooManyValuesError,
} from './interner.ts';
import { changedAt } from './json-paths.ts';
import { ranksIn } from './layout.ts';
import type { Monitor, Noted } from './monitor.ts';
import { PairTable } from './pair-table.ts';
import { eventText, firstDifference, partsAfter } from './terms/false-counter.ts';

/** A message on its link. */
export interface Sent {
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

/**
 * All that a world contains about one node. The order of timers is free, so that their ticks are 1, or 0 where timers of
 * 0 ticks come first. Drawn lengths of timers in the state are 1, too (drawn-ticks.ts).
 */
export interface Local {
  readonly node: WorldNode;
  readonly paused: boolean;
  /** Open choices, the oldest first: the number of values of each. */
  readonly choices: readonly number[];
  /** The nodes that it does not know as members, ascending. A paused node receives joins when it resumes. */
  readonly absent: readonly number[];
}

/** What the search reads of a local state in each world. */
export interface LocalFacts {
  readonly up: boolean;
  readonly paused: boolean;
  /** The rank that it follows; 0 for none. */
  readonly leader: number;
  /** Numbers of the timers that are set. */
  readonly timers: readonly number[];
  /** Timers of 0 ticks, under synchronous timing. */
  readonly immediate: readonly number[];
  /** Number of values of the oldest open choice; 0 without one. */
  readonly below: number;
  /** The drawn names whose descendants are in the state, ascending. */
  readonly names: readonly number[];
}

/** What one event does to one node. */
export interface LocalStep {
  /** Number of the state after it. */
  readonly local: number;
  /** Numbers of the messages that it sends, in order. */
  readonly sends: readonly number[];
  /** What the histories of the checked properties note of it, in order. */
  readonly noted: readonly Noted[];
  /** Codes of the timers that it sets. */
  readonly timersSet: readonly number[];
  /** Whether properties can see it: the node goes down or comes up, its leader or what they read in it changes, or it is noted. */
  readonly isVisible: boolean;
}

/**
 * A choice among more values than this draws a name that no two draws share, such as the id of a request. It gets
 * one value: the first from here on, in steps of `NAMES_STRIDE`, such that neither it nor what protocols count from it is in
 * a state or a message of the world.
 */
export const NAMES_FROM = 2 ** 31;

/** Protocols count requests from a drawn name. No execution that can be searched has as many. */
export const NAMES_STRIDE = 2 ** 16;

/** A choice among more values than this, and no name, cannot be explored. */
const CHOICES_MAX = 4096;

export class LocalSteps {
  readonly messages = new Interner<Sent>();
  /** The link of each message: from · 16 + to. */
  readonly links: number[] = [];
  readonly timers = new Interner<string>();
  readonly coverage = new CoverageNotes();
  /** Whether some state has an open choice. */
  hasChoices = false;
  /** The drawn names whose descendants are in each message. */
  readonly namesOf: (readonly number[])[] = [];
  readonly #drawn = new Interner<number>();
  readonly #choices = new Map<string, readonly number[]>();
  readonly #cast: Cast;
  readonly #timing: TimingModel;
  readonly #monitor: Monitor | null;
  readonly #endpoints: number;
  readonly #locals: readonly Interner<Local>[];
  readonly #facts: readonly LocalFacts[][];
  readonly #tables: readonly PairTable[];
  readonly #views: readonly PairTable[];
  readonly #steps: LocalStep[] = [];
  /** Null if a property sees drawn lengths of timers. */
  readonly #drawnTicks: DrawnTicks | null;

  /** Pairs of nodes without a link, as from · 16 + to. */
  readonly #cut: ReadonlySet<number>;

  /** Called with each step that is computed. */
  readonly verifiers: ((rank: number, world: World, action: Action, next: World) => void)[] = [];

  /** `about` is what of an instance steps depend on, beside its cast. */
  constructor(
    cast: Cast,
    monitor: Monitor | null,
    { protocol, cut, timing }: Pick<Instance, 'protocol' | 'cut' | 'timing'>,
  ) {
    this.#cast = cast;
    this.#timing = timing;
    const drawn = monitor?.readsAll === true ? null : new DrawnTicks(cast, PROTOCOLS[protocol]);
    this.#drawnTicks = drawn;
    if (drawn !== null) this.verifiers.push((...step) => drawn.verify(...step));
    this.#monitor = monitor;
    const ranks = Array.from({ length: cast.nodes }, (_, index) => index + 1);
    const unlinked = ranks.flatMap((one) =>
      ranks.flatMap((other) =>
        cast.hasLink?.(one, other) === false ? [[one, other] as const] : [],
      ),
    );
    this.#cut = new Set(
      [...cut, ...unlinked].flatMap(([one, other]) => [one * 16 + other, other * 16 + one]),
    );
    this.#endpoints = cast.store ?? cast.nodes;
    const each = Array.from({ length: this.#endpoints });
    this.#locals = each.map(() => new Interner<Local>());
    this.#facts = each.map(() => []);
    this.#tables = each.map(() => new PairTable());
    this.#views = each.map(() => new PairTable(16));
  }

  /** Number of machine steps that were computed. */
  get computed(): number {
    return this.#steps.length;
  }

  /** Numbers of the local states of a world, by rank. */
  initialLocals(crashedBefore: readonly number[], absent: readonly number[]): number[] {
    const world = createWorld(this.#cast, crashedBefore, absent);
    return world.nodes.map((_, index) => this.#numberLocal(world, index + 1));
  }

  /** Whether two nodes have no link. */
  isCut(from: number, to: number): boolean {
    return this.#cut.has(from * 16 + to);
  }

  factsOf(rank: number, local: number): LocalFacts {
    const facts = this.#facts[rank - 1]?.[local];
    if (facts === undefined) throw new RangeError(`"local" expected a number, got ${local}`);
    return facts;
  }

  localOf(rank: number, local: number): Local {
    return this.#interner(rank).valueOf(local);
  }

  /** The number of this local state if the absent nodes are those of the mask. */
  seeing(rank: number, local: number, mask: number): number {
    const table = this.#views[rank - 1];
    if (table === undefined) throw new RangeError(`"rank" expected a node, got ${rank}`);
    const known = table.get(local, mask);
    if (known >= 0) return known;
    beforeNumbering();
    const number = this.numberLocal(rank, { ...this.localOf(rank, local), absent: ranksIn(mask) });
    table.set(local, mask, number);
    return number;
  }

  /** The step of a node in this local state at the event that the action brings to it. */
  step(rank: number, local: number, code: number): LocalStep {
    const table = this.#tables[rank - 1];
    if (table === undefined) throw new RangeError(`"rank" expected a node, got ${rank}`);
    const known = this.#steps[table.get(local, code)];
    if (known !== undefined) return known;
    beforeNumbering();
    const step = this.#compute(rank, local, code);
    table.set(local, code, this.#steps.length);
    this.#steps.push(step);
    return step;
  }

  /** The index of a step that was computed; −1 for another. */
  indexOf(rank: number, local: number, code: number): number {
    return this.#tables[rank - 1]?.get(local, code) ?? -1;
  }

  /** The step with this index; null for −1. */
  stepAt(index: number): LocalStep | null {
    return this.#steps[index] ?? null;
  }

  /** The number of a message. Throws TooManyValuesError if a packed state cannot contain it. */
  numberMessage(sent: Sent): number {
    const number = this.messages.numberOf(sent);
    if (number >= NUMBERS_MAX) throw new TooManyValuesError(`more than ${NUMBERS_MAX} messages`);
    this.links[number] = sent.from * 16 + sent.to;
    this.namesOf[number] ??= namesIn(sent.message);
    return number;
  }

  /** Codes of the values of the oldest open choice: the first of those that have the same effect. */
  choicesOf(rank: number, local: number): readonly number[] {
    const key = `${rank}/${local}`;
    const known = this.#choices.get(key);
    if (known !== undefined) return known;
    const { below } = this.factsOf(rank, local);
    if (below > CHOICES_MAX) {
      throw new TooManyValuesError(`a choice among ${below} values`, 'choice');
    }
    const seen = new Set<string>();
    const codes = Array.from({ length: below }, (_, value) => codeOf(KIND.choose, rank, value));
    const distinct = codes.filter((code) => {
      const text = canonicalText(this.step(rank, local, code));
      return seen.size < seen.add(text).size;
    });
    this.#choices.set(key, distinct);
    return distinct;
  }

  /** The code of the choice of a name. */
  nameCode(rank: number, name: number): number {
    return codeOf(KIND.name, rank, this.#drawn.numberOf(name));
  }

  /** Number of different names that were drawn. */
  get drawnNames(): number {
    return this.#drawn.values.length;
  }

  /** The name that such a code chooses. */
  nameIn(code: number): number {
    return this.#drawn.valueOf(valueIn(code));
  }

  #interner(rank: number): Interner<Local> {
    const interner = this.#locals[rank - 1];
    if (interner === undefined) throw new RangeError(`"rank" expected a node, got ${rank}`);
    return interner;
  }

  #compute(rank: number, local: number, code: number): LocalStep {
    const world = this.#worldOf(rank, local, code);
    const action = this.#actionOf(rank, code);
    const { world: next, effects } = applyTraced(this.#cast, world, action);
    for (const verify of this.verifiers) verify(rank, world, action, next);
    const sends = next.inFlight
      .filter(({ from, to }) => !this.isCut(from, to))
      .map(({ from, to, message }) => this.numberMessage({ from, to, message }));
    const after = this.#numberLocal(next, rank);
    const [old, now] = [this.factsOf(rank, local), this.factsOf(rank, after)];
    const isPublic = old.up !== now.up || old.leader !== now.leader;
    const timersSet = effects.flatMap((effect) =>
      effect.type === 'set-timer'
        ? [codeOf(KIND.timeout, rank, this.#numberTimer(effect.timer))]
        : [],
    );
    const [delivered = null] = world.inFlight;
    const isChanged = after !== local;
    const isStore = rank === this.#cast.store;
    const covered = { isStore, action, delivered, effects, isChanged };
    this.coverage.note(covered, this.#cast.store);
    const noted = this.#monitor?.notesOf({ rank, action, delivered, effects }) ?? [];
    const isVisible = isPublic || noted.length > 0 || !this.#isReadAlike(rank, local, after);
    return { local: after, sends, noted, timersSet, isVisible };
  }

  #isReadAlike(rank: number, before: number, after: number): boolean {
    if (this.#monitor === null || before === after) return true;
    return this.#monitor.isReadAlike(
      this.localOf(rank, before).node,
      this.localOf(rank, after).node,
    );
  }

  /** A world with this node alone, and with the message that the action delivers. */
  #worldOf(rank: number, local: number, code: number): World {
    const { node, paused, choices, absent } = this.localOf(rank, local);
    const nodes = Array.from({ length: this.#endpoints }, (_, index) =>
      index + 1 === rank ? node : ABSENT,
    );
    const kind = kindOf(code);
    const isDelivered = kind === KIND.deliver || kind === KIND.lie;
    const inFlight = isDelivered ? [{ id: 0, ...this.messages.valueOf(valueIn(code)) }] : [];
    const counts = { sent: 0, duplicated: 0, delivered: 0, dropped: 0, sentByType: {} };
    return {
      nodes,
      inFlight,
      ...counts,
      paused: paused ? [rank] : [],
      absent,
      choices: choices.map((below) => ({ node: rank, below })),
    };
  }

  /** The action of the reference semantics in such a world. */
  #actionOf(rank: number, code: number): Action {
    const report = reportIn(code);
    if (report !== null) return report;
    const value = valueIn(code);
    switch (kindOf(code)) {
      case KIND.start:
        return { type: 'start', node: rank };
      case KIND.deliver:
      case KIND.lie:
        return { type: 'deliver', message: 0 };
      case KIND.timeout:
        return { type: 'timeout', node: rank, timer: this.timers.valueOf(value) };
      case KIND.choose:
        return { type: 'choose', node: rank, value };
      case KIND.name:
        return { type: 'choose', node: rank, value: this.nameIn(code) };
      case KIND.suspect:
        return { type: 'suspect', node: rank, about: value };
      case KIND.crash:
      case KIND.enter:
        return { type: kindOf(code) === KIND.crash ? 'crash' : 'enter', node: rank };
      case KIND.recover:
        return { type: 'recover', node: rank, amnesia: value === 1 };
      case KIND.pause:
        return { type: 'pause', node: rank };
      case KIND.resume:
        return { type: 'resume', node: rank };
      default:
        throw new RangeError(`"code" expected an action of a node, got ${code}`);
    }
  }

  #numberLocal(world: World, rank: number): number {
    const node = world.nodes[rank - 1];
    if (node === undefined) throw new RangeError(`"rank" expected a node, got ${rank}`);
    const timers = node.timers
      .map(({ timer, ticks, periodic }) => ({ timer, ticks: this.#ticksOf(ticks), periodic }))
      .toSorted((left, right) => (left.timer < right.timer ? -1 : 1));
    const paused = world.paused.includes(rank);
    const choices = world.choices.filter((each) => each.node === rank).map(({ below }) => below);
    const { absent } = world;
    const state = this.#drawnTicks?.merged(rank, node.state) ?? node.state;
    return this.numberLocal(rank, { node: { ...node, state, timers }, paused, choices, absent });
  }

  #ticksOf(ticks: number): number {
    return this.#timing === 'synchronous' && isImmediate({ ticks }) ? 0 : 1;
  }

  /** The number of a local state, whose timers are in the order of their names. */
  numberLocal(rank: number, value: Local): number {
    const number = this.#interner(rank).numberOf(value);
    if (number >= NUMBERS_MAX) {
      throw new TooManyValuesError(`more than ${NUMBERS_MAX} states of node ${rank}`);
    }
    const facts = this.#facts[rank - 1];
    if (facts !== undefined && facts.length === number) {
      const { node, paused, choices } = value;
      const timers = node.timers.map(({ timer }) => this.#numberTimer(timer));
      const immediate = timers.filter((_, index) => node.timers[index]?.ticks === 0);
      const [below = 0] = choices;
      if (below > 0) this.hasChoices = true;
      const names = namesIn(node.state, node.persisted);
      const { up, leader } = node;
      facts.push({ up, paused, leader: leader ?? 0, timers, immediate, below, names });
    }
    return number;
  }

  #numberTimer(timer: string): number {
    const number = this.timers.numberOf(timer);
    if (number > VALUE_MAX) throw new TooManyValuesError(`more than ${VALUE_MAX} timers`);
    return number;
  }
}

const ABSENT: WorldNode = { up: false, state: null, timers: [], persisted: null, leader: null };

/** The name from which this number was counted. */
function drawnNameOf(value: number): number {
  return value - ((value - NAMES_FROM) % NAMES_STRIDE);
}

/** A name as protocols write it in text: a guid. */
const NAME_TEXT = /^[89a-f][0-9a-f]{7}$/;

/** The drawn names from which numbers and guids in JSON data come, ascending. */
function namesIn(...values: readonly unknown[]): number[] {
  const names = values.flatMap((value): number[] => {
    if (typeof value === 'number') return value >= NAMES_FROM ? [drawnNameOf(value)] : [];
    if (typeof value === 'string') {
      return NAME_TEXT.test(value) ? [drawnNameOf(Number.parseInt(value, 16))] : [];
    }
    return value === null || typeof value !== 'object' ? [] : namesIn(...Object.values(value));
  });
  return [...new Set(names)].toSorted((left, right) => left - right);
}

/** Another length with which steps are compared. */
const LONGER_TICKS = 1009;

/**
 * Drawn lengths of timers in the states of nodes. A search takes those that are not 0 for one, which is written as 1.
 *
 * This is sound because a machine only sets timers with such a number, copies it and tests whether it is 0 (`drawnTicks` of
 * election/definition/protocol.ts), and because timers that are not 0 ticks long fire in any order in a check. Let f replace
 * each such number that is not 0 by 1, and each timer's ticks in the same way. Then the step of the state f(s) at an event is
 * the step of s, with f applied to what it leaves behind: it sends the same messages, sets the same timers and follows the
 * same leader. So f maps executions onto executions of the same actions, and each execution of the merged worlds is one of
 * the real worlds: the values of a choice that differ in such numbers only lead to equal worlds. All verdicts are the same,
 * also with fairness and cycles, if no property reads these numbers. With a property that reads whole states nothing is
 * merged. Each step that the search computes is compared with the step of the same state with a longer drawn time-out, so
 * that most false statements are found.
 */
class DrawnTicks {
  readonly #cast: Cast;
  readonly #protocol: Protocol;

  constructor(cast: Cast, protocol: Protocol) {
    this.#cast = cast;
    this.#protocol = protocol;
  }

  /** The state of a node with 1 in place of each drawn length. */
  merged(rank: number, state: Json): Json {
    return this.#changed(rank, state, 1);
  }

  /** Throws LabError `arguments` if the node does something else with another drawn length. */
  verify(rank: number, world: World, action: Action, next: World): void {
    const longer = this.#withTicks(world, rank, LONGER_TICKS);
    if (longer === world) return;
    const made = applyTraced(this.#cast, longer, action).world;
    const after = (each: World) => partsAfter(withoutTicks(this.#withTicks(each, rank, 1)), rank);
    const difference = firstDifference(after(next), after(made), '');
    if (difference === null) return;
    throw new LabError(
      'arguments',
      `protocol ${this.#protocol.name}: "drawnTicks" is wrong: with another length of a timer node ${rank}, when ${eventText(world, action)}, does something else: ${difference}. Name only numbers with which the machine sets timers, and which it compares with 0 alone`,
    );
  }

  /** The same world if the node has no drawn length. */
  #withTicks(world: World, rank: number, ticks: number): World {
    const node = world.nodes[rank - 1];
    const state = this.#changed(rank, node?.state ?? null, ticks);
    if (node === undefined || state === node.state) return world;
    return { ...world, nodes: world.nodes.with(rank - 1, { ...node, state }) };
  }

  /** The same object if nothing changes. */
  #changed(rank: number, state: Json, ticks: number): Json {
    if (rank === this.#cast.store || state === null || typeof state !== 'object') return state;
    if (!Array.isArray(state) && 'inner' in state) {
      // This is the state of a wrapper around the protocol's machine: authentication, a behaviour, or the leader workload.
      const inner = this.#changed(rank, state.inner ?? null, ticks);
      return inner === state.inner ? state : { ...state, inner };
    }
    let isChanged = false;
    const changed = this.#protocol.drawnTicks.reduce<Json>(
      (data, path) =>
        changedAt(data, path, (value) => {
          if (value === 0 || value === ticks) return value;
          isChanged = true;
          return ticks;
        }),
      state,
    );
    return isChanged ? changed : state;
  }
}

/** A world in which all timers that are not 0 ticks long have one length. */
function withoutTicks(world: World): World {
  const nodes = world.nodes.map((node) => ({
    ...node,
    timers: node.timers.map((timer) => ({ ...timer, ticks: Math.min(timer.ticks, 1) })),
  }));
  return { ...world, nodes };
}
