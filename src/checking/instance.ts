/**
 * @module
 * What is checked: a cast, and what its environment may do. The checker explores every order of the actions that
 * `enabled` of election/world.ts lists, and the actions of the environment within these bounds.
 *
 * Starts happen either before everything else or at any moment. A perfect failure detector reports a crash to each
 * live node once, at any moment (asynchronous) or, to all of them together, when nothing is in flight (synchronous).
 * It reports a return to all nodes at once, before the first step of the returned node, as the simulator does. A join
 * is reported in the same way, and then the new node starts.
 */

import type { Clients } from '../election/clients/client-form.ts';
import type { ResourceKind } from '../election/lease/stores/resource.ts';
import type { Json, Message } from '../election/machine.ts';
import type { ProtocolName } from '../election/registry.ts';
import type { Cast } from '../election/world/cast.ts';
import type { TimingModel } from '../election/world/world.ts';

/** How often the environment may do something in one execution. */
export interface Bounds {
  /** Crashes of nodes; a store never crashes. */
  readonly crash: number;
  /** Returns of crashed nodes, with what they have persisted. */
  readonly recover: number;
  /** Returns of crashed nodes that have lost what they persisted. */
  readonly amnesia: number;
  /** Messages that are lost. With FIFO links the oldest of a link is lost, which reaches the same outcomes. */
  readonly loss: number;
  /** Messages that are delivered once more. */
  readonly duplicate: number;
  /** Nodes that stop for a while. */
  readonly pause: number;
  /** Timers that fire, of all nodes together. Without a limit if null. Afterwards timers stay set. */
  readonly timeout: number | null;
  /** Partitions into two sides. What is sent from one side to the other is lost. Each ends at some moment. */
  readonly partition: number;
  /** Absent nodes that join. */
  readonly join: number;
  /** Messages that free Byzantine nodes send beside those of their protocol. */
  readonly lies: number;
  /** Cuts of one link in one direction. They share the time with partitions: one ends before the next begins. */
  readonly oneWay: number;
  /** Partitions into two sides with one node, or the store, that is on both. */
  readonly bridge: number;
  /** How many members are asked to leave. All awake nodes hear of it at once. */
  readonly leave: number;
  /** Timers of nodes that fire early under synchronous timing, because a clock jumps. Otherwise timers fire at any moment. */
  readonly jump: number;
  /** Writes of the store that are lost. Those that are lost one after the other are one fail-over. */
  readonly failover: number;
}

export const BOUND_NAMES = [
  ...(['crash', 'recover', 'amnesia'] as const),
  ...(['loss', 'duplicate', 'pause', 'timeout'] as const),
  ...(['partition', 'join', 'lies', 'leave', 'oneWay', 'bridge', 'jump', 'failover'] as const),
] as const satisfies readonly (keyof Bounds)[];

/** An environment that does nothing but let timers fire. */
export const NO_FAULTS: Bounds = {
  crash: 0,
  recover: 0,
  amnesia: 0,
  loss: 0,
  duplicate: 0,
  pause: 0,
  timeout: null,
  partition: 0,
  join: 0,
  lies: 0,
  leave: 0,
  oneWay: 0,
  bridge: 0,
  jump: 0,
  failover: 0,
};

/** The largest bound of each kind: the packed state has three bits for it. */
export const BOUND_MAX = 7;

/**
 * When initiators start. `together`: all before everything else. `any`: each at any moment until it takes part in the
 * election or knows the leader, so that there is one election. `again`: each at any moment. The start of a node that has
 * taken part begins another election, of which each node can begin one.
 */
export const START_MODES = ['together', 'any', 'again'] as const;
export type StartMode = (typeof START_MODES)[number];

/** The modes as reports name them. */
export const START_TEXTS: Readonly<Record<StartMode, string>> = {
  together: 'starts first',
  any: 'starts at any moment of one election',
  again: 'starts at any moment, also after an election',
};

/** Nodes with their store: the packed actions have four bits for a node. */
export const ENDPOINTS_MAX = 12;

/** Largest limit of messages on a link. */
export const PER_LINK_MAX = 1000;

/**
 * The instructions that a free Byzantine node in this state may get: each is a message to itself, by which it sends
 * one that it knows (adversary/behaviours/free-node.ts).
 */
export type FreeNode = (state: Json) => Iterable<Message>;

export interface Instance {
  readonly protocol: ProtocolName;
  readonly cast: Cast;
  /** Nodes that are down from the beginning. */
  readonly crashedBefore: readonly number[];
  /** Nodes that no member knows until they join, which the bound `join` allows. Default: none. */
  readonly absent?: readonly number[] | undefined;
  /** Ranks that no node has. Messages can name them. Default: none. */
  readonly phantoms?: readonly number[] | undefined;
  /** Free Byzantine nodes. Default: none. */
  readonly free?: ReadonlyMap<number, FreeNode> | undefined;
  /** Nodes that start the election. A node that joins starts then. */
  readonly initiators: readonly number[];
  readonly starts: StartMode;
  readonly timing: TimingModel;
  /** Whether the messages of a link arrive in the order of sending. */
  readonly links: 'fifo' | 'any';
  readonly bounds: Bounds;
  /** Pairs of nodes without a link. What they send each other is lost at once, and counts against no bound. */
  readonly cut: readonly Pair[];
  /**
   * Largest number of messages in flight on a link. Actions that would exceed it are left out, so that protocols that
   * ask again and again have finitely many worlds. Null for no limit.
   */
  readonly perLink: number | null;
  /** Whether worlds that differ only in how high their terms or other counters are, count as one. */
  readonly isShifted: boolean;
  /** Whether worlds that differ only in which node has which rank may count as one. Default: they do not. */
  readonly isSymmetric?: boolean | undefined;
  /** Largest distance between two values of a counter. Actions that would exceed it are left out. Null for no limit. */
  readonly spread: number | null;
  /** The resource that leaders write to; none if absent. */
  readonly resource?: ResourceKind | undefined;
  /** Clients that leaders serve. Each makes a few operations. Default: none. */
  readonly clients?: Clients | undefined;
  /** Largest number of possible actions of a world. Where more are listed, TooManyValuesError is thrown. Default: none. */
  readonly actionsMax?: number | undefined;
}

/** Two nodes. */
export type Pair = readonly [number, number];

/** Throws RangeError for an instance that cannot be packed. */
export function assertInstance(instance: Instance): void {
  const { cast, bounds, initiators, crashedBefore, cut, perLink, spread } = instance;
  const { absent = [], phantoms = [], free = new Map<number, FreeNode>() } = instance;
  const endpoints = cast.store ?? cast.nodes;
  if (endpoints > ENDPOINTS_MAX) {
    throw new RangeError(
      `"nodes" expected at most ${ENDPOINTS_MAX} with the store, got ${endpoints}`,
    );
  }
  for (const name of BOUND_NAMES) {
    const bound = bounds[name] ?? 0;
    if (!Number.isInteger(bound) || bound < 0 || bound > BOUND_MAX) {
      throw new RangeError(`"${name}" expected 0..${BOUND_MAX}, got ${bound}`);
    }
  }
  if (perLink !== null && (!Number.isInteger(perLink) || perLink < 1)) {
    throw new RangeError(`"perLink" expected an integer from 1 on, got ${perLink}`);
  }
  if (spread !== null && (!instance.isShifted || !Number.isInteger(spread) || spread < 1)) {
    throw new RangeError(`"spread" expected an integer from 1 on, and a shift, got ${spread}`);
  }
  const missing = [...crashedBefore, ...absent, ...phantoms];
  for (const rank of [...initiators, ...missing, ...free.keys(), ...cut.flat()]) {
    if (!Number.isInteger(rank) || rank < 1 || rank > cast.nodes) {
      throw new RangeError(`"node" expected 1..${cast.nodes}, got ${rank}`);
    }
  }
}
