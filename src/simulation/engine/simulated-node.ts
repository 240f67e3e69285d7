/**
 * @module
 * The engine's record of one node. The fields that every delivery uses come first, so that they lie side
 * by side in memory, and the records are created in the order in which messages visit the nodes. Memory
 * access dominates the cost of a large ring: Chang–Roberts on 200 000 nodes reached 2.5 M messages/s with
 * one array for each field and reaches 4.4 M with one object for each node (bench/simulation.ts).
 */

import type { AnyMachine } from '../../election/definition/protocol.ts';
import type { Json, Message, Rank, Self } from '../../election/machine.ts';
import type { Cast } from '../../election/world/cast.ts';
import { fromRank } from '../../election/world/cast.ts';
import { noRecipient } from '../../election/world/world-state.ts';
import { LabError } from '../../errors.ts';

export interface SimulatedNode {
  readonly machine: AnyMachine;
  /** Changes only when the membership changes. */
  self: Self;
  /** Null while the node is down. */
  state: Json;
  /** A paused node is up, and receives nothing until it resumes. */
  mode: 'awake' | 'paused' | 'down';
  /** `rank` in the type of the contract. */
  readonly brandedRank: Rank;
  /** Receives most messages of this node in a ring. */
  successorRank: Rank;
  successor: SimulatedNode | null;
  /** Tick at which the last message to the successor arrives. */
  successorArrival: number;
  // A delivery does not use the fields below.
  /** From 1. The store has the number after the last rank. */
  readonly rank: number;
  /** The rank that the node follows, its own while it leads; 0 for none. */
  leader: number;
  /** The epoch of `leader`; 0 for none. */
  epoch: number;
  persisted: Json;
}

/** Records for a cast: the nodes in `nodeOrder`, which contains every rank once, then the store. */
export function createNodes(cast: Cast, nodeOrder: readonly number[]): readonly SimulatedNode[] {
  const ranks = cast.store === null ? nodeOrder : [...nodeOrder, cast.store];
  const nodes = ranks.map((rank) => createNode(cast, rank));
  linkSuccessors(nodes, indexByRank(nodes));
  return nodes;
}

/** Gives every node its new `self` after the membership has changed. */
export function refreshNodes(cast: Cast, byRank: readonly SimulatedNode[]): void {
  for (const node of byRank) {
    node.self = cast.selfOf(node.rank);
    node.successorRank = node.self.successors[0] ?? node.brandedRank;
  }
  linkSuccessors(byRank, byRank);
}

function linkSuccessors(nodes: readonly SimulatedNode[], byRank: readonly SimulatedNode[]): void {
  for (const node of nodes) node.successor = byRank[fromRank(node.successorRank) - 1] ?? null;
}

/** The same records, each at index rank − 1. */
export function indexByRank(nodes: readonly SimulatedNode[]): readonly SimulatedNode[] {
  const byRank = [...nodes];
  for (const node of nodes) byRank[node.rank - 1] = node;
  return byRank;
}

/** The node to which a message is sent. Throws LabError `arguments` if there is none of that rank. */
export function recipientOf(
  byRank: readonly SimulatedNode[],
  from: SimulatedNode,
  to: Rank,
  message: Message,
): SimulatedNode {
  if (from.successor !== null && from.successorRank === to) return from.successor;
  const found = typeof to === 'number' ? byRank[to - 1] : undefined;
  if (found === undefined) {
    throw new LabError('arguments', noRecipient({ from: from.rank, to, message }));
  }
  return found;
}

function createNode(cast: Cast, rank: number): SimulatedNode {
  const self = cast.selfOf(rank);
  const machine = cast.machineOf(rank);
  const { incumbent } = self;
  return {
    machine,
    self,
    state: machine.init(self),
    mode: 'awake',
    brandedRank: self.rank,
    successorRank: self.successors[0] ?? self.rank,
    successor: null,
    successorArrival: 0,
    rank,
    // The incumbent itself follows none: it is down, and its end is not the end of a leader seen here.
    leader: incumbent === null || incumbent === self.rank ? 0 : fromRank(incumbent),
    epoch: 0,
    persisted: null,
  };
}

/**
 * The paused inbox: messages that arrived at paused nodes. When a node resumes, its messages are due at once, in the
 * order of their arrival, before all other events.
 */
export interface Arrival {
  readonly id: number;
  readonly from: Rank;
  readonly to: SimulatedNode;
  readonly message: Message;
}

export interface PausedInbox {
  /** Messages in the inbox, waiting or due. */
  readonly count: number;
  /** Whether a message is due. */
  readonly isDue: boolean;
  /** From now on, messages to this node wait. */
  open(node: SimulatedNode): void;
  /** Keeps a message if its node is paused. Returns whether it was kept. */
  keep(arrival: Arrival): boolean;
  /** The node resumes: its messages are due. */
  release(node: SimulatedNode): void;
  /** The node crashed: removes and returns its messages. */
  discard(node: SimulatedNode): readonly Arrival[];
  /** Delivers at most `eventsMax` due messages. Returns their number. */
  deliver(eventsMax: number, arrive: (arrival: Arrival) => void): number;
}

export function createPausedInbox(): PausedInbox {
  const waiting = new Map<SimulatedNode, Arrival[]>();
  let due: Arrival[] = [];
  let taken = 0;
  let count = 0;
  const discard = (node: SimulatedNode) => {
    const arrivals = waiting.get(node) ?? [];
    waiting.delete(node);
    count -= arrivals.length;
    return arrivals;
  };
  return {
    get count() {
      return count;
    },
    get isDue() {
      return taken < due.length;
    },
    open: (node) => waiting.set(node, []),
    keep(arrival) {
      const others = waiting.get(arrival.to);
      if (others === undefined) return false;
      others.push(arrival);
      count += 1;
      return true;
    },
    release(node) {
      const arrivals = discard(node);
      due = [...due.slice(taken), ...arrivals];
      taken = 0;
      count += arrivals.length;
    },
    discard,
    deliver(eventsMax, arrive) {
      const arrivals = due.slice(taken, taken + eventsMax);
      for (const arrival of arrivals) {
        taken += 1;
        count -= 1;
        arrive(arrival);
      }
      return arrivals.length;
    },
  };
}
