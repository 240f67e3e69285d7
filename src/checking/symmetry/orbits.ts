/**
 * @module
 * This folder merges worlds that differ only in which node has which rank. Of such worlds the search visits one.
 *
 * Let π exchange the ranks of nodes that the instance treats alike (group.ts). A protocol states where its states and
 * messages contain ranks, and that its machine only copies them and tests whether two are equal
 * (election/definition/symmetry.ts). Then the step of a renamed node at a renamed event is the renamed step, and so
 * apply(πw, πa) = π(apply(w, a)) for every world w and action a, and πa is possible in πw if a is possible in w. Hence
 * the executions that begin in πw are those that begin in w, renamed. They are as long, and a property that names no
 * rank has the same value in both worlds. So the search replaces each world by the smallest of all its renamed worlds,
 * for `always` and `sometimes` properties that say that they name no rank. It visits exactly one world of each class of
 * reachable worlds, with the same transitions, at the same depth. This does not need the first world to be symmetric.
 *
 * - Where the rank decides what is possible, worlds are not equal. Nodes that start together start in the order of
 *   ranks: until all have started, worlds are not renamed. Open choices are resolved in the order of ranks: a world with
 *   open choices of several nodes ends the search as capped.
 * - Names that nodes draw, counters that are shifted, limits of messages on a link, and bounds depend on no rank. A
 *   history of a property states how it is renamed. A side of a partition is the one without node 1.
 * - Messages of a FIFO link keep their order, and their link is renamed.
 * - A visited world may be one that cannot be reached, but a renamed one of it can. A counterexample is found again from
 *   the first world by actions that lead to the same classes (execution.ts).
 * - An ample set of the partial-order reduction is one of renamed actions in a renamed world, because its conditions
 *   name no rank. Its last condition asks whether the class of a successor was not explored before. So reduced
 *   executions of classes pass the same visible changes, and both reductions together are sound (E. A. Emerson, S. Jha
 *   and D. Peled, Combining Partial Order and Symmetry Reductions, TACAS 1997).
 * - A violation of an `eventually` property is a cycle. A cycle of classes need not be one of worlds, and fairness
 *   names nodes. With such properties worlds are not renamed.
 * - Byzantine nodes differ from the others, and authenticated messages contain proofs. With them worlds are not renamed.
 *
 * To find the smallest world, each node has a sign, which is equal for states that differ in ranks only. Of all renamings
 * those are compared that bring the signs of nodes into ascending order.
 */

import type { Symmetry } from '../../election/definition/protocol.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { Cast } from '../../election/world/cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import type { Action } from '../../election/world/world.ts';
import { applyTraced } from '../../election/world/world.ts';
import type { World } from '../../election/world/world-state.ts';
import { LabError } from '../../errors.ts';
import type { Instance } from '../instance.ts';
import { Interner, TooManyValuesError } from '../interner.ts';
import type { Packed } from '../layout.ts';
import { emptyPacked } from '../layout.ts';
import type { Local } from '../local-steps.ts';
import type { CheckedProperty } from '../property.ts';
import { eventText, firstDifference, partsAfter } from '../terms/false-counter.ts';
import type { Worlds } from '../worlds.ts';
import type { RankPaths, Renaming } from './renaming.ts';
import { pathsOf, Renamer } from './renaming.ts';

/** The refusal of a protocol that states a symmetry which its machine does not have. */
export function falseSymmetry(protocol: string, shown: string): LabError {
  return new LabError(
    'arguments',
    `protocol ${protocol}: "symmetry" is wrong: ${shown}. State a symmetry only if the machine copies ranks and tests whether two are equal, with every place that has them; or check with --symmetry off`,
  );
}

/** What is searched. */
interface Searched {
  readonly instance: Instance;
  readonly properties: readonly CheckedProperty[];
  readonly byzantine: ReadonlySet<number>;
}

/** The orbits of the worlds of a search; null if no two of its worlds are taken for one. */
export function orbitsOf(
  { instance, properties, byzantine }: Searched,
  worlds: Worlds,
): Orbits | null {
  const { symmetry } = PROTOCOLS[instance.protocol];
  // A file of the user may lack the fact, which its loader reports.
  if (instance.isSymmetric !== true || typeof symmetry !== 'object') return null;
  const others = byzantine.size + (instance.free?.size ?? 0);
  const isSeen = properties.some(
    ({ kind, isSymmetric, histories }) =>
      kind === 'eventually' ||
      isSymmetric !== true ||
      histories.some(({ renamed }) => renamed === undefined),
  );
  if (others > 0 || isSeen) return null;
  const renamings = renamingsOf(instance, symmetry);
  if (renamings.length < 2) return null;
  const paths = pathsOf(PROTOCOLS[instance.protocol], symmetry, instance.resource);
  return new Orbits(worlds, renamings, paths);
}

/** One renaming with what it makes of numbered parts: by rank and state, by message, by history and its state. */
interface Exchange {
  readonly renamer: Renamer;
  readonly renaming: Renaming;
  /** The old rank of each node; the index is the new rank − 1. */
  readonly origins: readonly number[];
  readonly locals: readonly number[][];
  readonly messages: number[];
  readonly pasts: readonly number[][];
  /** By mask. */
  readonly masks: Uint16Array;
}

export class Orbits {
  readonly #worlds: Worlds;
  readonly #paths: RankPaths;
  readonly #exchanges: readonly Exchange[];
  readonly #signs = new Interner<Local>();
  readonly #signOf: readonly number[][];
  /** The signs of the world by rank. */
  readonly #seen: Uint32Array;
  /** Indexes of the exchanges that bring the signs into the smallest order. */
  readonly #kept: number[] = [];
  #verified = 0;
  #best: Packed = emptyPacked();
  #tried: Packed = emptyPacked();

  constructor(worlds: Worlds, renamings: readonly Renaming[], paths: RankPaths) {
    this.#worlds = worlds;
    this.#paths = paths;
    const { endpoints } = worlds.layout;
    const { nodes, store } = worlds.instance.cast;
    const each = Array.from({ length: endpoints });
    const histories = Array.from({ length: worlds.monitor?.words ?? 0 });
    this.#exchanges = renamings.map((renaming) => ({
      renamer: new Renamer(paths, store, renaming),
      renaming,
      origins: each.map((_, index) => renaming.indexOf(index + 1)),
      locals: each.map(() => []),
      messages: [],
      pasts: histories.map(() => []),
      masks: Uint16Array.from({ length: 1 << endpoints }, (_, mask) => renamedMask(mask, renaming)),
    }));
    this.#signOf = each.map(() => []);
    this.#seen = new Uint32Array(nodes);
    worlds.steps.verifiers.push((...step) => this.#verify(...step));
  }

  /** How many renamings there are, the one that changes nothing included. */
  get size(): number {
    return this.#exchanges.length;
  }

  /** Replaces a world by the smallest of its class. */
  settle(world: Packed): void {
    const { words, length } = world;
    if (!this.#isFree(words)) return;
    this.#narrow(words);
    const kept = this.#kept;
    if (kept.length === 1 && kept[0] === 0) return;
    let best: Packed | null = null;
    for (const index of kept) {
      const exchange = this.#exchanges[index];
      if (exchange === undefined || !this.#rename(world, exchange, best)) continue;
      best = this.#tried;
      [this.#best, this.#tried] = [this.#tried, this.#best];
    }
    if (best === null) return;
    for (let at = 0; at < length; at += 1) words[at] = best.words[at] ?? 0;
  }

  /** Whether no rank decides what is possible. Throws TooManyValuesError if several nodes must choose. */
  #isFree(words: Uint16Array): boolean {
    const { layout, instance } = this.#worlds;
    if (instance.starts === 'together' && layout.starts >= 0 && words[layout.starts] !== 0)
      return false;
    let choosing = 0;
    for (let rank = 1; rank <= layout.endpoints; rank += 1) {
      const { below, paused } = this.#worlds.factsAt(words, rank);
      if (below > 0 && !paused) choosing += 1;
    }
    if (choosing < 2) return true;
    throw new TooManyValuesError('a world in which several nodes choose, which symmetry excludes');
  }

  /** Finds the exchanges that bring the signs into the smallest order. */
  #narrow(words: Uint16Array): void {
    const signs = this.#seen;
    for (let rank = 1; rank <= signs.length; rank += 1) {
      signs[rank - 1] = this.#sign(rank, words[rank - 1] ?? 0);
    }
    const kept = this.#kept;
    kept.length = 0;
    kept.push(0);
    let least = this.#exchanges[0]?.origins ?? [];
    for (let index = 1; index < this.#exchanges.length; index += 1) {
      const origins = this.#exchanges[index]?.origins ?? [];
      let order = 0;
      for (let at = 0; at < signs.length && order === 0; at += 1) {
        order = (signs[(origins[at] ?? 1) - 1] ?? 0) - (signs[(least[at] ?? 1) - 1] ?? 0);
      }
      if (order > 0) continue;
      if (order < 0) {
        kept.length = 0;
        least = origins;
      }
      kept.push(index);
    }
  }

  /** Writes a renamed world into `#tried`. Returns false if it is not smaller than another. */
  #rename({ words, length }: Packed, exchange: Exchange, than: Packed | null): boolean {
    const { layout } = this.#worlds;
    const { endpoints, fixed } = layout;
    const { origins, masks } = exchange;
    const target = this.#tried.words;
    for (let at = 0; at < endpoints; at += 1) {
      const rank = origins[at] ?? 0;
      target[at] = this.#local(exchange, rank, words[rank - 1] ?? 0);
    }
    let order = than === null ? -1 : compared(target, than.words, 0, endpoints);
    if (order > 0) return false;
    for (let at = endpoints; at < fixed; at += 1) target[at] = words[at] ?? 0;
    for (const at of [layout.starts, layout.absent]) {
      if (at >= 0) target[at] = masks[words[at] ?? 0] ?? 0;
    }
    for (const at of [layout.reports, layout.missed]) {
      for (let index = 0; at >= 0 && index < endpoints; index += 1) {
        target[at + index] = masks[words[at + (origins[index] ?? 1) - 1] ?? 0] ?? 0;
      }
    }
    if (layout.split >= 0) this.#cut(words, masks);
    for (let index = 0; index < exchange.pasts.length; index += 1) {
      const at = layout.monitor + index;
      target[at] = this.#past(exchange, index, words[at] ?? 0);
    }
    for (let at = fixed; at < length; at += 1) this.#put(exchange, words[at] ?? 0, at);
    this.#tried.length = length;
    if (order === 0 && than !== null) order = compared(target, than.words, endpoints, length);
    return order < 0;
  }

  /** Puts a renamed message among those before this word, in the order that worlds.ts has. */
  #put(exchange: Exchange, message: number, from: number): void {
    const { words } = this.#tried;
    const { layout, steps, instance } = this.#worlds;
    const { links } = steps;
    const isFifo = instance.links === 'fifo';
    const renamed = this.#message(exchange, message);
    const key = isFifo ? (links[renamed] ?? 0) : renamed;
    let at = from;
    for (; at > layout.fixed; at -= 1) {
      const before = words[at - 1] ?? 0;
      if ((isFifo ? (links[before] ?? 0) : before) <= key) break;
      words[at] = before;
    }
    words[at] = renamed;
  }

  /** Writes a cut: one bit for each node that is not with the first node that is on one side, and the ranks of its link. */
  #cut(words: Uint16Array, masks: Uint16Array): void {
    const { split, link, endpoints } = this.#worlds.layout;
    const target = this.#tried.words;
    const renamed = (rank: number) =>
      rank === 0 ? 0 : 32 - Math.clz32(masks[1 << (rank - 1)] ?? 0);
    const ranks = link < 0 ? 0 : (words[link] ?? 0);
    const bridge = renamed(ranks & 15);
    if (link >= 0) target[link] = bridge | (renamed(ranks >>> 4) << 4);
    const side = words[split] ?? 0;
    const other = masks[side] ?? 0;
    const isFlipped = side > 0 && (other & (bridge === 1 ? 2 : 1)) !== 0;
    const both = bridge === 0 ? 0 : 1 << (bridge - 1);
    target[split] = isFlipped ? (other ^ ((1 << endpoints) - 1)) & ~both : other;
  }

  /** The number of a node's state without ranks: which are its own, and which are not. */
  #sign(rank: number, local: number): number {
    const known = this.#signOf[rank - 1]?.[local];
    if (known !== undefined) return known;
    const blind = Array.from({ length: this.#seen.length + 1 }, (_, each) =>
      each === rank ? 1 : 2,
    );
    const { state } = this.#paths;
    // The names of the members of a table must stay different.
    const readable = state.some((path) => path.endsWith('#')) ? [] : state;
    const isReadable = readable.length === state.length;
    const renamer = new Renamer({ ...this.#paths, state: readable }, null, blind);
    const seen = renamer.local(rank, this.#worlds.steps.localOf(rank, local));
    const number = this.#signs.numberOf(
      isReadable ? seen : { ...seen, node: { ...seen.node, state: null } },
    );
    const own = this.#signOf[rank - 1];
    if (own !== undefined) own[local] = number;
    return number;
  }

  /** The number of a renamed local state, of the node that has the new rank. */
  #local({ locals, renamer }: Exchange, rank: number, local: number): number {
    const own = locals[rank - 1] ?? [];
    const known = own[local];
    if (known !== undefined) return known;
    const { steps } = this.#worlds;
    const renamed = renamer.local(rank, steps.localOf(rank, local));
    const number = steps.numberLocal(renamer.rankOf(rank), renamed);
    own[local] = number;
    return number;
  }

  #message({ messages, renamer }: Exchange, message: number): number {
    const known = messages[message];
    if (known !== undefined) return known;
    const { steps } = this.#worlds;
    const number = steps.numberMessage(renamer.sent(steps.messages.valueOf(message)));
    messages[message] = number;
    return number;
  }

  #past({ pasts, renamer }: Exchange, history: number, state: number): number {
    const own = pasts[history] ?? [];
    const known = own[state];
    if (known !== undefined) return known;
    const { monitor } = this.#worlds;
    const number = monitor?.renamed(history, state, (rank) => renamer.rankOf(rank)) ?? state;
    own[state] = number;
    return number;
  }

  /** Throws LabError `arguments` if the renamed world does not make the renamed step. Each step is renamed in one way. */
  #verify(rank: number, world: World, action: Action, next: World): void {
    this.#verified += 1;
    const exchange = this.#exchanges[1 + (this.#verified % (this.size - 1))];
    if (exchange === undefined) return;
    const { cast, protocol } = this.#worlds.instance;
    const { renamer, renaming } = exchange;
    const made = applyTraced(cast, renamer.world(world), renamer.action(action)).world;
    const at = renamer.rankOf(rank);
    const after = (each: World) => partsAfter({ ...each, inFlight: byRecipient(each) }, at);
    const difference = firstDifference(after(renamer.world(next)), after(made), '');
    if (difference === null) return;
    const ranks = renaming.slice(1, cast.nodes + 1).join();
    throw falseSymmetry(
      protocol,
      `if nodes 1, 2, … exchange their ranks and become ${ranks}, node ${rank}, when ${eventText(world, action)}, does something else: ${difference}`,
    );
  }
}

/** Messages on different links have no order. */
function byRecipient({ inFlight }: World): World['inFlight'] {
  return inFlight.toSorted((left, right) => left.to - right.to);
}

function renamedMask(mask: number, renaming: Renaming): number {
  let renamed = 0;
  for (let rank = 1; mask >>> (rank - 1) !== 0; rank += 1) {
    if ((mask & (1 << (rank - 1))) !== 0) renamed |= 1 << ((renaming[rank] ?? rank) - 1);
  }
  return renamed;
}

/** Below 0 if the first words are smaller, above 0 if the second are. */
function compared(one: Uint16Array, other: Uint16Array, from: number, to: number): number {
  for (let at = from; at < to; at += 1) {
    const difference = (one[at] ?? 0) - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Each world is compared with all its exchanges, of which 6 nodes have 720. */
const NODES_MAX = 6;

/**
 * The renamings of an instance: a group. The first changes nothing. Only this one if no nodes are exchangeable. The
 * exchanges of ranks after which the nodes of an instance are the same: all of them, or those that turn the ring.
 * Nodes that the instance names (down, absent, phantoms, missing links) are exchanged only with each other.
 */
export function renamingsOf(instance: Instance, symmetry: Symmetry): readonly Renaming[] {
  const { cast } = instance;
  const identity = Array.from({ length: (cast.store ?? cast.nodes) + 1 }, (_, rank) => rank);
  const isAlike = identity
    .slice(1, cast.nodes + 1)
    .every((rank) => cast.machineOf(rank) === cast.machineOf(1));
  if (cast.nodes > NODES_MAX || !isAlike) return [identity];
  return permutations(identity.slice(1, cast.nodes + 1))
    .map((ranks) => [0, ...ranks, ...identity.slice(cast.nodes + 1)])
    .filter((renaming) => keepsNamed(instance, renaming))
    .filter((renaming) => symmetry.of === 'members' || turnsRing(cast, renaming));
}

/** All orders of some values. The first is the given one. */
function permutations(values: readonly number[]): readonly (readonly number[])[] {
  if (values.length < 2) return [values];
  return values.flatMap((value, index) =>
    permutations(values.toSpliced(index, 1)).map((rest) => [value, ...rest]),
  );
}

function keepsNamed(instance: Instance, renaming: Renaming): boolean {
  const { crashedBefore, absent = [], phantoms = [], cut } = instance;
  const isCut = (one: number, other: number) =>
    cut.some(
      ([left, right]) => (left === one && right === other) || (left === other && right === one),
    );
  return (
    [crashedBefore, absent, phantoms].every((ranks) =>
      ranks.every((rank) => ranks.includes(renaming[rank] ?? rank)),
    ) && cut.every(([one, other]) => isCut(renaming[one] ?? one, renaming[other] ?? other))
  );
}

/** Whether the neighbours of renamed nodes are the renamed neighbours, and all know the same leader as before. */
function turnsRing({ nodes, selfOf }: Cast, renaming: Renaming): boolean {
  const named = (rank: number) => {
    const { successors, predecessor, incumbent } = selfOf(rank);
    const known = incumbent === null ? [] : [incumbent];
    return [...successors, predecessor, ...known].map(fromRank);
  };
  return Array.from({ length: nodes }, (_, index) => index + 1).every((rank) => {
    const [before, after] = [named(rank), named(renaming[rank] ?? rank)];
    return before.every((each, index) => renaming[each] === after[index]);
  });
}
