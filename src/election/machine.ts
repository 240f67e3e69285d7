/**
 * @module
 * This folder contains the election protocols, and what defends, detects, authenticates and judges. This
 * file is the contract of every election protocol, and the first file to read. A protocol is a pure state
 * machine, (state, event) → (state, effects): no clock, no randomness, no I/O. Every driver (the
 * simulator, a checker, a live node) must (1) call `init` once, and again after a crash; (2) make one
 * `step` at a time; (3) keep states as plain JSON data: `step` changes a state in place, so a driver that
 * needs the old one passes a copy; (4) carry out effects in the order in which they are written to the
 * collector; (5) treat timers by name: setting one again replaces it, and a replaced or cancelled timer is
 * never delivered. A machine accepts any event in any state; if there is nothing to do it changes nothing.
 * Collector and state in place were chosen by measurement (docs/decisions/machine-contract.md).
 */

declare const rankBrand: unique symbol;

/** The rank of a node: opaque, ordered by `<`. A small integer in the simulator, hex in a live node. */
export type Rank = (number | string) & { readonly [rankBrand]: true };

export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };

/** What nodes send each other: plain JSON data, never changed once sent. */
export interface Message {
  readonly type: string;
}

/** What a node knows of a network in which not each pair of nodes has a link. */
export interface Links {
  /** The nodes with a link to it, ascending. Nothing that it sends to another node arrives. */
  readonly neighbours: readonly Rank[];
  /** The largest distance of two nodes, in links. */
  readonly diameter: number;
}

/** What a node knows of itself. It changes only with the membership and is not in the state. */
export interface Self {
  readonly rank: Rank;
  /** Every member it knows of, ascending, itself and the dead included. */
  readonly members: readonly Rank[];
  /** The members that were there when the election was set up, ascending. The others have joined, or will. */
  readonly founders: readonly Rank[];
  /** The next neighbours clockwise, nearest first; itself alone in a ring of one. */
  readonly successors: readonly Rank[];
  readonly predecessor: Rank;
  /** How many nodes the ring was closed around, itself included. */
  readonly ringNodes: number;
  /** Null in a protocol that sends messages to any node. */
  readonly links: Links | null;
  /** The leader that all nodes knew before this election. */
  readonly incumbent: Rank | null;
}

export type Event<M extends Message> =
  | { readonly type: 'start' }
  | { readonly type: 'deliver'; readonly from: Rank; readonly message: M }
  | { readonly type: 'timeout'; readonly timer: string }
  | { readonly type: 'suspect' | 'trust' | 'join' | 'leave'; readonly node: Rank }
  /** `persisted` is what `persist` saved last; null is amnesia. */
  | { readonly type: 'recover'; readonly persisted: Json }
  /** The answer to `choose`. */
  | { readonly type: 'chosen'; readonly value: number }
  /** A message of a store, in answer to `call` or to an earlier request to watch. */
  | { readonly type: 'reply'; readonly value: Message }
  /** A client's request to a leader. */
  | { readonly type: 'request'; readonly value: Json };

/** The collector of a machine's effects. Each call is one effect. */
export interface Effects<M extends Message> {
  send(to: Rank, message: M): void;
  /** `ticks` 0 fires after every delivery that is due at the same time. */
  setTimer(timer: string, ticks: number, periodic: boolean): void;
  cancelTimer(timer: string): void;
  /** Asks for a uniform integer in 0..below−1. */
  choose(below: number): void;
  persist(fields: Json): void;
  /** Asks the store. It is a machine too, to which this is a message from the node. */
  call(operation: Message): void;
  /** From now on this node follows `leader` (itself, when it leads) in `epoch`. */
  elect(leader: Rank, epoch: number): void;
  stepDown(): void;
  accuse(evidence: Json): void;
  respond(value: Json): void;
}

export interface Machine<State, M extends Message> {
  init(self: Self): State;
  step(self: Self, state: State, event: Event<M>, effects: Effects<M>): void;
}
