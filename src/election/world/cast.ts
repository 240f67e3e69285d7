/**
 * @module
 * The nodes of an election and what does not change while it runs: the machine and the `self` of every
 * rank 1..n. Nodes that crashed before the election are still members (Bully sends to them), but the ring
 * is closed around them, and all nodes remember the highest of them as leader. A store has the rank after
 * the last and is no member.
 */

import type { Flags } from '../definition/flags.ts';
import type { AnyMachine } from '../definition/protocol.ts';
import type { Rank, Self } from '../machine.ts';
import type { ProtocolName } from '../registry.ts';
import { flagFault, PROTOCOLS } from '../registry.ts';
import type { Timing } from '../timing.ts';
import type { Graph } from '../topology/topology.ts';
import { linksIn } from './links.ts';

export interface Cast {
  /** What errors name. Absent in casts of other origin. */
  readonly protocol?: ProtocolName;
  readonly nodes: number;
  /** The rank of the store, `nodes` + 1, whose machine and self it has; null without a store. */
  readonly store: number | null;
  readonly machineOf: (rank: number) => AnyMachine;
  /** A new object at every call, so that a driver can order them in memory. */
  readonly selfOf: (rank: number) => Self;
  /** Whether two nodes have a link. Absent if each pair has one. */
  readonly hasLink?: ((one: number, other: number) => boolean) | undefined;
}

export interface CastOptions {
  readonly protocol: ProtocolName;
  readonly timing: Timing;
  /** Every rank 1..n once, clockwise. */
  readonly ring: readonly number[];
  readonly crashedBefore: readonly number[];
  /** Ranks that join later. Default: none. */
  readonly absent?: readonly number[] | undefined;
  /** Flags of the protocol that differ from their defaults. */
  readonly flags?: Flags | undefined;
  /** Attribute that each rank claims, at index rank − 1. Null or absent if all are equal. */
  readonly attributes?: readonly number[] | null | undefined;
  /** The links of the ring's nodes without the absent ones, in its order. Default: each pair has one. */
  readonly graph?: Graph | null | undefined;
  /** Ranks that no node has. Default: none. */
  readonly phantoms?: readonly number[] | undefined;
}

/**
 * The cast of one protocol. The ring must be a permutation of 1..n and at least one node alive.
 * `machineOf` replaces the protocol's own machine, for its variants and for Byzantine nodes. Throws
 * RangeError for flags that the protocol does not have.
 */
export function createCast(options: CastOptions, machineOf?: Cast['machineOf']): Cast {
  const { ring, crashedBefore, absent = [] } = options;
  const protocol = PROTOCOLS[options.protocol];
  const machine = createMachine(options);
  const members = ring.map((_, index) => toRank(index + 1));
  const founders =
    absent.length === 0 ? members : members.filter((member) => !absent.includes(fromRank(member)));
  const dead = new Set(crashedBefore);
  const incumbent = highestOf(dead);
  const ringNodes = ring.length - dead.size;
  const nearest = nextLiving(ring, dead);
  const predecessors = nextLiving(ring.toReversed(), dead);
  const memberOf = (rank: number): Rank => {
    const member = members[rank - 1];
    if (member === undefined) throw new RangeError(`"rank" expected a member, got ${rank}`);
    return member;
  };
  const successorsOf = (rank: number): Rank[] => {
    let next = nearest[rank - 1] ?? rank;
    const found = [memberOf(next)];
    for (let more = protocol.successors - 1; more > 0; more -= 1) {
      next = nearest[next - 1] ?? next;
      if (next === rank || memberOf(next) === found[0]) break;
      found.push(memberOf(next));
    }
    return found;
  };
  const { hasLink, linksOf } = linksIn(options, protocol.overLinks, toRank);
  const store = protocol.store?.create(options.timing, options.flags ?? {}) ?? null;
  const cast: Cast = {
    protocol: options.protocol,
    nodes: ring.length,
    store: null,
    machineOf: machineOf ?? (() => machine),
    hasLink,
    selfOf: (rank) => ({
      rank: memberOf(rank),
      members,
      founders,
      successors: successorsOf(rank),
      predecessor: memberOf(predecessors[rank - 1] ?? rank),
      ringNodes,
      links: linksOf(rank),
      incumbent,
    }),
  };
  return store === null ? cast : castWithStore(cast, store);
}

/** The cast with this store behind its members, which replaces one that it has. */
export function castWithStore(cast: Cast, store: AnyMachine): Cast {
  const position = cast.nodes + 1;
  const rank = toRank(position);
  return {
    ...cast,
    store: position,
    machineOf: (each) => (each === position ? store : cast.machineOf(each)),
    selfOf: (each) =>
      each === position
        ? { ...cast.selfOf(1), rank, successors: [rank], predecessor: rank, incumbent: null }
        : cast.selfOf(each),
  };
}

/** The cast with another machine for each node. The store keeps its own. */
export function withNodes(
  cast: Cast,
  wrap: (machine: AnyMachine, rank: number) => AnyMachine,
): Cast {
  const machineOf = (rank: number) => {
    const machine = cast.machineOf(rank);
    return rank === cast.store ? machine : wrap(machine, rank);
  };
  return { ...cast, machineOf };
}

/** `make`, with the same result at every call for the same machine, so that nodes share what is around it. */
export function memoised(
  make: (machine: AnyMachine) => AnyMachine,
): (machine: AnyMachine) => AnyMachine {
  const made = new Map<AnyMachine, AnyMachine>();
  return (machine) => {
    const known = made.get(machine) ?? make(machine);
    made.set(machine, known);
    return known;
  };
}

function createMachine({ protocol, timing, flags = {}, attributes }: CastOptions): AnyMachine {
  const fault = flagFault(protocol, flags);
  if (fault !== null) throw new RangeError(`"${fault.flag}" ${fault.detail}`);
  if (attributes === null || attributes === undefined) {
    return PROTOCOLS[protocol].create(timing, flags);
  }
  const attributeOf = (rank: Rank) => attributes[fromRank(rank) - 1] ?? 0;
  return PROTOCOLS[protocol].create(timing, flags, attributeOf);
}

/** A node's rank in simulator and checker: its position 1..n from the lowest. */
export function toRank(position: number): Rank {
  if (!Number.isSafeInteger(position) || position < 1) {
    throw new RangeError(`"position" expected 1.., got ${position}`);
  }
  return position as Rank; // Only this line makes a Rank from a position.
}

/** The position of a rank that `toRank` made. */
export function fromRank(rank: Rank): number {
  if (typeof rank === 'number') return rank;
  throw new TypeError(`"rank" expected a position, got ${JSON.stringify(rank)}`);
}

function highestOf(positions: Iterable<number>): Rank | null {
  let highest = 0;
  for (const position of positions) highest = Math.max(highest, position);
  return highest === 0 ? null : toRank(highest);
}

/** For each rank (index rank − 1) the nearest living one after it in the circular `order`. */
function nextLiving(order: readonly number[], dead: ReadonlySet<number>): number[] {
  const nearest = order.map(() => 0);
  const first = order.find((rank) => !dead.has(rank));
  if (first === undefined) throw new RangeError('"crashedBefore" expected a survivor, got none');
  let next = first;
  for (const rank of order.toReversed()) {
    nearest[rank - 1] = next;
    if (!dead.has(rank)) next = rank;
  }
  return nearest;
}
