/**
 * @module
 * The parts of a world, all plain JSON data, and the draft that becomes the next world. The store of a
 * protocol is the last of the nodes. A request for a part that does not exist throws RangeError.
 */

import { LabError } from '../../errors.ts';
import type { Json, Message } from '../machine.ts';

/**
 * A message in flight. `id` is the number of sends before it in the whole election; the copies that
 * a network makes are −1, −2, … in the order in which they are made, so that they shift no other id.
 */
export interface Flight {
  readonly id: number;
  readonly from: number;
  readonly to: number;
  readonly message: Message;
}

export interface PendingTimer {
  readonly timer: string;
  readonly ticks: number;
  readonly periodic: boolean;
}

/** Whether a timer fires in the tick in which it was set. */
export function isImmediate({ ticks }: Pick<PendingTimer, 'ticks'>): boolean {
  return ticks === 0;
}

export interface WorldNode {
  readonly up: boolean;
  /** Null while the node is down. */
  readonly state: Json;
  /** In the order they were set. */
  readonly timers: readonly PendingTimer[];
  readonly persisted: Json;
  /** The node that it follows: itself if it leads. */
  readonly leader: number | null;
}

export interface World {
  /** Index rank − 1. */
  readonly nodes: readonly WorldNode[];
  /** In the order they were sent. */
  readonly inFlight: readonly Flight[];
  readonly sent: number;
  /** Copies that the network made. */
  readonly duplicated: number;
  readonly delivered: number;
  readonly dropped: number;
  /** Sends by message type. */
  readonly sentByType: Readonly<Record<string, number>>;
  /** Nodes that are up and paused. */
  readonly paused: readonly number[];
  /** Future members, still unknown to the others. */
  readonly absent: readonly number[];
  /** Outstanding choices of nodes, in the order of their requests. */
  readonly choices: readonly PendingChoice[];
}

/** Node `node` waits for a uniform integer in 0..below−1. */
export interface PendingChoice {
  readonly node: number;
  readonly below: number;
}

/** A copy of a world whose members may be replaced. Their contents must not change. */
export type Draft = {
  -readonly [Key in keyof World]: World[Key] extends readonly (infer Item)[] ? Item[] : World[Key];
};

/** A draft of a world without changes. */
export function draftOf(world: World): Draft {
  const { nodes, inFlight, paused, absent, choices } = world;
  return {
    ...world,
    nodes: [...nodes],
    inFlight: [...inFlight],
    paused: [...paused],
    absent: [...absent],
    choices: [...choices],
  };
}

/** The number of values of a choice. Anything but a positive integer is a bug of the machine. */
export function assertChoice(below: number): number {
  if (Number.isSafeInteger(below) && below >= 1) return below;
  throw new RangeError(`"below" expected 1.., got ${below}`);
}

/** The rank to which a machine sends. Throws LabError `arguments` for one that no node has. */
export function assertRecipient(
  to: unknown,
  { nodes }: Draft,
  sent: { readonly protocol: string; readonly from: number; readonly message: Message },
): number {
  if (typeof to === 'number' && nodes[to - 1] !== undefined) return to;
  throw new LabError('arguments', `protocol ${sent.protocol}: ${noRecipient({ ...sent, to })}`);
}

/** Why a message cannot be sent, as a clause. */
export function noRecipient(sent: {
  readonly from: number;
  readonly to: unknown;
  readonly message: Message;
}): string {
  const { from, to, message } = sent;
  const refused = `node ${from} sends ${JSON.stringify(message)} to ${String(to)}, which is no node`;
  return `${refused}: send to a rank of self.members`;
}

/** The rank of the store. A machine that calls a store that does not exist has a bug. */
export function assertStore<StoreRank>(store: StoreRank | null): StoreRank {
  if (store !== null) return store;
  throw new TypeError('"call" expected a protocol with a store, got one without');
}

/** Takes a message out of flight. */
export function takeFlight(draft: Draft, id: number): Flight {
  const index = draft.inFlight.findIndex((flight) => flight.id === id);
  const flight = draft.inFlight[index];
  if (flight === undefined) throw new RangeError(`"message" expected one in flight, got ${id}`);
  draft.inFlight.splice(index, 1);
  return flight;
}

/** The node of that rank, which must be up, or down. */
export function nodeOf(world: World | Draft, rank: number, up: boolean): WorldNode {
  const node = world.nodes[rank - 1];
  if (node?.up === up) return node;
  throw new RangeError(`"node" expected one that is ${up ? 'up' : 'down'}, got ${rank}`);
}

/** The node, which must be up and not paused. */
export function assertAwake(draft: Draft, rank: number): WorldNode {
  assertUnlisted(draft.paused, rank);
  return nodeOf(draft, rank, true);
}

/** Refuses a rank that is not listed. */
export function assertListed(ranks: readonly number[], rank: number): void {
  if (!ranks.includes(rank)) throw new RangeError(`"node" expected one of [${ranks}], got ${rank}`);
}

/** Refuses a rank that is listed. */
export function assertUnlisted(ranks: readonly number[], rank: number): void {
  if (ranks.includes(rank)) throw new RangeError(`"node" expected none of [${ranks}], got ${rank}`);
}

/** The others, in their order. */
export function without(ranks: readonly number[], rank: number): number[] {
  return ranks.filter((each) => each !== rank);
}
