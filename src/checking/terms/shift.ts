/**
 * @module
 * This folder finds worlds that differ only in how high their counters (terms, rounds, epochs) are. Of such worlds the
 * search visits one: after each action the smallest value of each counter in the world is lowered to 1, and all other
 * values of the counter by as much.
 *
 * This is sound because a machine only compares, copies and raises these numbers (election/definition/counter.ts): the
 * step of a raised state at a raised message is the raised step. Hence the executions of a lowered world are those of
 * the world, lowered. Each step of a machine that the search uses is compared with the step of the same state raised,
 * so that a protocol that states a wrong counter is refused (false-counter.ts). The exceptions are handled as follows:
 *
 * - 0 is lower than every number, but a number that is raised later. So a world that contains it (outside of the
 *   members that a protocol lists as unset) is not lowered.
 * - A node that returns may begin at 0 again. So no world is lowered while the environment can let a node return.
 *   Afterwards what a node that is down has stored is never read again: it has no part in the smallest value, and
 *   values below 1 become 0.
 * - Properties that remember counters would see the difference. With them no world is lowered. The same goes for nodes
 *   that join later, which begin at 0, and for Byzantine nodes, which may send any number. A spread limits such worlds
 *   in the same way: it is a distance, which lowering does not change.
 * - Terms have an end in the machines (2^53 − 1). The checker takes them for endless.
 */

import type { Counter } from '../../election/definition/protocol.ts';
import type { Message } from '../../election/machine.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import type { Action } from '../../election/world/world.ts';
import { applyTraced } from '../../election/world/world.ts';
import type { World, WorldNode } from '../../election/world/world-state.ts';
import type { Instance } from '../instance.ts';
import { changedAt } from '../json-paths.ts';
import type { Layout, Packed } from '../layout.ts';
import { BUDGET, budgetIn } from '../layout.ts';
import type { Local, LocalSteps, Sent } from '../local-steps.ts';
import type { Monitor } from '../monitor.ts';
import { PairTable } from '../pair-table.ts';
import { falseCounter, firstDifference, partsAfter } from './false-counter.ts';

/** The shift of an instance; null if its worlds are taken as they are. With a spread alone it lowers nothing. */
export function shiftOf(
  instance: Instance,
  monitor: Monitor | null,
  steps: LocalSteps,
): Shift | null {
  const { counters } = PROTOCOLS[instance.protocol];
  const { absent = [], phantoms = [], free } = instance;
  const others = absent.length + phantoms.length + (free?.size ?? 0);
  const isLowering = instance.isShifted && monitor === null && others === 0;
  if (counters.length === 0 || (!isLowering && instance.spread === null)) return null;
  const shift = new Shift(counters, instance, steps, isLowering);
  if (isLowering) steps.verifiers.push((...step) => shift.verify(...step));
  return shift;
}

/** A step that the search computed. */
interface ComputedStep {
  readonly rank: number;
  readonly world: World;
  readonly action: Action;
  readonly next: World;
}

/**
 * By how much steps are raised to compare them, each counter by another number. Small ones find machines that look at a
 * remainder (such as rotating coordinators), large ones those that look for a limit. A test, not a proof.
 */
const RAISES = [3, 1, 2, 1000, 1_000_003];

export class Shift {
  readonly counters: readonly Counter[];
  /** By how much each counter was lowered after the last action. */
  readonly lowered: number[];
  readonly #steps: LocalSteps;
  readonly #cast: Cast;
  readonly #instance: Instance;
  readonly #localRanges: (readonly Range[])[][] = [];
  readonly #messageRanges: (readonly Range[])[] = [];
  readonly #lowerLocals: PairTable[] = [];
  readonly #lowerMessages = new PairTable();
  /** Numbers of the amounts by which worlds were lowered, if there are several counters. */
  readonly #amounts = new Map<string, number>();
  readonly #min: number[];
  readonly #max: number[];
  readonly #isLowering: boolean;

  constructor(
    counters: readonly Counter[],
    instance: Instance,
    steps: LocalSteps,
    isLowering = true,
  ) {
    this.#isLowering = isLowering;
    const { cast } = instance;
    this.counters = counters;
    this.#instance = instance;
    this.#cast = cast;
    this.#steps = steps;
    this.lowered = counters.map(() => 0);
    this.#min = counters.map(() => 0);
    this.#max = counters.map(() => 0);
    for (let rank = 0; rank < (cast.store ?? cast.nodes); rank += 1) {
      this.#localRanges.push([]);
      this.#lowerLocals.push(new PairTable());
    }
  }

  /**
   * Lowers a world as far as possible, and sorts its messages if links have no order. Returns whether no two values
   * of a counter are further apart than `spread`.
   */
  settle({ words, length }: Packed, layout: Layout): boolean {
    const { spread, links } = this.#instance;
    const mayReturn =
      budgetIn(words, layout, BUDGET.recover) + budgetIn(words, layout, BUDGET.amnesia) > 0;
    if (this.#measure(words, length, layout.fixed, mayReturn)) {
      this.#lower(words, length, layout.fixed);
      if (links === 'any') words.subarray(layout.fixed, length).sort();
    }
    return spread === null || this.#spread() <= spread;
  }

  /** Finds the ranges of the counters of a world. Returns whether it must be lowered. */
  #measure(words: Uint16Array, length: number, messagesFrom: number, mayReturn: boolean): boolean {
    this.#min.fill(Number.POSITIVE_INFINITY);
    this.#max.fill(-1);
    for (let rank = 1; rank <= this.#localRanges.length; rank += 1) {
      const local = words[rank - 1] ?? 0;
      if (mayReturn || this.#steps.factsOf(rank, local).up) this.#widen(this.#ofLocal(rank, local));
    }
    for (let at = messagesFrom; at < length; at += 1) this.#widen(this.#ofMessage(words[at] ?? 0));
    let isLowered = false;
    for (const [index, min] of this.#min.entries()) {
      const isFixed = mayReturn || !this.#isLowering || min === Number.POSITIVE_INFINITY;
      const by = isFixed ? 0 : Math.max(0, min - 1);
      this.lowered[index] = by;
      if (by > 0) isLowered = true;
    }
    return isLowered;
  }

  /** Whether the last action lowered a counter that this message contains. */
  isLowered(message: number): boolean {
    return this.#ofMessage(message).some(
      ({ max }, counter) => max >= 0 && (this.lowered[counter] ?? 0) > 0,
    );
  }

  /** The largest distance between two values of one counter, in the world that was measured last. */
  #spread(): number {
    return Math.max(
      0,
      ...this.#max.map((max, index) => (max < 0 ? 0 : max - (this.#min[index] ?? 0))),
    );
  }

  /** Lowers a world that was measured. */
  #lower(words: Uint16Array, length: number, messagesFrom: number): void {
    const amount = this.#amount();
    for (let rank = 1; rank <= this.#localRanges.length; rank += 1) {
      words[rank - 1] = this.#lowerLocal(rank, words[rank - 1] ?? 0, amount);
    }
    for (let at = messagesFrom; at < length; at += 1) {
      words[at] = this.#lowerMessage(words[at] ?? 0, amount);
    }
  }

  /** A message with higher counters. */
  raised({ from, to, message }: Sent, by: readonly number[]): Sent {
    const change: Change = (value, counter) => value + (by[counter] ?? 0);
    return { from, to, message: changedMessage(this.counters, message, change) };
  }

  /** Throws LabError `arguments` if the raised world does not make the raised step, so that a counter is none. */
  verify(rank: number, world: World, action: Action, next: World): void {
    const ranges = [
      ...world.nodes.map((node) => rangesOfNode(this.counters, node)),
      ...world.inFlight.map(({ message }) => rangesOfMessage(this.counters, message)),
    ];
    // Worlds with 0, and worlds in which a node may return, are not lowered.
    if (action.type === 'recover' || ranges.flat().some(({ min }) => min === 0)) return;
    for (const by of RAISES) this.#compare({ rank, world, action, next }, by);
  }

  /** Throws LabError `arguments` if a step with raised counters differs. */
  #compare(step: ComputedStep, by: number): void {
    const { rank, world, action } = step;
    const all: Change = (value, counter) => value + by + counter;
    const together = this.#differenceAt(all, step);
    if (together === null) return;
    // One of them differs alone, unless they differ only together.
    const alone = this.counters.flatMap(({ name }, index) => {
      const one: Change = (value, counter) => (counter === index ? value + by : value);
      const difference = this.#differenceAt(one, step);
      return difference === null ? [] : [{ names: [name], difference }];
    });
    const names = this.counters.map(({ name }) => name);
    const [found = { names, difference: together }] = alone;
    throw falseCounter(this.#instance.protocol, { rank, world, action, ...found });
  }

  /** What is different if counters are raised before the step and after it; null if nothing is. */
  #differenceAt(change: Change, { rank, world, action, next }: ComputedStep): string | null {
    const expected = partsAfter(this.#changedWorld(next, change), rank);
    try {
      const raised = applyTraced(this.#cast, this.#changedWorld(world, change), action).world;
      return firstDifference(expected, partsAfter(raised, rank), '');
    } catch (error) {
      return `the step throws ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  #changedWorld(world: World, change: Change): World {
    return {
      ...world,
      nodes: world.nodes.map((node) => changedNode(this.counters, node, change)),
      inFlight: world.inFlight.map((flight) => ({
        ...flight,
        message: changedMessage(this.counters, flight.message, change),
      })),
    };
  }

  #widen(ranges: readonly Range[]): void {
    for (let index = 0; index < ranges.length; index += 1) {
      const { min, max } = ranges[index] ?? NO_RANGE;
      if (min < (this.#min[index] ?? 0)) this.#min[index] = min;
      if (max > (this.#max[index] ?? 0)) this.#max[index] = max;
    }
  }

  #ofLocal(rank: number, local: number): readonly Range[] {
    const known = this.#localRanges[rank - 1]?.[local];
    if (known !== undefined) return known;
    const ranges = rangesOfNode(this.counters, this.#steps.localOf(rank, local).node);
    const own = this.#localRanges[rank - 1];
    if (own !== undefined) own[local] = ranges;
    return ranges;
  }

  #ofMessage(message: number): readonly Range[] {
    const known = this.#messageRanges[message];
    if (known !== undefined) return known;
    const ranges = rangesOfMessage(this.counters, this.#steps.messages.valueOf(message).message);
    this.#messageRanges[message] = ranges;
    return ranges;
  }

  /** The number of the amounts by which the world is lowered. */
  #amount(): number {
    if (this.lowered.length === 1) return this.lowered[0] ?? 0;
    const key = this.lowered.join();
    const known = this.#amounts.get(key);
    if (known !== undefined) return known;
    this.#amounts.set(key, this.#amounts.size);
    return this.#amounts.size - 1;
  }

  #lowerLocal(rank: number, local: number, amount: number): number {
    const table = this.#lowerLocals[rank - 1];
    const known = table?.get(local, amount) ?? -1;
    if (known >= 0) return known;
    const before: Local = this.#steps.localOf(rank, local);
    const node = changedNode(this.counters, before.node, this.#lowerValue);
    const number = this.#steps.numberLocal(rank, { ...before, node });
    table?.set(local, amount, number);
    return number;
  }

  #lowerMessage(message: number, amount: number): number {
    const known = this.#lowerMessages.get(message, amount);
    if (known >= 0) return known;
    const { from, to, message: before } = this.#steps.messages.valueOf(message);
    const lower = changedMessage(this.counters, before, this.#lowerValue);
    const number = this.#steps.numberMessage({ from, to, message: lower });
    this.#lowerMessages.set(message, amount, number);
    return number;
  }

  /** Only what nodes that are down have stored can be lower than the smallest value. */
  readonly #lowerValue: Change = (value, counter) =>
    Math.max(0, value - (this.lowered[counter] ?? 0));
}

/** Smallest and largest value of one counter; Infinity and −1 if the data contain none. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** Changes a value of the counter with this index. */
type Change = (value: number, counter: number) => number;

const NO_RANGE: Range = { min: Number.POSITIVE_INFINITY, max: -1 };

/** A node with changed counters. */
function changedNode(counters: readonly Counter[], node: WorldNode, change: Change): WorldNode {
  let { state, persisted } = node;
  for (const [index, counter] of counters.entries()) {
    const changed = (path: string) => (value: number) =>
      changedValue(counter, path, value, index, change);
    for (const path of counter.state) state = changedAt(state, path, changed(path));
    for (const path of counter.persisted) persisted = changedAt(persisted, path, changed(path));
  }
  return { ...node, state, persisted };
}

/** A message with changed counters. */
function changedMessage<M extends Message>(
  counters: readonly Counter[],
  message: M,
  change: Change,
): M {
  const changed: Record<string, unknown> = Object.fromEntries(Object.entries(message));
  for (const [index, counter] of counters.entries()) {
    for (const member of counter.messages) {
      const value = changed[member];
      if (typeof value !== 'number') continue;
      changed[member] = changedValue(counter, member, value, index, change);
    }
  }
  // The type and all members are those of the message.
  return changed as unknown as M;
}

/** The ranges of all counters in a node. */
function rangesOfNode(counters: readonly Counter[], node: WorldNode): readonly Range[] {
  return rangesIn(counters, (change) => changedNode(counters, node, change));
}

/** The ranges of all counters in a message. */
function rangesOfMessage(counters: readonly Counter[], message: Message): readonly Range[] {
  return rangesIn(counters, (change) => changedMessage(counters, message, change));
}

function rangesIn(counters: readonly Counter[], visit: (change: Change) => unknown): Range[] {
  const ranges = counters.map((): Range => NO_RANGE);
  visit((value, counter) => {
    const { min, max } = ranges[counter] ?? NO_RANGE;
    ranges[counter] = { min: Math.min(min, value), max: Math.max(max, value) };
    return value;
  });
  return ranges;
}

function changedValue(
  { unset }: Counter,
  path: string,
  value: number,
  index: number,
  change: Change,
): number {
  return value === 0 && unset.includes(path) ? 0 : change(value, index);
}
